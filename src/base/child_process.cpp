#include "base/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

extern char** environ;

namespace tandem {
namespace {

/// What a child writes and this process reads.
class Pipe {
public:
    Pipe() {
        if (pipe2(ends_.data(), O_CLOEXEC) != 0)
            throw InputError("", fmt::format("no pipe can be made: {}", std::strerror(errno)),
                             "too many files are open");
    }
    ~Pipe() { close_reader(), close_writer(); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }
    void close_reader() { close_end(0); }
    void close_writer() { close_end(1); }

    /// Appends what is there; at the end of it the pipe is closed.
    void read_into(std::string& text) {
        std::array<char, 4096> part{};
        const ssize_t count = read(reader(), part.data(), part.size());
        if (count > 0)
            text.append(part.data(), static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            close_reader();
    }

private:
    void close_end(std::size_t end) {
        if (ends_[end] >= 0) close(ends_[end]);
        ends_[end] = -1;
    }

    std::array<int, 2> ends_{-1, -1};
};

/// The child's end of each pipe, and nothing to read.
class Streams {
public:
    Streams(const Pipe& out, const Pipe& err) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions_, out.writer(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, err.writer(), STDERR_FILENO);
    }
    ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;
    const posix_spawn_file_actions_t* actions() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

void read_all(Pipe& out, Pipe& err, ChildResult& result) {
    while (out.reader() >= 0 || err.reader() >= 0) {
        std::array<pollfd, 2> ready{pollfd{out.reader(), POLLIN, 0},
                                    pollfd{err.reader(), POLLIN, 0}};
        if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
        if (ready[0].revents != 0) out.read_into(result.out);
        if (ready[1].revents != 0) err.read_into(result.err);
    }
}

int exit_code(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    constexpr int by_signal = 128;
    return WIFSIGNALED(status) ? by_signal + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ChildResult run_program(const std::vector<std::string>& command) {
    Pipe out, err;
    const Streams streams(out, err);
    std::vector<char*> arguments;
    for (const std::string& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int failure =
        posix_spawnp(&child, arguments[0], streams.actions(), nullptr, arguments.data(), environ);
    if (failure != 0)
        throw InputError(command.front(),
                         fmt::format("cannot be started: {}", std::strerror(failure)),
                         "install it, or put its folder into PATH");
    out.close_writer();
    err.close_writer();
    ChildResult result;
    read_all(out, err, result);
    result.code = exit_code(child);
    return result;
}

}  // namespace tandem
