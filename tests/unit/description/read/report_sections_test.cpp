#include "description/read/report_sections.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "description/write/write_ssp.hpp"
#include "files/archive.hpp"
#include "unit/description/files.hpp"

namespace tandem::description {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string one = "[subsystems.a]\nsource = 'a.fmu'\n";
const std::string plots = R"([[plots]]
title = "the course"
x = "a.X"
y = ["a.Y", "*.z"]
equal = true
[[plots]]
y = "a.X"
[report]
reference = "data/reference.csv"
)";

std::string problems(const std::string& text) {
    const Files files;
    files.write("s.toml", one + text);
    return files.problems("s.toml");
}

void expect_everything(const ReportChoice& report) {
    ASSERT_THAT(report.plots, SizeIs(2));
    EXPECT_EQ(report.plots[0].title, "the course");
    EXPECT_EQ(report.plots[0].x, "a.X");
    EXPECT_THAT(report.plots[0].y, ElementsAre("a.Y", "*.z"));
    EXPECT_TRUE(report.plots[0].equal);
    EXPECT_EQ(report.plots[1].x, "");
    EXPECT_THAT(report.plots[1].y, ElementsAre("a.X"));
    EXPECT_FALSE(report.plots[1].equal);
}

TEST(ReportSections, hold_plots_and_a_reference_beside_the_file) {
    const Files files;
    files.write("s.toml", one + plots);
    files.write("data/reference.csv", "time,a.X\n");
    const FlatSystem flat = files.flat("s.toml");
    expect_everything(flat.report);
    EXPECT_EQ(flat.report.reference, files / "data/reference.csv");
    EXPECT_THAT(flat.report.plots[1].place, HasSubstr("s.toml:8"));
    EXPECT_THAT(flat.report.reference_place, HasSubstr("s.toml:11"));
}

TEST(ReportSections, are_the_same_when_a_package_is_written_and_read_again) {
    const Files files;
    files.write("s.toml", one + plots);
    files.write("a.fmu", "fmu");
    files.write("data/reference.csv", "time,a.X\n0,1\n");
    write_ssp(read_system(files / "s.toml"), files / "s.ssp");
    EXPECT_EQ(Archive(files / "s.ssp").read("resources/reference.csv"), "time,a.X\n0,1\n");
    write_ssp(read_system(files / "s.ssp"), files / "t.ssp");
    for (const char* package : {"s.ssp", "t.ssp"}) {
        const FlatSystem flat = load_system(files / package);
        expect_everything(flat.report);
        std::ifstream file(flat.report.reference);
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "time,a.X\n0,1\n");
        EXPECT_THAT(flat.report.shown_reference, HasSubstr(".ssp/resources/reference.csv"));
    }
}

TEST(ReportSections, are_refused_with_all_their_mistakes_at_once) {
    const std::string text = problems(
        "[[plots]]\nx = 'a.x'\n[[plots]]\ny = 3\n[[plots]]\ny = 'a.x'\nequal = true\n"
        "[[plots]]\ny = 'a.x'\ntilte = 'x'\n[report]\nreference = 'none.csv'\nrefrence = 'x'\n");
    EXPECT_THAT(text, HasSubstr("s.toml:3: [[plots]]: 'y' is missing"));
    EXPECT_THAT(text, HasSubstr("s.toml:6: [[plots]]: 'y' must be"));
    EXPECT_THAT(text, HasSubstr("s.toml:9: [[plots]]: 'equal' is not for a plot over time"));
    EXPECT_THAT(text, HasSubstr("s.toml:12: [[plots]]: unknown key 'tilte'"));
    EXPECT_THAT(text, HasSubstr("s.toml:14: [report]: there is no file 'none.csv'"));
    EXPECT_THAT(text, HasSubstr("s.toml:15: [report]: unknown key 'refrence'"));
    const Files files;
    files.write("s.toml", "plots = ['a.x']\n" + one);
    EXPECT_THAT(files.problems("s.toml"), HasSubstr("s.toml:1: [[plots]]: must be a table"));
}

TEST(ReportSections, over_time_need_no_x) {
    const Files files;
    files.write("s.toml", one + "[[plots]]\nx = 'time'\ny = 'a.x'\n");
    EXPECT_EQ(files.flat("s.toml").report.plots[0].x, "");
}

TEST(ReportSections, of_a_nested_file_are_ignored_with_a_warning) {
    const Files files;
    files.write("inner.toml", one + "[[plots]]\ny = 'a.x'\n");
    files.write("s.toml", "[systems.inner]\nsource = 'inner.toml'\n");
    EXPECT_THAT(files.flat("s.toml").report.plots, IsEmpty());
    EXPECT_THAT(
        files.problems("s.toml", Severity::warning),
        HasSubstr("what 'inner.toml' says about coupling, steps, recording and report is ignored"));
    EXPECT_THAT(files.problems("s.toml"), Not(HasSubstr("plots")));
}

}  // namespace
}  // namespace tandem::description
