#include "files/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tandem/error.hpp"

namespace tandem {
namespace {

class Descriptor {
public:
    // A pipe would block here, or a read of it; without O_NONBLOCK until somebody writes.
    explicit Descriptor(const std::filesystem::path& path)
        : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

[[noreturn]] void cannot_read(const std::filesystem::path& path) {
    throw InputError(path.string(), fmt::format("cannot be read: {}", std::strerror(errno)),
                     "check the path and the permissions");
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
    constexpr std::uint64_t gibi = std::uint64_t{1} << 30U;
    return bytes % gibi == 0 ? fmt::format("{} GiB", bytes >> 30U)
                             : fmt::format("{} MiB", bytes >> 20U);
}

std::string read_file(const std::filesystem::path& path, std::uint64_t most_bytes) {
    const Descriptor file(path);
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) cannot_read(path);
    if (S_ISDIR(status.st_mode)) throw InputError(path.string(), "is a folder, not a file");
    if (!S_ISREG(status.st_mode))
        throw InputError(path.string(), "is a device or a pipe, not a file",
                         "write its content to a file and give that");
    const auto refuse_size = [&] {
        throw InputError(path.string(),
                         fmt::format("is larger than {}, the limit here", size_text(most_bytes)),
                         "check that this is the right file");
    };
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > most_bytes) refuse_size();
    std::string text;
    constexpr std::size_t spare = 4096;
    // Files of /proc say that they are empty: what counts is what comes.
    for (;;) {
        const std::size_t before = text.size();
        text.resize(std::max<std::size_t>(size, before) + spare);
        const ssize_t got = ::read(file.number(), text.data() + before, text.size() - before);
        if (got < 0 && errno != EINTR) cannot_read(path);
        text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got == 0) return text;
        if (text.size() > most_bytes) refuse_size();
    }
}

}  // namespace tandem
