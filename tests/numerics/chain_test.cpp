#include <gtest/gtest.h>

#include "ode/block_jacobian.hpp"
#include "ode/host/hosted_ode.hpp"
#include "support/allocation_counter.hpp"
#include "support/race_car_group.hpp"

namespace tandem {
namespace {

/// Oscillators side by side, each tied to both neighbours.
std::unique_ptr<ode::OdeGroup> chain(const std::string& kind, int size) {
    static test::OdeShop shop(TANDEM_FMU_DIR);
    std::vector<std::unique_ptr<ode::OdeModel>> members;
    ode::GroupWiring wiring;
    for (int i = 0; i < size; ++i) {
        members.push_back(shop.make("Oscillator", kind, "o" + std::to_string(i)));
        for (int port = 0; port < 2; ++port) {
            if (i > 0) wiring.links.push_back({2 * (i - 1) + port, 4 * i + port});
            if (i + 1 < size) wiring.links.push_back({2 * (i + 1) + port, 4 * i + 2 + port});
        }
    }
    test::set_real(*members.front(), "x", 0.1);
    return std::make_unique<ode::OdeGroup>("chain", std::move(members), std::move(wiring));
}

struct Counts {
    std::size_t colours, entries;
    int calls;
    long jacobian_evaluations;  ///< for one Jacobian
};

Counts counts_of(const std::string& kind, int size) {
    auto group = chain(kind, size);
    ode::OdeGroup& model = *group;
    ode::HostedOde host(std::move(group), {});
    host.enter_initialisation({});
    host.exit_initialisation();
    const ode::BlockJacobian blocks(model);
    const long before = model.statistics().jacobian_evaluations;
    std::vector<double> a(host.states().size() * host.states().size());
    host.jacobian(ode::JacobianBlock::a, a);
    return {blocks.colour_count(ode::JacobianBlock::a),
            blocks.sparse_columns(ode::JacobianBlock::a).rows.size(), model.statistics().calls,
            model.statistics().jacobian_evaluations - before};
}

// x' = v; v' = f(x, v and those of both neighbours): two rows see a state and its neighbours, so
// the colours repeat after three elements. An oscillator itself has 6 columns that share a row.
TEST(Chain, costs_for_each_element_the_same_however_long_it_is) {
    for (const std::string kind : {"native", "fmi2"}) {
        const Counts few = counts_of(kind, 10), many = counts_of(kind, 200);
        EXPECT_EQ(few.colours, many.colours);
        EXPECT_LE(many.colours, 6u);
        EXPECT_EQ(few.calls, 10);
        EXPECT_EQ(many.calls, 200);
        EXPECT_EQ(few.entries, 7u * 10 - 4);
        EXPECT_EQ(many.entries, 7u * 200 - 4);
        EXPECT_EQ(few.jacobian_evaluations, 6 * 10);
        EXPECT_EQ(many.jacobian_evaluations, 6 * 200);
    }
}

TEST(Chain, allocates_nothing_in_an_evaluation_or_a_jacobian) {
    auto group = chain("native", 50);
    ode::OdeGroup& model = *group;
    ode::HostedOde host(std::move(group), {});
    host.enter_initialisation({});
    host.exit_initialisation();
    ASSERT_TRUE(host.step({0.0, 0.1}));
    std::vector<double> x(host.states().begin(), host.states().end()), dx(x.size()),
        entries(model.shape().a.entries->size());
    const std::vector<double> u(model.shape().inputs.size());
    const test::AllocationCounter counter;
    for (int i = 0; i < 10; ++i) {
        x[0] += 0.01;
        ASSERT_TRUE(model.set_point({0.1, x, u}));
        ASSERT_TRUE(model.derivatives(dx));
        ASSERT_TRUE(model.jacobian_entries(ode::JacobianBlock::a, entries));
    }
    EXPECT_EQ(counter.count(), 0);
}

// Sparse factors above a size, dense ones below: the same motion.
TEST(Chain, moves_alike_with_sparse_and_dense_factors) {
    const auto first = [](int size) {
        ode::HostedOdeOptions options;
        options.solver.relative_tolerance = 1e-8;
        ode::HostedOde host(chain("native", size), options);
        host.enter_initialisation({});
        host.exit_initialisation();
        EXPECT_TRUE(host.step({0.0, 0.5}));
        return std::pair(host.states()[0], host.states()[1]);
    };
    // What happens at the far end of 8 or 30 elements is not felt at the first within 0.5 s.
    const auto dense = first(8), sparse = first(30);
    EXPECT_NEAR(dense.first, sparse.first, 1e-7);
    EXPECT_NEAR(dense.second, sparse.second, 1e-7);
}

}  // namespace
}  // namespace tandem
