#include "assemble/system_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/mock_subsystem.hpp"

namespace tandem::assemble {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Ports u1, u2, ... and y; `direct`: y depends on all inputs within an instant.
std::unique_ptr<Subsystem> part(const std::string& name, int inputs, bool direct) {
    auto made = std::make_unique<test::MockSubsystem>(name, inputs, nullptr);
    Interface& ports = made->ports();
    ports.outputs[0].name = "y";
    for (int i = 0; i < inputs; ++i) {
        ports.inputs[static_cast<std::size_t>(i)].name = "u" + std::to_string(i + 1);
        if (direct) ports.feed_through.push_back({0, i});
    }
    return made;
}

/// Each subsystem has one output, which has its number.
class Parts {
public:
    int add(const std::string& name, int inputs, bool direct) {
        first_input_.push_back(inputs_);
        inputs_ += inputs;
        subsystems_.push_back(part(name, inputs, direct));
        return static_cast<int>(subsystems_.size()) - 1;
    }
    int input(int s, int i) const { return first_input_[static_cast<std::size_t>(s)] + i - 1; }
    void connect(int from, int to, int i = 1) { links.links.push_back({from, input(to, i)}); }
    void connect_discrete(int from, int to) {
        links.typed.push_back({{from, 0, 0}, {to, 0, 0}, {}});
    }
    SystemGraph graph() const { return analyse(subsystems_, links); }

    PortLinks links;

private:
    std::vector<std::unique_ptr<Subsystem>> subsystems_;
    std::vector<int> first_input_;
    int inputs_ = 0;
};

TEST(SystemGraph, a_cycle_with_direct_outputs_all_the_way_round_is_algebraic) {
    Parts parts;
    const int a = parts.add("a", 1, true), b = parts.add("b", 1, true);
    parts.connect(a, b), parts.connect(b, a);
    const SystemGraph graph = parts.graph();
    ASSERT_EQ(graph.cycles.size(), 1U);
    EXPECT_EQ(graph.cycles[0].round, Round::algebraic);
    EXPECT_THAT(graph.cycles[0].members, ElementsAre(a, b));
    EXPECT_THAT(graph.cycles[0].loops, ElementsAre(ElementsAre("a.u1", "a.y", "b.u1", "b.y")));
}

TEST(SystemGraph, a_state_anywhere_makes_a_cycle_one_through_states) {
    Parts parts;
    const int a = parts.add("a", 1, true), b = parts.add("b", 1, false);
    parts.connect(a, b), parts.connect(b, a);
    const SystemGraph graph = parts.graph();
    ASSERT_EQ(graph.cycles.size(), 1U);
    EXPECT_EQ(graph.cycles[0].round, Round::states);
    EXPECT_THAT(graph.cycles[0].loops, IsEmpty());
}

TEST(SystemGraph, values_that_are_not_real_decide_priorities_and_make_cycles) {
    Parts parts;
    const int a = parts.add("a", 0, true), b = parts.add("b", 1, true), c = parts.add("c", 0, true),
              d = parts.add("d", 1, true);
    parts.connect_discrete(a, b), parts.connect_discrete(b, a);
    parts.connect_discrete(b, c);
    parts.connect(c, d);
    const SystemGraph graph = parts.graph();
    EXPECT_THAT(graph.priorities, ElementsAre(0, 0, 1, 2));
    ASSERT_EQ(graph.cycles.size(), 1U);
    EXPECT_EQ(graph.cycles[0].round, Round::discrete);
}

TEST(SystemGraph, functions_of_several_outputs_count_for_each_of_them) {
    Parts parts;
    const int a = parts.add("a", 0, true), b = parts.add("b", 1, true), c = parts.add("c", 1, true);
    parts.connect(a, b);
    parts.links.functions.push_back({parts.input(c, 1), {a, b, c}, {}});
    const SystemGraph graph = parts.graph();
    EXPECT_THAT(graph.priorities, ElementsAre(0, 1, 2));
    ASSERT_EQ(graph.cycles.size(), 1U);
    EXPECT_THAT(graph.cycles[0].members, ElementsAre(c));
    EXPECT_THAT(graph.cycles[0].loops, ElementsAre(ElementsAre("c.u1", "c.y")));
}

TEST(SystemGraph, each_cycle_has_its_own_kind_and_priority) {
    Parts parts;
    const int a = parts.add("a", 1, false), b = parts.add("b", 1, true),
              c = parts.add("c", 2, true), d = parts.add("d", 1, true);
    parts.connect(a, b), parts.connect(b, a);
    parts.connect(b, c, 2);
    parts.connect(c, d), parts.connect(d, c);
    const std::vector<GroupRecord> records = cycle_records(parts.graph());
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].kind, "cycle");
    EXPECT_EQ(records[0].name, "a, b");
    EXPECT_EQ(records[0].priority, 0);
    EXPECT_EQ(records[1].kind, "algebraic cycle");
    EXPECT_EQ(records[1].priority, 1);
    EXPECT_THAT(records[1].loop, ElementsAre("c.u1", "c.y", "d.u1", "d.y"));
}

TEST(SystemGraph, a_long_cycle_has_a_short_name) {
    Parts parts;
    for (int i = 0; i < 9; ++i) parts.add("m" + std::to_string(i), 1, false);
    for (int i = 0; i < 9; ++i) parts.connect(i, (i + 1) % 9);
    EXPECT_EQ(cycle_records(parts.graph()).at(0).name, "m0, m1, m2 and 6 more");
}

}  // namespace
}  // namespace tandem::assemble
