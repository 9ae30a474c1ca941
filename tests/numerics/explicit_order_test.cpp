#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "coupling/explicit/explicit.hpp"
#include "support/hosting.hpp"
#include "support/test_models.hpp"

namespace tandem {
namespace {

using coupling::Explicit;
using coupling::ExplicitOptions;
using coupling::Sweep;

/// dx = -x + sin(u), x(0) = 1.
class Left final : public test::TestModel {
public:
    Left() : TestModel("left", {1.0}, 1, 1) {}
    bool derivatives(std::span<double> dx) override {
        dx[0] = -x[0] + std::sin(u[0]);
        return true;
    }
};

/// dx = cos(u) - x / 2, x(0) = 0.
class Right final : public test::TestModel {
public:
    Right() : TestModel("right", {0.0}, 1, 1) {}
    bool derivatives(std::span<double> dx) override {
        dx[0] = std::cos(u[0]) - 0.5 * x[0];
        return true;
    }
};

/// Left and Right as one model.
class Both final : public test::TestModel {
public:
    Both() : TestModel("both", {1.0, 0.0}, 0, 2) {}
    bool derivatives(std::span<double> dx) override {
        dx[0] = -x[0] + std::sin(x[1]);
        dx[1] = std::cos(x[0]) - 0.5 * x[1];
        return true;
    }
};

constexpr double stop = 2.0;
// Far below the coupling errors measured here (1e-3 to 1e-7).
template <class Model>
std::unique_ptr<ode::HostedOde> tight() {
    return test::hosted<Model>(ode::Method::dopri5, 1e-12);
}

std::vector<double> reference() {
    const auto both = tight<Both>();
    EXPECT_TRUE(both->step({0.0, stop}));
    std::vector<double> y(2);
    both->get_outputs(y);
    return y;
}

double error_with(const ExplicitOptions& options, int steps) {
    std::vector<std::unique_ptr<Subsystem>> subsystems;
    subsystems.push_back(tight<Left>());
    subsystems.push_back(tight<Right>());
    System system(std::move(subsystems), {{.output = 1, .input = 0}, {.output = 0, .input = 1}});
    for (int s = 0; s < system.size(); ++s) system.read_outputs(s);
    system.route(0.0);
    for (int s = 0; s < system.size(); ++s)
        system.at(s).set_inputs({.values = system.inputs_of(s)});
    Explicit coupling(options);
    coupling.prepare(system, 0.0);
    for (int k = 0; k < steps; ++k)
        EXPECT_TRUE(coupling.advance(system, {stop * k / steps, stop * (k + 1) / steps}));
    static const std::vector<double> exact = reference();
    return std::hypot(system.outputs()[0] - exact[0], system.outputs()[1] - exact[1]);
}

/// log2 of the error ratio when the step is halved, at the finest pair.
double measured_order(const ExplicitOptions& options) {
    return std::log2(error_with(options, 80) / error_with(options, 160));
}

TEST(ExplicitOrder, extrapolation_of_order_n_gives_global_order_n_plus_one) {
    for (const Sweep sweep : {Sweep::jacobi, Sweep::gauss_seidel})
        for (const int order : {0, 1, 2})
            EXPECT_NEAR(measured_order({.sweep = sweep, .order = order}), order + 1.0, 0.15)
                << "order " << order << (sweep == Sweep::jacobi ? ", jacobi" : ", gauss_seidel");
}

TEST(ExplicitOrder, smoothing_keeps_the_order_of_linear_and_quadratic_extrapolation) {
    // A ramp from the old polynomial to the new one differs from it by their distance at the
    // communication point, which is of the order of the extrapolation error itself.
    for (const int order : {1, 2})
        EXPECT_NEAR(measured_order({.order = order, .smooth = true}), order + 1.0, 0.2)
            << "order " << order;
}

TEST(ExplicitOrder, more_steps_of_one_subsystem_keep_the_order) {
    for (const int order : {0, 1, 2})
        EXPECT_NEAR(measured_order({.order = order, .ratios = {4, 1}}), order + 1.0, 0.2)
            << "order " << order;
}

}  // namespace
}  // namespace tandem
