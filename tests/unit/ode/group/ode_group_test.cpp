#include "ode/group/ode_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "ode/host/hosted_ode.hpp"
#include "support/test_models.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

using ::testing::HasSubstr;
using Reals = std::vector<double>;
using Entries = std::vector<std::pair<int, int>>;

/// A model given by its functions.
class Formula final : public test::TestModel {
public:
    using Function =
        std::function<void(double t, const Reals& x, const Reals& u, std::span<double>)>;
    struct Given {
        std::string name;
        Reals states;
        int inputs = 0, outputs = 0;
        std::optional<Entries> feed_through = {};
        Function derivatives = {}, outputs_of = {};
    };

    explicit Formula(const Given& given)
        : TestModel(given.name, given.states, given.inputs, given.outputs), given_(given) {
        shape_.d.entries = given_.feed_through;
        shape_.can_save = shape_.can_serialise = true;
        shape_.has_events = false;
    }
    bool derivatives(std::span<double> dx) override {
        if (given_.derivatives) given_.derivatives(t, x, u, dx);
        return true;
    }
    bool outputs(std::span<double> y) override {
        ++evaluations;
        given_.outputs_of(t, x, u, y);
        return true;
    }
    int evaluations = 0;

private:
    Given given_;
};

std::unique_ptr<Formula> linear(const std::string& name, double start, double c, double d) {
    return std::make_unique<Formula>(
        Formula::Given{.name = name,
                       .states = {start},
                       .inputs = 1,
                       .outputs = 1,
                       .derivatives = [](double, const Reals& x, const Reals& u,
                                         std::span<double> dx) { dx[0] = -x[0] + u[0]; },
                       .outputs_of = [c, d](double, const Reals& x, const Reals& u,
                                            std::span<double> y) { y[0] = c * x[0] + d * u[0]; }});
}

template <class... Models>
std::vector<std::unique_ptr<OdeModel>> members(Models... models) {
    std::vector<std::unique_ptr<OdeModel>> list;
    (list.push_back(std::move(models)), ...);
    return list;
}

/// Starts the model under CVODE.
std::unique_ptr<HostedOde> hosted(std::unique_ptr<OdeModel> model, double tolerance = 1e-8) {
    HostedOdeOptions options;
    options.solver.relative_tolerance = tolerance;
    auto host = std::make_unique<HostedOde>(std::move(model), options);
    host->enter_initialisation({});
    host->exit_initialisation();
    return host;
}

std::unique_ptr<OdeGroup> loop_of_two() {
    return std::make_unique<OdeGroup>(
        "pair", members(linear("a", 9.0, 1.0, -1.0), linear("b", 2.0, 0.0, 0.5)),
        GroupWiring{{{1, 0}, {0, 1}}, {}});
}

// xA = 9 exp(-2t/3), xB = 18 exp(-2t/3) - 16 exp(-t); yA = 2 xA / 3, yB = yA / 2.
TEST(OdeGroup, solves_a_linear_loop_with_one_factorisation) {
    auto model = loop_of_two();
    OdeGroup& group = *model;
    const auto host = hosted(std::move(model));
    Reals y(2);
    host->get_outputs(y);
    EXPECT_NEAR(y[0], 6.0, 1e-12);
    EXPECT_NEAR(y[1], 3.0, 1e-12);
    ASSERT_TRUE(host->step({0.0, 2.0}));
    host->get_outputs(y);
    // The tolerance, summed over the steps.
    EXPECT_NEAR(host->states()[0], 2.37237424304, 1e-7);
    EXPECT_NEAR(host->states()[1], 2.5793839543, 1e-7);
    EXPECT_NEAR(y[0], 1.58158282869, 1e-7);
    EXPECT_NEAR(y[1], 0.790791414347, 1e-7);
    EXPECT_EQ(group.statistics().loops, 1);
    EXPECT_EQ(group.statistics().newton_solves, 0);
}

