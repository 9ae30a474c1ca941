#include "files/zip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "files/archive.hpp"
#include "files/temporary_folder.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string bytes_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

TEST(Zip, gives_back_what_was_written) {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "x.zip";
    const std::string zeros(100'000, '\0');
    std::ofstream(folder.path() / "source") << "from a file";
    write_zip(path, {{"a/b.bin", zeros, {}},
                     {"empty", "", {}},
                     {"run.sh", "", folder.path() / "source", true}});
    const ZipReader zip(path);
    ASSERT_EQ(zip.entries().size(), 3U);
    EXPECT_EQ(zip.entries()[0].name, "a/b.bin");
    EXPECT_LT(zip.entries()[0].compressed_size, 1000U);
    EXPECT_EQ(zip.read(0), zeros);
    EXPECT_EQ(zip.read(1), "");
    EXPECT_EQ(zip.read(2), "from a file");
    EXPECT_FALSE(zip.entries()[0].is_executable);
    EXPECT_TRUE(zip.entries()[2].is_executable);
}

TEST(Zip, equal_content_gives_equal_bytes) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "source") << "text";
    const std::vector<ZipItem> items = {{"a", "1", {}}, {"b", "", folder.path() / "source"}};
    write_zip(folder.path() / "one.zip", items);
    fs::last_write_time(folder.path() / "source",
                        fs::file_time_type::clock::now() - std::chrono::hours(48));
    write_zip(folder.path() / "two.zip", items);
    EXPECT_EQ(bytes_of(folder.path() / "one.zip"), bytes_of(folder.path() / "two.zip"));
}

TEST(Zip, replaces_an_older_archive) {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "x.zip";
    write_zip(path, {{"old", "1", {}}});
    write_zip(path, {{"new", "2", {}}});
    const ZipReader zip(path);
    ASSERT_EQ(zip.entries().size(), 1U);
    EXPECT_EQ(zip.entries()[0].name, "new");
}

TEST(Zip, cannot_be_written_where_there_is_no_folder) {
    const TemporaryFolder folder;
    EXPECT_THROW(write_zip(folder.path() / "none" / "x.zip", {{"a", "1", {}}}), InputError);
    EXPECT_THROW(write_zip(folder.path() / "x.zip", {{"a", "", folder.path() / "missing"}}),
                 InputError);
}

TEST(Zip, damaged_data_are_noticed_by_their_checksum) {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "x.zip";
    write_zip(path, {{"a", "some text that is stored", {}}});
    std::string bytes = bytes_of(path);
    const auto at = bytes.find("some") != std::string::npos ? bytes.find("some") : 31 + 5;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    std::ofstream(path, std::ios::binary) << bytes;
    const ZipReader zip(path);
    EXPECT_THROW(zip.read(0), InputError);
}

TEST(Archive, unpacks_files_below_the_target) {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "x.zip";
    write_zip(path, {{"a/b/c.txt", "c", {}}, {"./d.txt", "d", {}}});
    fs::create_directory(folder.path() / "target");
    const Archive archive(path);
    archive.unpack(folder.path() / "target");
    EXPECT_EQ(bytes_of(folder.path() / "target/a/b/c.txt"), "c");
    EXPECT_EQ(bytes_of(folder.path() / "target/d.txt"), "d");
    EXPECT_EQ(archive.read("d.txt"), "d");
    EXPECT_TRUE(archive.contains("a/b/c.txt"));
    EXPECT_FALSE(archive.contains("a/b"));
}

TEST(Archive, takes_backslashes_of_old_tools_for_slashes_and_says_so) {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "x.zip";
    write_zip(path, {{"binaries\\win32\\x.dll", "c", {}}});
    const Archive archive(path);
    EXPECT_TRUE(archive.contains("binaries/win32/x.dll"));
    ASSERT_EQ(archive.findings().size(), 1U);
    EXPECT_THAT(archive.findings()[0].problem, HasSubstr("separates folders"));
}

TEST(Archive, larger_than_its_limits_is_refused_before_anything_is_unpacked) {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "x.zip";
    write_zip(path, {{"a", std::string(1000, 'a'), {}}, {"b", std::string(1000, 'b'), {}}});
    EXPECT_NO_THROW(Archive(path, {.files = 2, .bytes = 2000}));
    EXPECT_THROW(Archive(path, {.files = 1, .bytes = 2000}), InputError);
    EXPECT_THROW(Archive(path, {.files = 2, .bytes = 1999}), InputError);
}

}  // namespace
}  // namespace tandem
