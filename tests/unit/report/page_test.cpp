#include "report/page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "files/sha256.hpp"
#include "files/temporary_folder.hpp"
#include "files/zip.hpp"
#include "report/graph_svg.hpp"
#include "report/text.hpp"
#include "support/sample_run.hpp"

namespace tandem::report {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const RunRecord& record, std::size_t rows, LoadedResults* loaded = nullptr) {
    const TemporaryFolder folder;
    const RunRecord written = read_run_record(test::write_sample(record, folder.path(), rows));
    LoadedResults results = load_results(written, folder.path());
    std::string page = html_page(written, results);
    if (loaded != nullptr) *loaded = std::move(results);
    return page;
}

TEST(Page, shows_outcome_subsystems_cost_and_warnings) {
    const std::string page = page_of(test::quarter_car_record(), 101);
    EXPECT_THAT(page, HasSubstr("class=\"outcome complete\""));
    EXPECT_THAT(page, HasSubstr("class=\"cost-table\""));
    EXPECT_THAT(page, HasSubstr("chassis.position → wheel.position_in  [m]"));
    EXPECT_THAT(page, HasSubstr("stiffness is not defined"));
    EXPECT_THAT(page, HasSubstr("SHA-256"));
    EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Page, tells_runs_that_are_not_credible_from_complete_ones) {
    RunRecord record = test::quarter_car_record();
    record.instability = {"chassis.x -> wheel.z", 2.0, 1.5};
    record.outcome_sentence = "completed, not credible";
    const std::string page = page_of(record, 11);
    EXPECT_THAT(page, HasSubstr("class=\"outcome doubtful\">Complete, not credible</span>"));
    EXPECT_THAT(page, HasSubstr("<p class=\"banner doubtful\">completed, not credible</p>"));
    EXPECT_THAT(page, HasSubstr(".outcome.doubtful"));
}

TEST(Page, tells_how_long_steps_were_and_on_how_many_threads) {
    RunRecord record = test::quarter_car_record();
    record.step_control = {"richardson", "each step is compared", {{"tolerance", "1e-5"}}};
    record.step_lengths = {1e-5, 2e-3, 7, 0, 100};
    record.threads = {2, 0.75, ""};
    const std::string page = page_of(record, 11);
    EXPECT_THAT(page, HasSubstr("<b>richardson</b> each step is compared"));
    EXPECT_THAT(page, HasSubstr("of 10 µs to 2 ms"));
    EXPECT_THAT(page, HasSubstr("Step control richardson"));
    EXPECT_THAT(page, HasSubstr("2, in 75 % of the steps"));
}

TEST(Page, draws_transmission_lines_and_tells_their_energy) {
    RunRecord record = test::quarter_car_record();
    record.connections.clear();
    record.bonds.clear();
    LineRecord line;
    line.name = "strut";
    line.ends = {{"chassis", "law"}, {"wheel", "coarse"}};
    line.delay = 4e-4;
    line.impedance = 0.4;
    line.put_in = 12.5;
    record.lines = {line};
    const std::string page = page_of(record, 11);
    EXPECT_THAT(page, HasSubstr("0 connections, 1 transmission line (dashed)."));
    EXPECT_THAT(page, HasSubstr("<g class=\"edge delayed\""));
    EXPECT_THAT(page, HasSubstr("strut: delay 0.0004 s, impedance 0.4"));
    EXPECT_THAT(page, HasSubstr("chassis (law) – wheel (coarse)"));
    EXPECT_THAT(page, HasSubstr("<td>12.5</td>"));
}

TEST(Page, needs_nothing_from_elsewhere) {
    const std::string page = page_of(test::quarter_car_record(), 101);
    for (const char* reference : {"src=", "href=", "@import", "https://", "url(http"})
        EXPECT_THAT(page, Not(HasSubstr(reference)));
}

/// The bytes that base64 stands for.
std::string decoded(std::string_view text) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        if (c == '=') break;
        bits = (bits << 6U) | static_cast<unsigned>(letters.find(c));
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
    }
    return bytes;
}

