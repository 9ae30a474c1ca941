#include "files/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace tandem {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, is_private_and_goes_away_with_everything_in_it) {
    fs::path path;
    {
        const TemporaryFolder folder;
        path = folder.path();
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
        fs::create_directories(path / "a/b/c");
        for (int i = 0; i < 500; ++i)
            std::ofstream(path / "a" / ("file_with_a_long_name_" + std::to_string(i))) << i;
        fs::create_symlink("/", path / "a/b/root");
        fs::permissions(path / "a/b", fs::perms::owner_read | fs::perms::owner_exec);
        fs::permissions(path / "a/b", fs::perms::owner_all);
    }
    EXPECT_FALSE(fs::exists(path));
    EXPECT_TRUE(fs::exists("/"));
}

TEST(TemporaryFolder, below_a_relative_path_is_removed_from_wherever_the_process_is) {
    const TemporaryFolder outer;
    const fs::path home = fs::current_path();
    const char* set = std::getenv("TMPDIR");
    const std::string before = set != nullptr ? set : "";
    fs::current_path(outer.path());
    setenv("TMPDIR", ".", 1);
    {
        const TemporaryFolder inner;
        EXPECT_TRUE(inner.path().is_absolute());
        fs::current_path("/");
    }
    fs::current_path(home);
    if (set != nullptr)
        setenv("TMPDIR", before.c_str(), 1);
    else
        unsetenv("TMPDIR");
    EXPECT_TRUE(fs::is_empty(outer.path()));
}

/// A process whose temporary folders are below `base`; `action` gets one.
pid_t start_process(const fs::path& base, const std::function<void(const fs::path&)>& action) {
    const pid_t process = fork();
    if (process != 0) return process;
    setenv("TMPDIR", base.c_str(), 1);
    {
        const TemporaryFolder folder;
        action(folder.path());
    }
    _exit(0);
}

TEST(TemporaryFolder, of_a_killed_process_is_removed_by_the_next_process_and_not_before) {
    const TemporaryFolder base;
    const auto start_another = [&] {
        waitpid(start_process(base.path(), [](const fs::path&) {}), nullptr, 0);
    };
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    const pid_t process = start_process(base.path(), [&](const fs::path& folder) {
        std::ofstream(folder / "file") << 1;
        const ssize_t written = write(ends[1], "x", 1);
        if (written == 1) pause();
    });
    char told = 0;
    ASSERT_EQ(read(ends[0], &told, 1), 1);
    start_another();
    EXPECT_FALSE(fs::is_empty(base.path())) << "it is in use";
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    EXPECT_FALSE(fs::is_empty(base.path())) << "nobody could remove it";
    start_another();
    EXPECT_TRUE(fs::is_empty(base.path()));
    close(ends[0]);
    close(ends[1]);
}

}  // namespace
}  // namespace tandem
