#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kit/native_ode.hpp"
#include "ode/host/hosted_ode.hpp"
#include "support/linear_network.hpp"
#include "support/model_kinds.hpp"

namespace tandem::test {

/// Values of variables, element by element, by name.
using Settings = std::map<std::string, std::vector<double>>;

/// Of an array, or of the variables `name[1]`, `name[2]`, ... that FMI 1.0 and 2.0 have instead.
inline void write_all(Subsystem& subsystem, const Settings& settings) {
    for (const auto& [name, values] : settings) {
        bool has_it = false;
        for (const VariableInfo& info : subsystem.variables().list()) has_it |= info.name == name;
        for (std::size_t i = 0; !has_it && i < values.size(); ++i)
            write(subsystem, name + "[" + std::to_string(i + 1) + "]", {{values[i]}, {}, {}});
        if (has_it) write(subsystem, name, {values, {}, {}});
    }
}

/// A native model, solved by Dormand-Prince with 1e-10.
inline std::unique_ptr<ode::HostedOde> hosted(const std::string& model) {
    ode::HostedOdeOptions options;
    options.solver.method = ode::Method::dopri5;
    options.solver.relative_tolerance = 1e-10;
    return std::make_unique<ode::HostedOde>(
        std::make_unique<kit::NativeOde>(library_of(model).model_class(), model), options);
}

/// The same, initialised at time 0 with these parameters and states.
inline std::unique_ptr<ode::HostedOde> started(const std::string& model, const Settings& settings) {
    auto host = hosted(model);
    write_all(*host, settings);
    initialise(*host, 10.0);
    return host;
}

/// Name of a port: that of the variable, or with the number of the element.
inline bool is_port(const std::string& port, const std::string& name, std::size_t element) {
    return port == name || port == name + "[" + std::to_string(element + 1) + "]";
}
inline std::size_t port_of(const std::vector<Port>& ports, const std::string& name,
                           std::size_t element = 0) {
    for (std::size_t i = 0; i < ports.size(); ++i)
        if (is_port(ports[i].name, name, element)) return i;
    throw std::runtime_error("no port " + name);
}

/// Inputs that are not named are 0.
inline void set_inputs(Subsystem& subsystem, const Settings& inputs) {
    const std::vector<Port>& ports = subsystem.interface().inputs;
    std::vector<double> u(ports.size(), 0.0);
    for (const auto& [name, values] : inputs)
        for (std::size_t i = 0; i < values.size(); ++i) u[port_of(ports, name, i)] = values[i];
    subsystem.set_inputs({u});
}

inline double output_of(Subsystem& subsystem, const std::string& name, std::size_t element = 0) {
    return outputs_of(subsystem)[port_of(subsystem.interface().outputs, name, element)];
}

/// Relative to the larger of the value and 1; the default is some rounding errors.
inline void expect_outputs(Subsystem& subsystem, const Settings& expected,
                           double tolerance = 1e-14) {
    for (const auto& [name, values] : expected)
        for (std::size_t i = 0; i < values.size(); ++i)
            EXPECT_NEAR(output_of(subsystem, name, i), values[i],
                        tolerance * std::max(1.0, std::abs(values[i])))
                << name << "[" << i + 1 << "]";
}

inline std::vector<double> rates_of(ode::HostedOde& host) {
    std::vector<double> rates(host.states().size());
    EXPECT_TRUE(host.model().set_point({host.time(), host.states(), host.inputs()}));
    EXPECT_TRUE(host.model().derivatives(rates));
    return rates;
}

/// dx/dt with these inputs, but for rounding errors.
inline void expect_rates(ode::HostedOde& host, const Settings& inputs,
                         const std::vector<double>& expected) {
    set_inputs(host, inputs);
    const std::vector<double> rates = rates_of(host);
    ASSERT_EQ(rates.size(), expected.size());
    for (std::size_t i = 0; i < rates.size(); ++i)
        EXPECT_NEAR(rates[i], expected[i], 1e-13 * std::max(1.0, std::abs(expected[i]))) << i;
}

}  // namespace tandem::test
