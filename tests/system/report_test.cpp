#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "files/temporary_folder.hpp"
#include "support/sample_run.hpp"

namespace tandem {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
    int code = -1;
    std::string output;
};

/// Runs a command; standard error goes with the output unless the command says otherwise.
Outcome shell(const std::string& command) {
    Outcome outcome;
    std::FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
    if (pipe == nullptr) return outcome;
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
        outcome.output.append(buffer.data(), count);
    const int status = pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

Outcome tandem(const std::string& arguments) {
    return shell(std::string(TANDEM_EXE) + " " + arguments);
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class ReportVerbs : public ::testing::Test {
protected:
    std::string in_folder(const std::string& name) const { return folder_.path() / name; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(in_folder(name)) << text;
        return in_folder(name);
    }
    /// The page after its script has tried itself: see `selftest` in page.js.
    std::string selftest(const std::string& page) const {
        return shell(
                   "chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
                   "--disable-background-networking --disable-component-update --disable-sync "
                   "--window-size=1280,1600 --virtual-time-budget=5000 --user-data-dir=" +
                   in_folder("browser") + " --dump-dom 'file://" + page + "#selftest' 2>/dev/null")
            .output;
    }

    TemporaryFolder folder_;
};

TEST_F(ReportVerbs, report_writes_a_page_that_works_in_a_browser) {
    const std::string record =
        test::write_sample(test::quarter_car_record(), in_folder("run"), 2001);
    const std::string page = in_folder("report.html");
    const Outcome outcome = tandem("report " + record + " -o " + page);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("3 subsystems, 6 plotted variables"));
    const std::string dom = selftest(page);
    const auto begin = dom.find("<pre id=\"selftest\">");
    ASSERT_NE(begin, std::string::npos) << "the page did not try itself; is chromium installed?";
    const std::string findings = dom.substr(begin, dom.find("</pre>", begin) - begin);
    for (const char* claim :
         {"there are plots", "every curve has a path", "hover shows the interpolated value",
          "releasing zooms into the span", "a double click resets the zoom",
          "a click on the legend hides a curve", "an edge of the graph lists its connections"})
        EXPECT_THAT(findings, HasSubstr("\"" + std::string(claim) + "\":true"));
    EXPECT_THAT(findings, Not(HasSubstr("false")));
    EXPECT_THAT(findings, Not(HasSubstr("failed")));
}

TEST_F(ReportVerbs, report_of_fifty_subsystems_works_in_a_browser) {
    const std::string record = test::write_sample(test::large_record(true), in_folder("run"), 501);
    ASSERT_EQ(tandem("report " + record + " -o " + in_folder("r.html")).code, 0);
    const std::string dom = selftest(in_folder("r.html"));
    EXPECT_THAT(dom, HasSubstr("\"every curve has a path\":true"));
    EXPECT_THAT(dom, Not(HasSubstr("\":false")));
}

TEST_F(ReportVerbs, report_draws_a_course_and_the_error_against_a_reference) {
    std::string results = "time,car.X,car.Y\n", reference = results;
    for (int i = 0; i <= 200; ++i) {
        const double t = 0.1 * i;
        results += fmt::format("{},{},{}\n", t, 20.0 * std::sin(t), 9.0 * std::sin(2.0 * t));
        reference += fmt::format("{},{},{}\n", t, 20.0 * std::sin(t), 9.1 * std::sin(2.0 * t));
    }
    write("out.csv", results);
    write("reference.csv", reference);
    const std::string record =
        write("run.json", R"({"format": "tandem run record", "format_version": 1,
                         "results": [{"path": "out.csv", "format": "csv", "rows": 201}],
                         "plots": [{"title": "course", "x": "car.X", "y": ["car.Y"], "equal": true},
                                   {"y": ["car.*"]}],
                         "reference": "reference.csv"})");
    ASSERT_EQ(tandem("report " + record + " -o " + in_folder("r.html")).code, 0);
    const std::string dom = selftest(in_folder("r.html"));
    const std::string findings = dom.substr(dom.rfind("<pre id=\"selftest\">") + 1);
    for (const char* claim :
         {"every curve has a path", "equal axes have one scale",
          "hover over a course shows time and both values",
          "hover over a course marks the time in all plots",
          "dragging zooms into a part of the course", "a double click shows the whole course"})
        EXPECT_THAT(findings, HasSubstr("\"" + std::string(claim) + "\":true"));
    EXPECT_THAT(findings, Not(HasSubstr("\":false")));
    EXPECT_THAT(dom, HasSubstr("Error against reference.csv"));
}

TEST_F(ReportVerbs, report_compares_with_the_reference_of_the_command_line) {
    write("out.csv", "time,x\n0,0\n1,1\n");
    const std::string other = write("other.csv", "time,x\n0,0\n1,1.5\n");
    const std::string record =
        write("run.json", R"({"format": "tandem run record", "format_version": 1,
                         "results": [{"path": "out.csv", "format": "csv", "rows": 2}],
                         "reference": "gone.csv"})");
    const std::string page = in_folder("r.html");
    ASSERT_EQ(tandem("report " + record + " -o " + page + " --reference " + other).code, 0);
    EXPECT_THAT(content(page), HasSubstr("Error against other.csv"));
    EXPECT_EQ(tandem("report " + record + " -o " + page + " --reference none.csv").code, 2);
}

