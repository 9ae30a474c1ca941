#include "assemble/solver_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assemble/choose.hpp"

namespace tandem::assemble {

ode::HostedOdeOptions equation_options(const coupling::Choice& choice, const LoadOptions& load) {
    const coupling::AggregateChoice chosen = coupling::aggregate_choice(choice);
    ode::HostedOdeOptions host;
    host.solver.method = ode::method_from(chosen.solver);
    host.solver.relative_tolerance =
        chosen.tolerance > 0.0 ? chosen.tolerance : load.tolerance.value_or(default_tolerance);
    host.solver.absolute_tolerance = chosen.absolute_tolerance;
    host.solver.max_step = chosen.max_step;
    host.solver.fixed_step = chosen.step;
    host.solver.max_order = chosen.max_order;
    host.first_step = chosen.first_step;
    host.max_steps = chosen.max_steps;
    return host;
}

void check_equation_options(const coupling::Choice& choice, const LoadOptions& load,
                            Diagnostics& findings) {
    const auto refuse = [&](const std::string& option, const std::string& problem,
                            const std::string& hint) {
        const auto given = std::ranges::find(choice.options, option, &GivenOption::name);
        findings.push_back({Severity::error,
                            given != choice.options.end() ? given->place : choice.place,
                            fmt::format("coupling 'aggregate': {}", problem), hint});
    };
    try {
        if (const auto refused = ode::refused_option(equation_options(choice, load)))
            refuse(refused->option, refused->problem, refused->hint);
    } catch (const InputError& error) {
        refuse("solver", fmt::format("solver {}", error.problem()), error.hint());
    }
}

void warn_of_own_solvers(const description::FlatSystem& flat,
                         const std::vector<LoadedSubsystem>& parts, Diagnostics& findings) {
    for (std::size_t s = 0; s < parts.size(); ++s) {
        if (parts[s].hosted == nullptr) continue;
        for (const description::Setting* setting : own_solver(flat.subsystems[s]))
            if (setting->key != "step_ratio")
                findings.push_back(
                    {Severity::warning, setting->place,
                     fmt::format("'{}' of '{}' has no effect: the coupling 'aggregate' solves all "
                                 "models together",
                                 setting->key, flat.subsystems[s].name),
                     "give it under [coupling], or choose another coupling"});
    }
}

void warn_of_unused_keys(const description::FlatSubsystem& description, const LoadedSubsystem& part,
                         Diagnostics& findings) {
    const auto warn = [&](const char* key, const std::string& why, const char* hint) {
        if (const description::Setting* setting = description.option(key))
            findings.push_back(
                {Severity::warning, setting->place,
                 fmt::format("'{}' of '{}' has no effect: {}", key, description.name, why), hint});
    };
    if (part.hosted == nullptr) {
        for (const char* key : {"tolerance", "step", "max_step"})
            warn(key, "no solver of Tandem integrates it", "leave it out");
    } else if (!ode::has_fixed_steps(ode::method_from(part.solver))) {
        warn("step", fmt::format("the solver {} chooses its steps", part.solver),
             "give max_step, or use rk4 or euler");
    }
}

void warn_of_tolerances(const description::FlatSystem& flat,
                        const std::vector<LoadedSubsystem>& parts, const ode::SolverOptions& solver,
                        Diagnostics& findings) {
    if (!ode::has_fixed_steps(solver.method)) return;
    for (std::size_t s = 0; s < parts.size(); ++s)
        if (const auto* setting = flat.subsystems[s].option("absolute_tolerance");
            setting != nullptr && parts[s].hosted != nullptr)
            findings.push_back(
                {Severity::warning, setting->place,
                 fmt::format("'absolute_tolerance' of '{}' has no effect: the solver {} of the "
                             "coupling 'aggregate' takes equal steps",
                             flat.subsystems[s].name, to_string(solver.method)),
                 "use the solver cvode, cvode_adams or dopri5 under [coupling]"});
}

}  // namespace tandem::assemble
