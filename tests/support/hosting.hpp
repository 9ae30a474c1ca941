#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "ode/host/hosted_ode.hpp"

namespace tandem::test {

inline constexpr std::array all_methods = {ode::Method::cvode_bdf, ode::Method::cvode_adams,
                                           ode::Method::dopri5, ode::Method::rk4,
                                           ode::Method::euler};

/// For INSTANTIATE_TEST_SUITE_P: the method's name as the suffix of the test.
inline std::string method_suffix(const ::testing::TestParamInfo<ode::Method>& info) {
    return std::string(to_string(info.param));
}

inline ode::HostedOdeOptions options_for(ode::Method method, double tolerance = 1e-8) {
    ode::HostedOdeOptions options;
    options.solver.method = method;
    options.solver.relative_tolerance = tolerance;
    options.solver.fixed_step = 1e-3;
    return options;
}

/// A model with its solver, initialised at time 0.
inline std::unique_ptr<ode::HostedOde> hosted(std::unique_ptr<ode::OdeModel> model,
                                              ode::HostedOdeOptions options) {
    auto host = std::make_unique<ode::HostedOde>(std::move(model), std::move(options));
    host->enter_initialisation({});
    host->exit_initialisation();
    return host;
}

template <class Model>
std::unique_ptr<ode::HostedOde> hosted(ode::Method method, double tolerance = 1e-8) {
    return hosted(std::make_unique<Model>(), options_for(method, tolerance));
}

}  // namespace tandem::test