// Smaller than the least number of single precision.
TEST_F(ReportVerbs, report_draws_the_smallest_values) {
    write("tiny.csv", "time,x\n0,0\n1,3e-56\n2,1.3e-55\n");
    const std::string record =
        write("tiny.json", R"({"format": "tandem run record", "format_version": 1,
                         "results": [{"path": "tiny.csv", "format": "csv", "rows": 3}]})");
    ASSERT_EQ(tandem("report " + record + " -o " + in_folder("r.html")).code, 0);
    EXPECT_THAT(selftest(in_folder("r.html")), HasSubstr("\"no curve that changes is flat\":true"));
}

TEST_F(ReportVerbs, report_refuses_what_is_no_record) {
    const Outcome none = tandem("report " + in_folder("none.json"));
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.output, HasSubstr("cannot be read"));
    EXPECT_EQ(tandem("report " + write("x.json", "{\"a\": 1}")).code, 2);
    const std::string record = test::write_sample(test::quarter_car_record(), in_folder("run"), 11);
    EXPECT_EQ(tandem("report " + record + " -o " + in_folder("no/folder.html")).code, 2);
}

TEST_F(ReportVerbs, report_without_its_results_says_so_and_still_makes_the_page) {
    const std::string record = test::write_sample(test::quarter_car_record(), in_folder("run"), 11);
    std::filesystem::remove(in_folder("run/results.csv"));
    const Outcome outcome = tandem("report " + record + " -o " + in_folder("r.html"));
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.output, HasSubstr("results.csv: cannot be read"));
    EXPECT_THAT(content(in_folder("r.html")), HasSubstr("</html>"));
}

TEST_F(ReportVerbs, plot_draws_svg_and_png) {
    const std::string results = write("r.csv", "time,a [m],b.x [m],b.y [N]\n0,0,1,2\n1,1,0,2\n");
    const Outcome svg = tandem("plot " + results + " --vars a,'b.*' -o " + in_folder("p.svg"));
    EXPECT_EQ(svg.code, 0) << svg.output;
    EXPECT_THAT(content(in_folder("p.svg")), HasSubstr("b.y"));
    EXPECT_EQ(tandem("plot " + results + " --vars b.x --x a -o " + in_folder("p.png")).code, 0);
    EXPECT_THAT(content(in_folder("p.png")), HasSubstr("PNG"));
}

TEST_F(ReportVerbs, plot_has_equal_axes_over_a_variable_only) {
    const std::string results = write("r.csv", "time,a,b\n0,0,0\n1,1,1\n2,2,0\n");
    EXPECT_EQ(tandem("plot " + results + " --vars b --x a --equal -o " + in_folder("p.svg")).code,
              0);
    const Outcome over_time = tandem("plot " + results + " --equal -o " + in_folder("q.svg"));
    EXPECT_EQ(over_time.code, 2);
    EXPECT_THAT(over_time.output, HasSubstr("say what to draw over with --x"));
}

TEST_F(ReportVerbs, plot_says_what_it_cannot_do) {
    const std::string results = write("r.csv", "time,speed\n0,0\n1,1\n");
    const Outcome unknown = tandem("plot " + results + " --vars sped -o " + in_folder("p.svg"));
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.output, HasSubstr("did you mean 'speed'?"));
    EXPECT_EQ(tandem("plot " + results + " -o " + in_folder("p.gif")).code, 2);
    EXPECT_EQ(tandem("plot " + results + " --x other -o " + in_folder("p.svg")).code, 2);
    EXPECT_EQ(tandem("plot " + write("e.csv", "time,x\n") + " -o " + in_folder("p.svg")).code, 2);
}

TEST_F(ReportVerbs, compare_tells_by_its_exit_code) {
    const std::string a = write("a.csv", "time,x,y\n0,0,1\n1,1,2\n");
    const std::string b = write("b.csv", "time,x,y\n0,0,1\n0.5,0.5,1.5\n1,1.001,2\n");
    EXPECT_EQ(tandem("compare " + a + " " + a).code, 0);
    const Outcome different = tandem("compare " + a + " " + b);
    EXPECT_EQ(different.code, 1);
    EXPECT_THAT(different.output, HasSubstr("1.000e-03"));
    EXPECT_THAT(different.output, HasSubstr("differs  x"));
    EXPECT_EQ(tandem("compare " + a + " " + b + " --tolerance 0.01").code, 0);
    EXPECT_EQ(tandem("compare " + a + " " + b + " --vars y").code, 0);
    EXPECT_EQ(tandem("compare " + a + " " + in_folder("none.csv")).code, 2);
    EXPECT_EQ(tandem("compare " + a + " " + b + " --vars z").code, 2);
}

TEST_F(ReportVerbs, compare_reports_missing_and_extra_columns) {
    const std::string a = write("a.csv", "time,x,y\n0,0,1\n1,1,2\n");
    const std::string b = write("b.csv", "time,x,z\n0,0,1\n1,1,2\n");
    const Outcome outcome = tandem("compare " + a + " " + b);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.output, HasSubstr("missing: only in " + a + ": y"));
    EXPECT_THAT(outcome.output, HasSubstr("extra: only in " + b + ": z"));
}

}  // namespace
}  // namespace tandem
