#include "files/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "files/temporary_folder.hpp"

namespace tandem {
namespace {

/// An archive in which two files have the same name.
std::filesystem::path doubled(const TemporaryFolder& folder, const std::string& first,
                              const std::string& second) {
    const std::filesystem::path path = folder.path() / "doubled.zip";
    write_zip(path, {{"x1", first, {}}, {"x2", second, {}}});
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    for (auto at = bytes.find("x2"); at != std::string::npos; at = bytes.find("x2"))
        bytes.replace(at, 2, "x1");
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

TEST(Archive, equal_copies_of_a_file_are_a_warning) {
    const TemporaryFolder folder;
    const Archive archive(doubled(folder, "same", "same"));
    ASSERT_EQ(archive.findings().size(), 1U);
    EXPECT_THAT(archive.findings()[0].problem, testing::HasSubstr("'x1' twice"));
    EXPECT_EQ(archive.read("x1"), "same");
}

TEST(Archive, different_files_of_one_name_are_refused) {
    const TemporaryFolder folder;
    EXPECT_THROW(Archive(doubled(folder, "one", "two")), InputError);
}

TEST(Archive, growth_beyond_a_ratio_is_refused_and_below_a_size_is_not_looked_at) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "a.zip";
    write_zip(path, {{"x", std::string(100'000, 'x'), {}}});
    ArchiveLimits limits;
    limits.unrated_bytes = 100'000;
    EXPECT_NO_THROW(Archive(path, limits));
    limits.unrated_bytes = 99'999;
    EXPECT_THROW(Archive(path, limits), InputError);
    limits.ratio = 100'000;
    EXPECT_NO_THROW(Archive(path, limits));
}

TEST(Archive, lists_the_folders_of_a_folder_packed_or_not) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "a.zip";
    write_zip(path, {{"b/two/x", "1", {}},
                     {"b/one/x", "1", {}},
                     {"b/one/y", "1", {}},
                     {"b/file", "1", {}},
                     {"bb/three/x", "1", {}}});
    const Archive archive(path);
    EXPECT_THAT(archive.folders_in("b"), testing::ElementsAre("one", "two"));
    EXPECT_THAT(archive.folders_in("none"), testing::IsEmpty());
    const TemporaryFolder target;
    archive.unpack(target.path());
    EXPECT_THAT(Archive(target.path()).folders_in("b"), testing::ElementsAre("one", "two"));
}

/// A file below this many folders.
std::filesystem::path deep(const TemporaryFolder& folder, int folders) {
    std::string name;
    for (int i = 0; i < folders; ++i) name += "d/";
    write_zip(folder.path() / "deep.zip", {{name + "x", "text", {}}});
    return folder.path() / "deep.zip";
}

TEST(Archive, its_deepest_tree_is_removed_again) {
    const TemporaryFolder folder;
    const Archive archive(deep(folder, 49));
    std::filesystem::path unpacked;
    {
        const TemporaryFolder target;
        unpacked = target.path();
        archive.unpack(target.path());
        EXPECT_FALSE(std::filesystem::is_empty(unpacked));
    }
    EXPECT_FALSE(std::filesystem::exists(unpacked));
}

TEST(Archive, a_deeper_tree_is_refused) {
    const TemporaryFolder folder;
    try {
        const Archive archive(deep(folder, 50));
        FAIL() << "was accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("leads more than 50 folders deep"));
    }
}

}  // namespace
}  // namespace tandem
