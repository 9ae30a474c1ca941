#include "process/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>

#include "process/emergency.hpp"
#include "tandem/error.hpp"

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

    /// Waits for it; false if nothing is written.
    bool read_number(int& number) {
        ssize_t count = 0;
        do count = read(reader(), &number, sizeof number);
        while (count < 0 && errno == EINTR);
        return count == sizeof number;
    }

private:
    void close_end(std::size_t end) {
        if (ends_[end] >= 0) close(ends_[end]);
        ends_[end] = -1;
    }

    std::array<int, 2> ends_{-1, -1};
};

using Clock = std::chrono::steady_clock;

/// A group of processes that ends with this one, whatever ends it.
class Group {
public:
    explicit Group(pid_t leader)
        : leader_(sizeof(pid_t)), hook_(&kill_all, new (leader_.data()) pid_t(leader)) {}
    void end() { kill_all(leader_.data()); }

private:
    static void kill_all(void* leader) noexcept { kill(-*static_cast<pid_t*>(leader), SIGKILL); }

    SharedBlock leader_;
    EmergencyHook hook_;
};

/// For poll(): -1 without a deadline, 0 behind it.
int milliseconds_until(const std::optional<Clock::time_point>& deadline) {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}

/// False: not before the deadline.
bool read_all(Pipe& out, Pipe& err, ChildResult& result,
              const std::optional<Clock::time_point>& deadline) {
    while (out.reader() >= 0 || err.reader() >= 0) {
        std::array<pollfd, 2> ready{pollfd{out.reader(), POLLIN, 0},
                                    pollfd{err.reader(), POLLIN, 0}};
        const int left = milliseconds_until(deadline);
        if (left == 0) return false;
        if (poll(ready.data(), ready.size(), left) < 0 && errno != EINTR) return true;
        if (ready[0].revents != 0) out.read_into(result.out);
        if (ready[1].revents != 0) err.read_into(result.err);
    }
    return true;
}

int exit_code(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    constexpr int by_signal = 128;
    return WIFSIGNALED(status) ? by_signal + WTERMSIG(status) : WEXITSTATUS(status);
}

/// The pipes of a child. Through the third it tells why the program could not be started: it closes
/// where that is.
struct Pipes {
    Pipe out, err, failure;
};

void become(int file, int stream) {
    if (file == stream)
        fcntl(file, F_SETFD, 0);
    else
        dup2(file, stream);
}

/// The child, between fork() and exec(): other threads are gone and may have held locks, so it only
/// makes system calls. Limits hold from the start of the program on, and for those it starts.
[[noreturn]] void start(char* const* arguments, const Pipes& pipes, const ChildLimits* limits) {
    become(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    become(pipes.out.writer(), STDOUT_FILENO);
    become(pipes.err.writer(), STDERR_FILENO);
    if (limits != nullptr) {
        setpgid(0, 0);
        const rlimit memory{limits->bytes, limits->bytes};
        setrlimit(RLIMIT_AS, &memory);
    }
    execvp(arguments[0], arguments);
    const int reason = errno;
    constexpr int not_started = 127;
    static_cast<void>(!write(pipes.failure.writer(), &reason, sizeof reason));
    _exit(not_started);
}

}  // namespace

ChildResult run_program(const std::vector<std::string>& command,
                        const std::optional<ChildLimits>& limits) {
    Pipes pipes;
    std::vector<char*> arguments;
    for (const std::string& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) start(arguments.data(), pipes, limits ? &*limits : nullptr);
    int failure = child < 0 ? errno : 0;
    pipes.out.close_writer(), pipes.err.close_writer(), pipes.failure.close_writer();
    if (child > 0 && pipes.failure.read_number(failure)) exit_code(child);
    if (failure != 0)
        throw InputError(command.front(),
                         fmt::format("cannot be started: {}", std::strerror(failure)),
                         "install it, or put its folder into PATH");
    ChildResult result;
    std::optional<Group> group;
    std::optional<Clock::time_point> deadline;
    if (limits) {
        group.emplace(child);
        deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(limits->seconds));
    }
    result.took_too_long = !read_all(pipes.out, pipes.err, result, deadline);
    if (result.took_too_long) group->end();
    result.code = exit_code(child);
    return result;
}

}  // namespace tandem
