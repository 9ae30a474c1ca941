#include "files/temporary_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include "tandem/error.hpp"

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

constexpr const char* root_prefix = "tandem-process-";
constexpr const char* root_pattern = "tandem-process-XXXXXX";

/// Not our own, and with a lock that nobody holds: its process was killed.
void remove_if_abandoned(int base, const char* name) noexcept {
    const int folder = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    struct stat facts {};
    if (fstat(folder, &facts) == 0 && facts.st_uid == geteuid() &&
        flock(folder, LOCK_EX | LOCK_NB) == 0)
        remove_entry(base, name, 0);
    close(folder);
}

void remove_abandoned(const std::filesystem::path& base) {
    std::error_code failed;
    const int folder = open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    for (std::filesystem::directory_iterator entry(base, failed), end; !failed && entry != end;
         entry.increment(failed))
        if (const std::string name = entry->path().filename(); name.starts_with(root_prefix))
            remove_if_abandoned(folder, name.c_str());
    close(folder);
}

/// All folders of a process are in one, which is locked as long as the process lives.
class Root {
public:
    std::filesystem::path make_folder(const std::filesystem::path& base) {
        const std::lock_guard lock(mutex_);
        if (owner_ != getpid() || path_.parent_path() != base) make(base);
        return made_folder(path_ / "XXXXXX");
    }
    /// Removes the root as well if nothing is left in it.
    void remove(const std::filesystem::path& folder) {
        const std::lock_guard lock(mutex_);
        remove_tree(folder.c_str());
        if (rmdir(folder.parent_path().c_str()) != 0 || folder.parent_path() != path_) return;
        close(lock_);
        owner_ = 0;
    }

private:
    void make(const std::filesystem::path& base) {
        remove_abandoned(base);
        while (!make_locked(base)) {
        }
        owner_ = getpid();
    }
    /// False: another process took it for abandoned before it was locked.
    bool make_locked(const std::filesystem::path& base) {
        path_ = made_folder(base / root_pattern);
        lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (lock_ < 0 && errno == ENOENT) return false;
        if (lock_ < 0 || flock(lock_, LOCK_SH) != 0)
            throw InputError(path_.string(),
                             std::string("cannot be locked: ") + std::strerror(errno),
                             "set TMPDIR to another folder, or allow more open files");
        if (access(path_.c_str(), F_OK) == 0) return true;
        close(lock_);
        return false;
    }
    static std::filesystem::path made_folder(const std::filesystem::path& pattern) {
        std::string name = pattern.string();
        if (mkdtemp(name.data()) == nullptr)
            throw InputError(
                pattern.parent_path().string(),
                std::string("no temporary folder can be made: ") + std::strerror(errno),
                "set TMPDIR to a folder you may write to");
        return name;
    }

    std::mutex mutex_;
    std::filesystem::path path_;
    int lock_ = -1;
    pid_t owner_ = 0;  ///< 0: there is no root
};

Root& root() {
    static Root* const instance = new Root;  // folders may go when static objects are gone
    return *instance;
}

std::filesystem::path make_private_folder() {
    const char* base = std::getenv("TMPDIR");
    if (base == nullptr || *base == '\0') base = "/tmp";
    std::error_code failed;
    std::filesystem::path folder = std::filesystem::absolute(base, failed).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();  // "/tmp/"
    return root().make_folder(failed ? base : folder);
}

/// In a signal handler: the folder, and the root if nothing is left in it.
void remove_in_emergency(void* path) noexcept {
    const auto* text = static_cast<const char*>(path);
    remove_tree(text);
    std::array<char, PATH_MAX> parent{};
    const std::size_t length = static_cast<std::size_t>(std::strrchr(text, '/') - text);
    if (length >= parent.size()) return;
    std::memcpy(parent.data(), text, length);
    rmdir(parent.data());
}

}  // namespace

void remove_tree(const char* path) noexcept { remove_entry(AT_FDCWD, path, 0); }

TemporaryFolder::TemporaryFolder()
    : path_(make_private_folder()),
      text_(path_.c_str()),
      owner_(getpid()),
      hook_(remove_in_emergency, text_.data()) {}

TemporaryFolder::~TemporaryFolder() {
    if (getpid() == owner_) root().remove(path_);  // a forked child leaves it alone
}

}  // namespace tandem
