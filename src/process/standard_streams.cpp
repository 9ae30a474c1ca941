#include "process/standard_streams.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace tandem {
namespace {

struct Stream {
    bool is_known = false;
    dev_t device = 0;
    ino_t inode = 0;
    std::atomic<int> second{-1};
};
std::array<Stream, 3> streams;

bool is_at(int descriptor, const Stream& stream) noexcept {
    struct stat status {};
    return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == stream.device &&
           status.st_ino == stream.inode;
}

/// Loops that close descriptors seldom go as far; the table of them does not get large.
int high_number() noexcept {
    constexpr rlim_t high = 4096, room = 16;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= room) return 3;
    return static_cast<int>(std::min(limit.rlim_cur, high) - room);
}

int second_descriptor(int descriptor) noexcept {
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, high_number());
    return high >= 0 ? high : fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

}  // namespace

void fill_standard_streams() {
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) >= 0) continue;
        const int nothing = open("/dev/null", O_RDWR);  // the lowest number that is free
        if (nothing >= 0 && nothing != descriptor) close(nothing);
    }
}

void remember_standard_streams() {
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
        Stream& stream = streams[static_cast<std::size_t>(descriptor)];
        struct stat status {};
        stream.is_known = fstat(descriptor, &status) == 0;
        stream.device = status.st_dev;
        stream.inode = status.st_ino;
        if (stream.is_known) stream.second.store(second_descriptor(descriptor));
    }
}

StreamState restore_standard_stream(int descriptor) noexcept {
    Stream& stream = streams[static_cast<std::size_t>(descriptor)];
    if (!stream.is_known) return StreamState::same;
    const int second = stream.second.load();
    if (is_at(descriptor, stream)) {
        if (!is_at(second, stream)) stream.second.store(second_descriptor(descriptor));
        return StreamState::same;
    }
    if (!is_at(second, stream) || dup2(second, descriptor) < 0) return StreamState::lost;
    return StreamState::restored;
}

}  // namespace tandem
