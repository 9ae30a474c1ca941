#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "files/temporary_folder.hpp"
#include "support/drafts.hpp"
#include "support/program.hpp"
#include "support/result_files.hpp"
#include "support/zip_surgery.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

/// While it lives, files of this process and of those it starts cannot grow beyond `bytes`: what a
/// full disk is, without one.
class LimitedFiles {
public:
    explicit LimitedFiles(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~LimitedFiles() { setrlimit(RLIMIT_FSIZE, &before_); }
    LimitedFiles(const LimitedFiles&) = delete;
    LimitedFiles& operator=(const LimitedFiles&) = delete;

private:
    rlimit before_{};
};

/// x' = 1, y = x, twice, with a row every 0.1 ms. Native: nothing has to be unpacked.
class LongRun {
public:
    LongRun() {
        std::ofstream file(folder_.path() / "system.toml");
        file << "[experiment]\nstop = 10.0\nstep = 1e-4\n";
        for (const char* name : {"a", "b"})
            file << "[subsystems." << name << "]\nsource = \"" TANDEM_FMU_DIR
                 << "/native/LinearOde.so\"\nparameters = { a = 0, u = 1 }\n";
    }
    int run(std::vector<std::string> arguments, rlim_t limit) {
        arguments.insert(arguments.begin(), {"run", "system.toml"});
        const LimitedFiles limited(limit);
        return test::finish_tandem(test::start_tandem(folder_.path(), arguments));
    }
    fs::path operator/(const std::string& name) const { return folder_.path() / name; }
    std::string said() const { return test::read_bytes(folder_.path() / "said.txt"); }

private:
    TemporaryFolder folder_;
};

class FullDisk : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, FullDisk, ::testing::Values("out.csv", "out.mat", "out.h5"),
                         [](const auto& name) { return std::string(name.param + 4); });

TEST_P(FullDisk, leaves_whole_rows_and_says_how_many_and_which_file_failed) {
    LongRun system;
    EXPECT_EQ(system.run({"--output", GetParam()}, 500'000), 1);
    SCOPED_TRACE(system.said());
    EXPECT_THAT(system.said(),
                HasSubstr(std::string(GetParam()) + ": results cannot be written: File too large"));
    const std::vector<std::string> names = {"time", "a.y", "b.y"};
    test::Table table = test::read_results(system / GetParam(), names);
    ASSERT_EQ(table.size(), names.size());
    const std::vector<double>& time = table["time"];
    // A row takes 24 bytes as numbers and less than 70 as text; HDF5 grows by 4,096 rows.
    EXPECT_GE(time.size(), 500'000U / 70 - 4096);
    for (const std::string& name : names) ASSERT_EQ(table[name].size(), time.size()) << name;
    for (std::size_t k = 0; k < time.size(); ++k) {
        ASSERT_NEAR(time[k], 1e-4 * static_cast<double>(k), 1e-12);
        ASSERT_NEAR(table["b.y"][k], time[k], 1e-9);
    }
    EXPECT_THAT(system.said(),
                HasSubstr(GetParam() + (": " + std::to_string(time.size())) + " rows of "));
    const Json record = Json::parse(test::read_bytes(system / "run.json"));
    EXPECT_EQ(record["outcome"], "failed");
    EXPECT_EQ(record["results"][0]["rows"], time.size());
    const std::string bytes = test::read_bytes(system / GetParam());
    EXPECT_TRUE(GetParam() != std::string("out.csv") || bytes.ends_with("\n"));
}

TEST(FullDisk, leaves_no_half_of_a_page) {
    LongRun system;
    std::ofstream(system / "page.html") << "an older page";
    EXPECT_NE(system.run({"--stop", "1e-3", "--report", "page.html"}, 20'000), 0);
    SCOPED_TRACE(system.said());
    EXPECT_THAT(system.said(), HasSubstr("page.html: cannot be written: File too large"));
    EXPECT_FALSE(fs::exists(system / "page.html"));
    EXPECT_THAT(test::drafts_in(system / ""), IsEmpty());
}

TEST(FullDisk, leaves_no_half_of_a_picture) {
    LongRun system;
    ASSERT_EQ(system.run({"--output", "out.csv", "--stop", "0.1"}, RLIM_INFINITY), 0);
    std::ofstream(system / "plot.svg") << "an older picture";
    const auto plot = [&](const std::string& picture) {
        const LimitedFiles limited(1000);
        return test::finish_tandem(
            test::start_tandem(system / "", {"plot", "out.csv", "-o", picture}));
    };
    EXPECT_NE(plot("plot.svg"), 0);
    EXPECT_EQ(test::read_bytes(system / "plot.svg"), "an older picture");
    EXPECT_NE(plot("plot.png"), 0);
    EXPECT_FALSE(fs::exists(system / "plot.png"));
    EXPECT_THAT(test::drafts_in(system / ""), IsEmpty());
}

}  // namespace
}  // namespace tandem
