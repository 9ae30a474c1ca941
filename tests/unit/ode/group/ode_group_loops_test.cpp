#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "ode/group/ode_group.hpp"
#include "ode/host/hosted_ode.hpp"
#include "support/allocation_counter.hpp"
#include "support/test_models.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

using ::testing::HasSubstr;

/// x' = -x, y = g(t, x, u).
class Loopy final : public test::TestModel {
public:
    using Function = std::function<double(double t, double x, double u)>;
    Loopy(const std::string& name, Function function, double nominal = 1.0)
        : TestModel(name, {1.0}, 1, 1), function_(std::move(function)) {
        shape_.d.entries = std::vector<std::pair<int, int>>{{0, 0}};
        shape_.has_events = false;
        shape_.outputs[0].nominal = nominal;
    }
    void set_constant(bool is_constant) { shape_.constant_jacobian = is_constant; }
    bool derivatives(std::span<double> dx) override {
        dx[0] = -x[0];
        return true;
    }
    bool outputs(std::span<double> y) override {
        y[0] = function_(t, x[0], u[0]);
        return std::isfinite(y[0]);
    }

private:
    Function function_;
};

/// Two of them in a ring; the second one passes on what it gets.
std::unique_ptr<OdeGroup> ring(const Loopy::Function& function, double nominal = 1.0) {
    std::vector<std::unique_ptr<OdeModel>> members;
    members.push_back(std::make_unique<Loopy>("p", function, nominal));
    members.push_back(std::make_unique<Loopy>(
        "q", [](double, double, double u) { return u; }, nominal));
    return std::make_unique<OdeGroup>("ring", std::move(members),
                                      GroupWiring{{{1, 0}, {0, 1}}, {}});
}

struct Hosting {
    OdeGroup* group;
    std::unique_ptr<HostedOde> host;
};

Hosting started(std::unique_ptr<OdeGroup> group) {
    Hosting run{group.get(), std::make_unique<HostedOde>(std::move(group), HostedOdeOptions{})};
    run.host->enter_initialisation({});
    run.host->exit_initialisation();
    return run;
}

double output(HostedOde& host) {
    std::vector<double> y(2);
    host.get_outputs(y);
    return y[0];
}

TEST(OdeGroupLoops, that_are_linear_are_factorised_once_in_a_run) {
    const Hosting run = started(ring([](double t, double x, double u) { return x + t - 0.5 * u; }));
    ASSERT_TRUE(run.host->step({0.0, 3.0}));
    // y = x + t - y/2. The differences of a linear function err by 1e-8, so two corrections do.
    EXPECT_NEAR(output(*run.host), (run.host->states()[0] + 3.0) / 1.5, 1e-9);
    EXPECT_EQ(run.group->statistics().factorisations, 1);
    EXPECT_EQ(run.group->statistics().newton_solves, 0);
}

// (y - 1)^2 = 4 + t: from 0 the way leads to the lower solution, and it stays there.
TEST(OdeGroupLoops, with_two_solutions_follow_the_one_they_have_begun_with) {
    const Hosting run = started(ring(
        [](double t, double, double u) { return u - ((u - 1.0) * (u - 1.0) - 4.0 - t) / 5.0; }));
    EXPECT_NEAR(output(*run.host), -1.0, 1e-9);
    ASSERT_TRUE(run.host->step({0.0, 5.0}));
    EXPECT_NEAR(output(*run.host), -2.0, 1e-9);
}

// y^2 = 1 - t has no solution from t = 1 on, and a vertical tangent there.
TEST(OdeGroupLoops, that_lose_their_solution_end_the_run_with_a_sentence_and_print_nothing) {
    const Hosting run = started(ring(
        [](double t, double, double u) { return u - ((u - 1.0) * (u - 1.0) - 1.0 + t) / 5.0; }));
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    std::string sentence;
    try {
        static_cast<void>(run.host->step({0.0, 2.0}));
    } catch (const NumericsError& error) {
        sentence = error.what();
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_THAT(sentence, HasSubstr("p.y0, q.y0"));
}

TEST(OdeGroupLoops, that_are_singular_name_their_variables) {
    try {
        started(ring([](double, double x, double u) { return u + x; }));
        FAIL() << "y = y + x determines nothing";
    } catch (const NumericsError& error) {
        EXPECT_THAT(error.what(), HasSubstr("p.y0, q.y0 is singular"));
    }
}

// Of a size of 1e8 sixteen digits leave 1e-8: far above 1e-10, but not of the nominal value.
TEST(OdeGroupLoops, are_solved_relative_to_nominal_values) {
    const Hosting run =
        started(ring([](double, double x, double u) { return 1e8 * std::cos(u / 1e8) * x; }, 1e8));
    EXPECT_NEAR(output(*run.host) / 1e8, 0.7390851332151607, 1e-10);  // cos(y) = y
    ASSERT_TRUE(run.host->step({0.0, 1.0}));
}

// Two members with one state and one input each: two colours each.
TEST(OdeGroupLoops, ask_members_with_constant_blocks_once_for_their_jacobian) {
    for (const bool is_constant : {false, true}) {
        auto model = ring([](double t, double x, double u) { return x + t - 0.5 * u; });
        for (const int m : {0, 1}) dynamic_cast<Loopy&>(model->member(m)).set_constant(is_constant);
        const Hosting run = started(std::move(model));
        std::vector<double> a(4);
        run.host->jacobian(JacobianBlock::a, a);
        const long once = run.group->statistics().jacobian_evaluations;
        ASSERT_TRUE(run.host->step({0.0, 1.0}));
        run.host->jacobian(JacobianBlock::a, a);
        const long more = run.group->statistics().jacobian_evaluations - once;
        EXPECT_EQ(once, 4);
        EXPECT_EQ(more == 0, is_constant);
    }
}

TEST(OdeGroupLoops, allocate_nothing_in_an_evaluation) {
    const Hosting run = started(ring([](double t, double x, double u) { return x + t - 0.5 * u; }));
    ASSERT_TRUE(run.host->step({0.0, 1.0}));
    std::vector<double> x(2, 1.0), dx(2);
    const test::AllocationCounter counter;
    for (int i = 0; i < 10; ++i) {
        x[0] += 0.1;
        ASSERT_TRUE(run.group->set_point({1.0 + i, x, {}}));
        ASSERT_TRUE(run.group->derivatives(dx));
    }
    EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace tandem::ode
