#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kit/native_ode.hpp"
#include "ode/group/ode_group.hpp"
#include "ode/host/hosted_ode.hpp"
#include "support/hidden_subsystem.hpp"
#include "support/model_kinds.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::test {

/// One of our models in a scenario, with start values of its parameters and states.
struct ScenarioPart {
    std::string name;
    std::string model;
    std::map<std::string, double> values = {};
};

/// What is coupled: models, connections and the solver inside each of them.
struct Scenario {
    std::vector<ScenarioPart> parts;
    std::vector<std::pair<std::string, std::string>> connections;  ///< "s1.e1", "s2.e1"
    ode::SolverOptions solver = {};
    std::string kind = "native";  ///< or another of all_kinds; those for CS have their own solvers
    fmi::InstanceOptions fmus = {};   ///< for those for CS
    std::optional<Shown> hides = {};  ///< no part gives a linear model, but only this
    bool watches = false;             ///< outputs are kept after each step of a solver; not for CS

    Scenario& set(const std::string& part, const std::string& variable, double value) {
        for (ScenarioPart& one : parts)
            if (one.name == part) one.values[variable] = value;
        return *this;
    }
    Scenario& solve(ode::Method method, double tolerance_or_step) {
        solver.method = method;
        const bool is_fixed = method == ode::Method::rk4 || method == ode::Method::euler;
        (is_fixed ? solver.fixed_step : solver.relative_tolerance) = tolerance_or_step;
        return *this;
    }
};

/// Before initialisation, of a subsystem or a model: ports that are not connected leave, and
/// variables get their start values.
template <class Owner>
void set_up(Owner& owner, const Scenario& scenario, const ScenarioPart& part) {
    PortSelection connected;
    for (const auto& [output, input] : scenario.connections) {
        if (output.starts_with(part.name + "."))
            connected.outputs.insert(output.substr(part.name.size() + 1));
        if (input.starts_with(part.name + "."))
            connected.inputs.insert(input.substr(part.name.size() + 1));
    }
    owner.select_ports(connected);
    Variables& variables = owner.variables();
    for (std::size_t i = 0; i < variables.list().size(); ++i) {
        const VariableInfo& info = variables.list()[i];
        const auto value = part.values.find(info.name);
        if (value == part.values.end()) continue;
        const bool is_real = storage_of(info.type) == Storage::reals;
        variables.write(variables.group(std::span(&i, 1)),
                        is_real ? Values{{value->second}, {}, {}}
                                : Values{{}, {std::lround(value->second)}, {}});
    }
}

/// `shapes` have the inputs and outputs of each part.
template <class Shape>
std::vector<Link> links_of(const Scenario& scenario, const std::vector<const Shape*>& shapes) {
    std::map<std::string, int> outputs, inputs;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
        const std::string prefix = scenario.parts[s].name + ".";
        for (const Port& port : shapes[s]->outputs)
            outputs.emplace(prefix + port.name, static_cast<int>(outputs.size()));
        for (const Port& port : shapes[s]->inputs)
            inputs.emplace(prefix + port.name, static_cast<int>(inputs.size()));
    }
    std::vector<Link> links;
    for (const auto& [output, input] : scenario.connections)
        links.push_back({.output = outputs.at(output), .input = inputs.at(input)});
    return links;
}

/// `kind`: native, or an FMU for Model Exchange.
inline std::unique_ptr<ode::OdeModel> model_of(const ScenarioPart& part, const std::string& kind) {
    if (kind == "native")
        return std::make_unique<kit::NativeOde>(library_of(part.model).model_class(), part.name);
    fmi::InstanceOptions instance;
    instance.name = part.name;
    return std::make_unique<subsystem::FmuOde>(fmi::Fmu::open(file_of(part.model, kind)), instance);
}

/// All parts as one differential equation under one solver, initialised at time 0.
inline std::unique_ptr<ode::HostedOde> aggregated(const Scenario& scenario) {
    std::vector<std::unique_ptr<ode::OdeModel>> members;
    std::vector<const ode::OdeShape*> shapes;
    for (const ScenarioPart& part : scenario.parts) {
        members.push_back(model_of(part, "native"));
        set_up(*members.back(), scenario, part);
        shapes.push_back(&members.back()->shape());
    }
    ode::GroupWiring wiring{links_of(scenario, shapes), {}};
    ode::HostedOdeOptions options;
    options.solver = scenario.solver;
    auto whole = std::make_unique<ode::HostedOde>(
        std::make_unique<ode::OdeGroup>("whole", std::move(members), std::move(wiring)), options);
    whole->enter_initialisation({});
    whole->exit_initialisation();
    return whole;
}

}  // namespace tandem::test
