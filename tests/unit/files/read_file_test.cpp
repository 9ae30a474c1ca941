#include "files/read_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "files/temporary_folder.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using testing::HasSubstr;

std::string problem_of(const std::filesystem::path& path, std::uint64_t most_bytes) {
    try {
        read_file(path, most_bytes);
    } catch (const InputError& error) {
        return error.problem();
    }
    return {};
}

TEST(ReadFile, gives_all_bytes_up_to_the_limit_and_nothing_beyond) {
    const TemporaryFolder folder;
    const std::string bytes(200'000, 'x');
    std::ofstream(folder.path() / "f", std::ios::binary) << bytes;
    EXPECT_EQ(read_file(folder.path() / "f", bytes.size()), bytes);
    EXPECT_THAT(problem_of(folder.path() / "f", bytes.size() - 1), HasSubstr("is larger than"));
    std::ofstream(folder.path() / "empty");
    EXPECT_EQ(read_file(folder.path() / "empty", 0), "");
}

TEST(ReadFile, reads_files_that_hide_their_size) {
    EXPECT_THAT(read_file("/proc/self/status", 1U << 20U), HasSubstr("Pid:"));
    EXPECT_THAT(problem_of("/proc/self/status", 10), HasSubstr("is larger than"));
}

TEST(ReadFile, refuses_folders_devices_and_pipes_without_waiting_for_them) {
    const TemporaryFolder folder;
    ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(problem_of(folder.path(), 100), "is a folder, not a file");
    EXPECT_EQ(problem_of("/dev/zero", 100), "is a device or a pipe, not a file");
    EXPECT_EQ(problem_of(folder.path() / "pipe", 100), "is a device or a pipe, not a file");
    EXPECT_THAT(problem_of(folder.path() / "none", 100), HasSubstr("No such file"));
}

TEST(ReadFile, limits_are_said_in_round_numbers) {
    EXPECT_EQ(size_text(std::uint64_t{64} << 20U), "64 MiB");
    EXPECT_EQ(size_text(std::uint64_t{4} << 30U), "4 GiB");
}

}  // namespace
}  // namespace tandem
