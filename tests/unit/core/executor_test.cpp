#include "tandem/extend/executor.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tandem {
namespace {

TEST(task_graph, users_of_a_resource_form_a_chain_by_number) {
    const TaskGraph graph(4, {}, {{1}, {2}, {1, 2}, {1}});
    EXPECT_EQ(graph.predecessors(0), 0);
    EXPECT_EQ(graph.predecessors(1), 0);
    EXPECT_EQ(graph.predecessors(2), 2);
    EXPECT_EQ(graph.predecessors(3), 1);
    EXPECT_FALSE(graph.is_chain());
}

TEST(task_graph, a_chain_is_known_as_one) {
    EXPECT_TRUE(TaskGraph(3, {{0, 1}, {1, 2}}).is_chain());
    EXPECT_TRUE(TaskGraph(3, {}, {{1}, {1}, {1}}).is_chain());
    EXPECT_TRUE(TaskGraph(1, {}).is_chain());
    EXPECT_FALSE(TaskGraph(3, {{0, 1}, {0, 2}}).is_chain());
}

TEST(serial_executor, goes_by_number_and_stops_at_the_first_failure) {
    const auto executor = make_serial_executor();
    const int graph = executor->prepare({5, {{0, 4}}});
    std::vector<int> order;
    EXPECT_EQ(executor->run(graph,
                            [&](int task) {
                                order.push_back(task);
                                return task != 3;
                            }),
              3);
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
    EXPECT_THROW(executor->run(graph, [](int) -> bool { throw std::runtime_error("one"); }),
                 std::runtime_error);
}

}  // namespace
}  // namespace tandem
