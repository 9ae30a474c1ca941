#include "fmi/import/fmu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "files/temporary_folder.hpp"
#include "files/zip.hpp"
#include "support/descriptions.hpp"

namespace tandem::fmi {
namespace {

namespace fs = std::filesystem;

fs::path write_fmu(const fs::path& folder) {
    const fs::path path = folder / "decay.fmu";
    write_zip(path, {{"modelDescription.xml", test::fmi2_description, {}},
                     {"resources/table.csv", "1,2\n", {}}});
    return path;
}

std::string content(const fs::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

TEST(Fmu, opened_twice_is_the_same_object) {
    const TemporaryFolder folder;
    const fs::path path = write_fmu(folder.path());
    const auto first = Fmu::open(path);
    fs::create_directory(folder.path() / "sub");
    EXPECT_EQ(Fmu::open(folder.path() / "sub" / ".." / "decay.fmu"), first);
    EXPECT_EQ(first->description().model_name, "Decay");
    EXPECT_TRUE(first->findings().empty());
}

TEST(Fmu, changed_on_disk_is_another_object) {
    const TemporaryFolder folder;
    const fs::path path = write_fmu(folder.path());
    const auto first = Fmu::open(path);
    fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(5));
    EXPECT_NE(Fmu::open(path), first);
}

TEST(Fmu, is_unpacked_when_the_folder_is_asked_for_and_removed_with_its_last_user) {
    const TemporaryFolder folder;
    auto fmu = Fmu::open(write_fmu(folder.path()));
    const fs::path unpacked = fmu->folder();
    EXPECT_EQ(fmu->folder(), unpacked);
    EXPECT_EQ(content(unpacked / "resources" / "table.csv"), "1,2\n");
    EXPECT_EQ(fs::status(unpacked).permissions(), fs::perms::owner_all);
    fmu.reset();
    EXPECT_FALSE(fs::exists(unpacked));
}

TEST(Fmu, that_is_a_folder_is_used_in_place_and_left_alone) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "modelDescription.xml") << test::fmi3_description;
    auto fmu = Fmu::open(folder.path());
    EXPECT_TRUE(fs::equivalent(fmu->folder(), folder.path()));
    fmu.reset();
    EXPECT_TRUE(fs::exists(folder.path() / "modelDescription.xml"));
}

TEST(Fmu, messages_name_the_file_inside_the_archive) {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "bad.fmu";
    write_zip(path, {{"modelDescription.xml", "<wrong/>", {}}});
    try {
        Fmu::open(path);
        FAIL() << "a wrong root element must be refused";
    } catch (const InputError& error) {
        EXPECT_EQ(error.place(), path.string() + "/modelDescription.xml:1");
    }
}

}  // namespace
}  // namespace tandem::fmi
