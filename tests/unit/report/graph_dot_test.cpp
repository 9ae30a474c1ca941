#include "report/graph_dot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/graph_svg.hpp"
#include "report/page.hpp"
#include "support/sample_run.hpp"

namespace tandem::report {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// ground -> {wheel, chassis}, an algebraic cycle.
RunRecord quarter_car() {
    RunRecord record = test::quarter_car_record();
    record.subsystems[0].priority = record.subsystems[1].priority = 1;
    record.subsystems[2].priority = 0;
    record.groups = {{"chassis, wheel",
                      "algebraic cycle",
                      1,
                      {"chassis", "wheel"},
                      {{"iterations a step", 2.5}},
                      {"wheel.u", "wheel.force"}}};
    return record;
}

TEST(GraphDot, has_a_cluster_for_a_cycle_and_ranks_by_priority) {
    const std::string dot = system_dot(quarter_car());
    EXPECT_THAT(dot, HasSubstr("label=\"algebraic cycle\""));
    EXPECT_THAT(dot, HasSubstr("    \"chassis\";\n    \"wheel\";\n  }\n"));
    EXPECT_THAT(dot, HasSubstr("{ rank=same; \"ground\"; } // priority 0\n"));
    EXPECT_THAT(dot, HasSubstr("{ rank=same; \"chassis\"; \"wheel\"; } // priority 1\n"));
}

TEST(GraphDot, labels_edges_with_variables_and_colours_those_that_go_round) {
    const std::string dot = system_dot(quarter_car());
    EXPECT_THAT(dot, HasSubstr("\"ground\" -> \"wheel\" [label=\"height → height_in\"];\n"));
    EXPECT_THAT(dot, HasSubstr("\"chassis\" -> \"wheel\" [xlabel=\"position → position_in\\n"
                               "velocity → velocity_in\", color="));
}

TEST(GraphDot, quotes_whatever_a_name_contains) {
    RunRecord record = test::sample_record("a \"b\"", {"x\"y\\", "line\nbreak"});
    test::connect(record, "x\"y\\", "line\nbreak", "q\"", "");
    const std::string dot = system_dot(record);
    EXPECT_THAT(dot, HasSubstr("digraph \"a \\\"b\\\"\" {"));
    EXPECT_THAT(dot, HasSubstr("\"x\\\"y\\\\\" -> \"line break\" [label=\"q\\\" → q\\\"_in\"]"));
}

TEST(GraphDot, shortens_labels_of_many_connections) {
    RunRecord record = test::sample_record("n", {"a", "b"});
    for (int i = 0; i < 20; ++i) test::connect(record, "a", "b", "v" + std::to_string(i), "");
    EXPECT_THAT(system_dot(record), HasSubstr("v7 → v7_in\\nand 12 more\"]"));
}

TEST(GraphSvg, a_file_of_its_own_needs_no_style_sheet_and_no_script) {
    const std::string svg = system_svg_file(quarter_car());
    EXPECT_THAT(svg, HasSubstr("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_THAT(svg, HasSubstr(".node .box { fill: #ffffff;"));
    EXPECT_THAT(svg, Not(HasSubstr("var(")));
    EXPECT_THAT(svg, Not(HasSubstr("data-tip")));
    EXPECT_THAT(svg, HasSubstr("<title>ground.height → wheel.height_in  [m]</title>"));
}

TEST(GraphSvg, marks_priorities_and_algebraic_cycles) {
    const std::string svg = system_svg(quarter_car());
    EXPECT_THAT(svg, HasSubstr("class=\"node cycle algebraic\""));
    EXPECT_THAT(svg, HasSubstr("class=\"priority\""));
    EXPECT_THAT(svg, HasSubstr("priority 1"));
}

TEST(GraphSvg, draws_what_feeds_itself_and_what_a_function_takes) {
    RunRecord record = test::sample_record("n", {"a", "b"});
    EXPECT_FALSE(has_cycle(record));
    test::connect(record, "a", "a", "y", "");
    record.functions = {{{{"a", "y"}}, {"b", "u"}, "2*y"}};
    EXPECT_TRUE(has_cycle(record));
    const std::string svg = system_svg(record);
    EXPECT_THAT(svg, HasSubstr("class=\"own\" data-tip=\"a.y → a.y_in\""));
    EXPECT_THAT(svg, HasSubstr("a.y → b.u  (in a function)"));
}

TEST(Order, shows_priorities_cycles_and_what_their_solution_took) {
    const std::string html = order_html(quarter_car());
    EXPECT_THAT(html, HasSubstr("<td>0</td><td>ground</td><td></td>"));
    EXPECT_THAT(html, HasSubstr("<td>1</td><td>chassis, wheel</td><td>cycle of 2, algebraic: "
                                "wheel.u → wheel.force → wheel.u</td><td>iterations a step 2.5"));
    EXPECT_THAT(html, HasSubstr("<th>iteration</th>"));
}

TEST(Order, is_left_out_for_a_record_without_priorities) {
    EXPECT_THAT(order_html(test::quarter_car_record()), IsEmpty());
}

TEST(Order, of_many_rows_is_folded) {
    RunRecord record = test::large_record(false, 60);
    int priority = 0;
    for (SubsystemRecord& subsystem : record.subsystems) subsystem.priority = priority++;
    EXPECT_THAT(order_html(record), HasSubstr("<details><summary>60 subsystems"));
}

}  // namespace
}  // namespace tandem::report