TEST(OdeGroup, has_the_jacobian_of_the_coupled_equations) {
    const auto host = hosted(loop_of_two());
    Reals a(4);
    host->jacobian(JacobianBlock::a, a);
    // [[-2/3, 0], [2/3, -1]], column by column; members by differences.
    EXPECT_NEAR(a[0], -2.0 / 3.0, 1e-6);
    EXPECT_NEAR(a[1], 2.0 / 3.0, 1e-6);
    EXPECT_NEAR(a[2], 0.0, 1e-6);
    EXPECT_NEAR(a[3], -1.0, 1e-6);
}

TEST(OdeGroup, asks_members_in_the_order_of_variables) {
    // a: y1 = 2, y2 = u1 + 1;  b: y1 = 3 u1.  a.y1 -> b.u1, b.y1 -> a.u1: round and round, no loop.
    auto a = std::make_unique<Formula>(
        Formula::Given{.name = "a",
                       .states = {},
                       .inputs = 1,
                       .outputs = 2,
                       .feed_through = Entries{{1, 0}},
                       .outputs_of = [](double, const Reals&, const Reals& u, std::span<double> y) {
                           y[0] = 2.0;
                           y[1] = u[0] + 1.0;
                       }});
    auto b = std::make_unique<Formula>(
        Formula::Given{.name = "b",
                       .states = {},
                       .inputs = 1,
                       .outputs = 1,
                       .outputs_of = [](double, const Reals&, const Reals& u, std::span<double> y) {
                           y[0] = 3.0 * u[0];
                       }});
    const Formula& first = *a;
    const Formula& second = *b;
    auto model = std::make_unique<OdeGroup>("g", members(std::move(a), std::move(b)),
                                            GroupWiring{{{0, 1}, {2, 0}}, {}});
    OdeGroup& group = *model;
    const auto host = hosted(std::move(model));
    EXPECT_EQ(group.statistics().loops, 0);
    EXPECT_EQ(group.statistics().calls, 3);
    const int before_a = first.evaluations;
    const int before_b = second.evaluations;
    ASSERT_TRUE(group.set_point({1.0, {}, {}}));
    EXPECT_EQ(first.evaluations - before_a, 2);
    EXPECT_EQ(second.evaluations - before_b, 1);
    Reals y(3);
    ASSERT_TRUE(group.outputs(y));
    EXPECT_EQ(y, (Reals{2.0, 7.0, 6.0}));
}

/// y = f(u), without states.
std::unique_ptr<Formula> algebraic(const std::string& name, std::function<double(double)> f) {
    return std::make_unique<Formula>(
        Formula::Given{.name = name,
                       .states = {},
                       .inputs = 1,
                       .outputs = 1,
                       .outputs_of = [f](double, const Reals&, const Reals& u,
                                         std::span<double> y) { y[0] = f(u[0]); }});
}

TEST(OdeGroup, names_the_variables_of_a_singular_loop) {
    const auto same = [](double u) { return u; };
    try {
        hosted(std::make_unique<OdeGroup>("ring",
                                          members(algebraic("p", same), algebraic("q", same)),
                                          GroupWiring{{{1, 0}, {0, 1}}, {}}));
        FAIL() << "the loop is singular";
    } catch (const NumericsError& error) {
        EXPECT_THAT(error.what(), HasSubstr("p.y0, q.y0 is singular"));
        EXPECT_THAT(error.what(), HasSubstr("hint"));
    }
}

TEST(OdeGroup, solves_a_nonlinear_loop_and_says_when_there_is_no_solution) {
    const auto cosine = [](double u) { return std::cos(u); };
    const auto same = [](double u) { return u; };
    const auto host = hosted(
        std::make_unique<OdeGroup>("ring", members(algebraic("p", cosine), algebraic("q", same)),
                                   GroupWiring{{{1, 0}, {0, 1}}, {}}));
    Reals y(2);
    host->get_outputs(y);
    EXPECT_NEAR(y[0], 0.7390851332151607, 1e-10);  // cos(y) = y

    const auto never = [](double u) { return u * u + 1.0; };
    try {
        hosted(std::make_unique<OdeGroup>("ring",
                                          members(algebraic("p", never), algebraic("q", same)),
                                          GroupWiring{{{1, 0}, {0, 1}}, {}}));
        FAIL() << "u = u^2 + 1 has no solution";
    } catch (const NumericsError& error) {
        EXPECT_THAT(error.what(), HasSubstr("p.y0, q.y0"));
    }
}