TEST(Page, lets_its_own_script_run_and_nothing_else) {
    const std::string page = html_page(test::quarter_car_record(), {});
    const auto between = [&](const std::string& before, const std::string& after) {
        const auto begin = page.find(before) + before.size();
        return page.substr(begin, page.find(after, begin) - begin);
    };
    EXPECT_THAT(page,
                HasSubstr("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                          "'none'; script-src 'sha256-"));
    std::string digest;
    for (const char c : decoded(between("script-src 'sha256-", "'")))
        digest += fmt::format("{:02x}", static_cast<unsigned char>(c));
    EXPECT_EQ(digest, sha256(between("<script>", "</script>")));
    EXPECT_THAT(page, Not(HasSubstr("script-src 'unsafe-inline'")));
}

TEST(Page, says_why_a_run_failed) {
    EXPECT_THAT(page_of(test::vehicle_record(), 11), HasSubstr("returned discard 20 times"));
}

TEST(Page, does_not_run_what_names_contain) {
    RunRecord record = test::quarter_car_record();
    record.system_name = "</title><script>alert(1)</script>";
    record.subsystems[0].name = "</script><script>alert(2)</script>";
    record.warnings[0].problem = "<img onerror=alert(3)>";
    record.options = {{"{{data}}", "{{script}}"}};
    const std::string page = page_of(record, 11);
    EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(page, Not(HasSubstr("<img")));
    EXPECT_THAT(page, HasSubstr("{{data}}"));
}

TEST(Page, groups_columns_by_what_the_record_knows_of_them) {
    LoadedResults loaded;
    page_of(test::quarter_car_record(), 11, &loaded);
    ASSERT_EQ(loaded.series.size(), 6U);
    EXPECT_EQ(loaded.series[1].subsystem, "chassis");
    EXPECT_EQ(loaded.series[1].variable, "force");
    EXPECT_EQ(loaded.series[1].unit, "N");
}

TEST(Page, says_which_results_it_cannot_show) {
    RunRecord record = test::quarter_car_record();
    record.results = {{"gone.csv", "csv", 5, {}}, {"results.mat", "mat", 5, {}}};
    const LoadedResults loaded = load_results(record, "");
    EXPECT_THAT(loaded.notes, Contains(HasSubstr("gone.csv: cannot be read")));
    EXPECT_THAT(loaded.notes, Contains(HasSubstr("results.mat: only results in CSV are plotted")));
    EXPECT_THAT(html_page(record, loaded), HasSubstr("only results in CSV are plotted"));
}

TEST(Page, stays_small_for_long_runs) {
    // 6 curves of at most 4000 points, 12 bytes each, in base64, and the page itself.
    EXPECT_LT(page_of(test::quarter_car_record(), 100'001).size(), 700'000U);
}

TEST(Page, of_an_empty_record_is_still_a_page) {
    EXPECT_THAT(html_page(RunRecord{}, LoadedResults{}), HasSubstr("</html>"));
}

TEST(SystemGraph, bundles_the_connections_of_a_pair) {
    const std::string svg = system_svg(test::quarter_car_record());
    std::size_t edges = 0;
    for (auto at = svg.find("class=\"edge"); at != std::string::npos;
         at = svg.find("class=\"edge", at + 1))
        ++edges;
    EXPECT_EQ(edges, 2U);
    EXPECT_THAT(svg, HasSubstr("marker-start"));
    EXPECT_TRUE(has_cycle(test::quarter_car_record()));
    EXPECT_FALSE(has_cycle(test::large_record(false)));
}

/// The data of the only script element that holds JSON.
nlohmann::json data_of(const std::string& page) {
    const std::string begin = "type=\"application/json\">";
    const auto at = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

/// A record whose results are `text`, beside a reference with the text `reference`.
struct ComparedRun {
    explicit ComparedRun(const std::string& text, const std::string& reference = "") {
        std::ofstream(folder.path() / "out.csv") << text;
        if (!reference.empty()) {
            std::ofstream(folder.path() / "measured.csv") << reference;
            record.reference = "measured.csv";
        }
        record.results = {{"out.csv", "csv", 3, {{"a.x", "m", "a", "x"}, {"a.y", "m", "a", "y"}}}};
    }
    LoadedResults load() const { return load_results(record, folder.path()); }

    TemporaryFolder folder;
    RunRecord record;
};

TEST(Page, draws_the_plots_that_a_record_asks_for) {
    ComparedRun run("time,a.x,a.y,b.y\n0,0,1,5\n1,2,3,6\n2,0,4,7\n");
    run.record.plots = {{"course", "a.x", {"*.y"}, true}, {"over time", "", {"a.x"}, false}};
    const auto asked = data_of(html_page(run.record, run.load()))["asked"];
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_EQ(asked[0]["title"], "course");
    EXPECT_EQ(asked[0]["equal"], true);
    EXPECT_EQ(asked[0]["x"]["name"], "a.x");
    EXPECT_EQ(asked[0]["x"]["unit"], "m");
    ASSERT_EQ(asked[0]["curves"].size(), 2U);
    EXPECT_EQ(asked[0]["curves"][1]["name"], "b.y");
    EXPECT_TRUE(asked[0]["curves"][0].contains("x"));
    EXPECT_FALSE(asked[1].contains("x"));
    EXPECT_EQ(asked[1]["curves"].size(), 1U);
}

TEST(Page, says_which_plots_it_leaves_out) {
    ComparedRun run("time,a.x\n0,0\n1,2\n");
    run.record.plots = {{"no y", "a.x", {"a.y"}, false}, {"no x", "a.z", {"a.x"}, false}};
    const LoadedResults loaded = run.load();
    EXPECT_TRUE(loaded.asked.empty());
    EXPECT_THAT(loaded.notes, Contains(HasSubstr("'no y' is left out")));
    EXPECT_THAT(loaded.notes, Contains(HasSubstr("'no x' is left out")));
}

TEST(Page, keeps_the_plots_that_are_asked_for_when_there_are_too_many_variables) {
    ComparedRun run("time,a.x,a.y\n0,0,1\n1,2,3\n");
    run.record.plots = {{"last", "", {"a.y"}, false}};
    const LoadedResults loaded = load_results(run.record, run.folder.path(), {.most_series = 1});
    EXPECT_EQ(loaded.series.size(), 1U);
    ASSERT_EQ(loaded.asked.size(), 1U);
    EXPECT_EQ(loaded.asked[0].curves[0].name, "a.y");
}

TEST(Page, shows_the_error_against_a_reference) {
    // b is linear between its rows: at t = 1 it is 2 where the reference says 1.75.
    ComparedRun run("time,a.x,a.y\n0,0,1\n2,4,1\n", "time,a.x,a.z\n0,0,0\n1,1.75,0\n2,4,0\n");
    const LoadedResults loaded = run.load();
    ASSERT_TRUE(loaded.reference);
    const std::string page = html_page(run.record, loaded);
    EXPECT_THAT(page, HasSubstr("<h2>Error against measured.csv</h2>"));
    // sqrt(0.25^2 / 3) = 0.1443
    EXPECT_THAT(page, HasSubstr("<th scope=\"row\">a.x</th><td class=\"n strong\">0.25 m</td>"
                                "<td class=\"n\">1 s</td><td class=\"n\">0.1443 m</td>"));
    EXPECT_THAT(page, HasSubstr("Only in measured.csv: a.z. Only in the results: a.y."));
    const auto errors = data_of(page)["errors"];
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0]["name"], "a.x");
    EXPECT_EQ(errors[0]["unit"], "m");
    EXPECT_THAT(html_page({}, {}), Not(HasSubstr("Error against")));
}

TEST(Page, is_not_misled_by_the_two_sides_of_an_event) {
    const ComparedRun run("time,a.x\n0,0\n1,1\n1,-1\n2,0\n", "time,a.x\n0,0\n1,1\n1,-1\n2,0\n");
    EXPECT_EQ(run.load().reference->comparison.differences[0].greatest, 0.0);
}

TEST(Page, reads_a_reference_inside_a_package) {
    ComparedRun run("time,a.x\n0,0\n1,1\n");
    ZipItem item;
    item.name = "resources/r.csv";
    item.bytes = "time,a.x\n0,0\n1,1.5\n";
    write_zip(run.folder.path() / "car.ssp", {item});
    run.record.reference = "car.ssp/resources/r.csv";
    const LoadedResults loaded = run.load();
    ASSERT_TRUE(loaded.reference);
    EXPECT_EQ(loaded.reference->comparison.differences[0].greatest, 0.5);
    run.record.reference = "car.ssp/resources/none.csv";
    EXPECT_THAT(run.load().notes, Contains(HasSubstr("none.csv")));
}

TEST(Page, says_why_a_reference_cannot_be_compared) {
    ComparedRun run("time,a.x\n0,0\n1,1\n", "time,other\n0,0\n1,1\n");
    EXPECT_THAT(run.load().notes, Contains(HasSubstr("has no column of the results")));
    EXPECT_FALSE(run.load().reference);
    run.record.reference = "gone.csv";
    EXPECT_THAT(run.load().notes, Contains(HasSubstr("gone.csv: cannot be read")));
    const ComparedRun later("time,a.x\n0,0\n1,1\n", "time,a.x\n5,0\n6,1\n");
    EXPECT_THAT(later.load().notes, Contains(HasSubstr("no time in common")));
}

TEST(Page, shows_the_members_and_numbers_of_groups_and_no_times_for_members) {
    RunRecord record = test::quarter_car_record();
    record.groups = {{"aggregate", "aggregate", 0, {"chassis", "wheel"}, {{"steps", 12345.0}}}};
    for (SubsystemRecord& subsystem : record.subsystems)
        if (subsystem.name != "ground") subsystem.parts.clear();
    const std::string settings = settings_html(record);
    EXPECT_THAT(settings, HasSubstr("Group aggregate"));
    EXPECT_THAT(settings, HasSubstr("chassis, wheel"));
    EXPECT_THAT(settings, HasSubstr(grouped(12345)));
    EXPECT_THAT(settings, Not(HasSubstr("priority")));
    const std::string cost = cost_html(record);
    EXPECT_THAT(cost, HasSubstr("<th scope=\"row\">chassis</th><td>co-simulation</td>"
                                "<td colspan=\"9\">part of aggregate"));
    EXPECT_THAT(cost, HasSubstr("<th scope=\"row\">ground</th>"));
    EXPECT_THAT(cost, Not(HasSubstr("ground</th><td>native, cvode_bdf</td><td colspan")));
}

}  // namespace
}  // namespace tandem::report
