#include "files/kept_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/log.hpp"
#include "files/output_error.hpp"
#include "process/foreign_call.hpp"
#include "process/process_guard.hpp"
#include "tandem/error.hpp"

namespace tandem {

void KeptFile::open(const std::string& path) {
    check_process();  // a file of ours must not get the number of a closed standard stream
    if (path == "-") {
        adopt("", STDOUT_FILENO);
        is_regular_ = false;  // others write there, too
        return;
    }
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        throw InputError(path, fmt::format("cannot be written: {}", std::strerror(errno)),
                         "choose another file with --output");
    adopt(path, file);
}

void KeptFile::adopt(const std::string& path, int descriptor) {
    const std::string absolute = path.empty() ? "" : std::filesystem::absolute(path).string();
    if (absolute.size() < sizeof path_) std::memcpy(path_, absolute.c_str(), absolute.size() + 1);
    struct stat status {};
    if (fstat(descriptor, &status) == 0) {
        device_ = status.st_dev;
        inode_ = status.st_ino;
        is_regular_ = S_ISREG(status.st_mode);
    }
    descriptor_ = descriptor;
}

bool KeptFile::is_same(int descriptor) const noexcept {
    struct stat status {};
    return fstat(descriptor, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

int KeptFile::descriptor() noexcept {
    if (is_same(descriptor_)) return descriptor_;
    // The number may belong to a file of the FMU by now: it is not closed.
    int again = path_[0] == '\0' ? -1 : ::open(path_, O_RDWR | O_CLOEXEC);
    if (again < 0 && path_[0] != '\0') again = ::open(path_, O_WRONLY | O_CLOEXEC);
    if (again >= 0 && is_same(again)) {
        was_lost_.store(true);
        return descriptor_ = again;
    }
    if (again >= 0) ::close(again);
    errno = EBADF;
    return -1;
}

std::size_t KeptFile::put(const void* data, std::size_t size, std::uint64_t offset) noexcept {
    const int file = descriptor();
    if (file < 0) return 0;
    const auto* next = static_cast<const char*>(data);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t written = is_regular_ ? ::pwrite(file, next + done, size - done,
                                                       static_cast<off_t>(offset + done))
                                            : ::write(file, next + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written == 0) errno = ENOSPC;
        if (written <= 0) break;
        done += static_cast<std::size_t>(written);
    }
    return done;
}

bool KeptFile::truncate(std::uint64_t size) noexcept {
    const int file = descriptor();
    return file >= 0 && ::ftruncate(file, static_cast<off_t>(size)) == 0;
}

bool KeptFile::close() noexcept {
    const int file = descriptor();
    descriptor_ = -1;
    if (path_[0] == '\0') return true;
    return file >= 0 && ::close(file) == 0;
}

void fail_to_write(const std::string& name, int reason) {
    throw OutputError(fmt::format("{}: results cannot be written: {}", name,
                                  reason == EPIPE ? "the reader closed the pipe"
                                  : reason == EBADF
                                      ? "an FMU closed the file, and it cannot be opened again"
                                      : std::strerror(reason)));
}

void warn_of_lost_file(const std::string& name) {
    const ForeignCallView call = last_foreign_call();
    log(LogLevel::warning,
        sentence(name,
                 fmt::format("an FMU closed the file; the last call was {} of {}",
                             call.function != nullptr ? call.function : "none",
                             call.instance != nullptr ? call.instance : "none"),
                 "it is open again and no row is missing; ask the FMU's maker"));
}

}  // namespace tandem