TEST(OdeGroup, solves_fifty_loops_as_fifty) {
    std::vector<std::unique_ptr<OdeModel>> list;
    GroupWiring wiring;
    for (int k = 0; k < 50; ++k) {
        list.push_back(linear("a" + std::to_string(k), 1.0, 1.0, -1.0));
        list.push_back(linear("b" + std::to_string(k), 1.0, 0.0, 0.5));
        wiring.links.push_back({2 * k + 1, 2 * k});
        wiring.links.push_back({2 * k, 2 * k + 1});
    }
    auto model = std::make_unique<OdeGroup>("many", std::move(list), std::move(wiring));
    OdeGroup& group = *model;
    const auto host = hosted(std::move(model));
    ASSERT_TRUE(host->step({0.0, 1.0}));
    EXPECT_EQ(group.statistics().loops, 50);
    EXPECT_EQ(group.statistics().largest_loop, 2);
    EXPECT_EQ(group.statistics().newton_solves, 0);
}

/// theta'' = (-g + u2) sin theta + u1 cos theta; outputs theta.
std::unique_ptr<Formula> pendulum(const std::string& name, double theta) {
    return std::make_unique<Formula>(
        Formula::Given{.name = name,
                       .states = {theta, 0.0},
                       .inputs = 2,
                       .outputs = 1,
                       .feed_through = Entries{},
                       .derivatives =
                           [](double, const Reals& x, const Reals& u, std::span<double> dx) {
                               dx[0] = x[1];
                               dx[1] = (-9.82 + u[1]) * std::sin(x[0]) + u[0] * std::cos(x[0]);
                           },
                       .outputs_of = [](double, const Reals& x, const Reals&,
                                        std::span<double> y) { y[0] = x[0]; }});
}

// Two pendulums, a spring between them and a shaken frame: Fx = sin th1 - sin th2 + 4 + 2 w,
// Fy = cos th2 - cos th1, w = sin t; the frame adds w'' = -sin t.
TEST(OdeGroup, gives_the_coupled_pendulums_of_the_reference) {
    using Signals = std::span<const double>;
    const auto force = [](double t, Signals y) {
        return std::sin(y[0]) - std::sin(y[1]) + 4.0 + 2.0 * std::sin(t);
    };
    const auto lift = [](Signals y) { return std::cos(y[1]) - std::cos(y[0]); };
    GroupWiring wiring;
    wiring.functions = {
        {0, {0, 1}, [force](double t, Signals y) { return force(t, y) - std::sin(t); }},
        {1, {0, 1}, [lift](double, Signals y) { return lift(y); }},
        {2, {0, 1}, [force](double t, Signals y) { return -force(t, y) - std::sin(t); }},
        {3, {0, 1}, [lift](double, Signals y) { return -lift(y); }}};
    const double half = 0.5 * std::numbers::pi;
    const auto host = hosted(std::make_unique<OdeGroup>(
        "pendulums", members(pendulum("left", half), pendulum("right", -half)), wiring));
    const std::vector<Reals> expected = {
        {1.0, -0.614431543911, -0.511191744917, 0.450696984711, 0.0352215575809},
        {2.0, 1.58914257904, 1.10240625981, -1.73767545411, -0.168249953569},
        {5.0, -0.141619107469, -3.28741137487, 0.645302528707, 1.95816529851}};
    double begin = 0.0;
    for (const Reals& row : expected) {
        ASSERT_TRUE(host->step({begin, row[0]}));
        begin = row[0];
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_NEAR(host->states()[i], row[i + 1], 1e-6) << "t = " << begin << ", state " << i;
        if (begin != 1.0) continue;
        Reals a(16);
        host->jacobian(JacobianBlock::a, a);
        EXPECT_NEAR(a[0 * 4 + 1], -4.7484633, 1e-5);
        EXPECT_NEAR(a[2 * 4 + 1], -0.48439177, 1e-5);
        EXPECT_NEAR(a[0 * 4 + 3], -0.48439177, 1e-5);
        EXPECT_NEAR(a[2 * 4 + 3], -5.51303077, 1e-5);
    }
}

}  // namespace
}  // namespace tandem::ode
