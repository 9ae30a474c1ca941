#include "report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_folder.hpp"
#include "report/graph_svg.hpp"
#include "support/sample_run.hpp"

namespace tandem::report {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const RunRecord& record, std::size_t rows, LoadedResults* loaded = nullptr) {
    const TemporaryFolder folder;
    const RunRecord written = read_run_record(testing::write_sample(record, folder.path(), rows));
    LoadedResults results = load_results(written, folder.path());
    std::string page = html_page(written, results);
    if (loaded != nullptr) *loaded = std::move(results);
    return page;
}

TEST(Page, shows_outcome_subsystems_cost_and_warnings) {
    const std::string page = page_of(testing::quarter_car_record(), 101);
    EXPECT_THAT(page, HasSubstr("class=\"outcome complete\""));
    EXPECT_THAT(page, HasSubstr("class=\"cost-table\""));
    EXPECT_THAT(page, HasSubstr("chassis.position → wheel.position_in  [m]"));
    EXPECT_THAT(page, HasSubstr("stiffness is not defined"));
    EXPECT_THAT(page, HasSubstr("SHA-256"));
    EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Page, needs_nothing_from_elsewhere) {
    const std::string page = page_of(testing::quarter_car_record(), 101);
    for (const char* reference : {"src=", "href=", "@import", "https://", "url(http"})
        EXPECT_THAT(page, Not(HasSubstr(reference)));
}

TEST(Page, says_why_a_run_failed) {
    EXPECT_THAT(page_of(testing::vehicle_record(), 11), HasSubstr("returned discard 20 times"));
}

TEST(Page, does_not_run_what_names_contain) {
    RunRecord record = testing::quarter_car_record();
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
    page_of(testing::quarter_car_record(), 11, &loaded);
    ASSERT_EQ(loaded.series.size(), 6U);
    EXPECT_EQ(loaded.series[1].subsystem, "chassis");
    EXPECT_EQ(loaded.series[1].variable, "force");
    EXPECT_EQ(loaded.series[1].unit, "N");
}

TEST(Page, says_which_results_it_cannot_show) {
    RunRecord record = testing::quarter_car_record();
    record.results = {{"gone.csv", "csv", 5, {}}, {"results.mat", "mat", 5, {}}};
    const LoadedResults loaded = load_results(record, "");
    EXPECT_THAT(loaded.notes, Contains(HasSubstr("gone.csv: cannot be read")));
    EXPECT_THAT(loaded.notes, Contains(HasSubstr("results.mat: only results in CSV are plotted")));
    EXPECT_THAT(html_page(record, loaded), HasSubstr("only results in CSV are plotted"));
}

TEST(Page, stays_small_for_long_runs) {
    // 6 curves of at most 4000 points, 12 bytes each, in base64, and the page itself.
    EXPECT_LT(page_of(testing::quarter_car_record(), 100'001).size(), 700'000U);
}

TEST(Page, of_an_empty_record_is_still_a_page) {
    EXPECT_THAT(html_page(RunRecord{}, LoadedResults{}), HasSubstr("</html>"));
}

TEST(SystemGraph, bundles_the_connections_of_a_pair) {
    const std::string svg = system_svg(testing::quarter_car_record());
    std::size_t edges = 0;
    for (auto at = svg.find("class=\"edge"); at != std::string::npos;
         at = svg.find("class=\"edge", at + 1))
        ++edges;
    EXPECT_EQ(edges, 2U);
    EXPECT_THAT(svg, HasSubstr("marker-start"));
    EXPECT_TRUE(has_cycle(testing::quarter_car_record()));
    EXPECT_FALSE(has_cycle(testing::large_record(false)));
}

}  // namespace
}  // namespace tandem::report
