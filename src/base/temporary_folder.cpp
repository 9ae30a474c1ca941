#include "base/temporary_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.hpp"

namespace tandem {
namespace {

/// What getdents64 of the kernel writes.
struct KernelEntry {
    std::uint64_t inode;
    std::int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[1];
};

void remove_entry(int parent, const char* name, int depth) noexcept;

/// The raw call, because readdir allocates and may not be used in a signal handler.
void empty_folder(int folder, int depth) noexcept {
    alignas(KernelEntry) std::array<char, 4096> buffer;
    for (;;) {
        const long size = syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
        if (size <= 0) return;
        for (long at = 0; at < size;) {
            const auto* entry = reinterpret_cast<const KernelEntry*>(buffer.data() + at);
            const char* name = buffer.data() + at + offsetof(KernelEntry, name);
            if (std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0)
                remove_entry(folder, name, depth);
            at += entry->length;
        }
    }
}

void remove_entry(int parent, const char* name, int depth) noexcept {
    if (unlinkat(parent, name, 0) == 0 || depth > deepest_removed_folder) return;
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    fchmod(folder, S_IRWXU);
    empty_folder(folder, depth + 1);
    close(folder);
    unlinkat(parent, name, AT_REMOVEDIR);
}

std::filesystem::path make_private_folder() {
    const char* base = std::getenv("TMPDIR");
    if (base == nullptr || *base == '\0') base = "/tmp";
    std::error_code failed;
    const auto folder = std::filesystem::absolute(base, failed);
    std::string name = (folder / "tandem-XXXXXX").string();
    if (failed || mkdtemp(name.data()) == nullptr)
        throw InputError(base,
                         std::string("no temporary folder can be made: ") + std::strerror(errno),
                         "set TMPDIR to a folder you may write to");
    return name;
}

}  // namespace

void remove_tree(const char* path) noexcept { remove_entry(AT_FDCWD, path, 0); }

TemporaryFolder::TemporaryFolder()
    : path_(make_private_folder()),
      text_(path_.c_str()),
      owner_(getpid()),
      hook_([](void* path) noexcept { remove_tree(static_cast<const char*>(path)); },
            text_.data()) {}

TemporaryFolder::~TemporaryFolder() {
    if (getpid() == owner_) remove_tree(path_.c_str());  // a forked child leaves it alone
}

}  // namespace tandem
