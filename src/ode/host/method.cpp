#include <fmt/format.h>

#include "ode/host/hosted_ode.hpp"
#include "tandem/extend/solver.hpp"

namespace tandem::ode {

std::optional<RefusedOption> refused_option(const HostedOdeOptions& options) {
    const SolverRow& method = row_of(options.solver.method);
    const std::string variable_steps = "use cvode, cvode_adams or dopri5";
    if (options.solver.absolute_tolerance > 0.0 && method.has_fixed_steps)
        return {{"absolute_tolerance",
                 fmt::format("the solver {} takes equal steps without error control", method.name),
                 "leave out 'absolute_tolerance', or " + variable_steps}};
    if (options.first_step > 0.0 && method.has_fixed_steps)
        return {{"first_step", fmt::format("the solver {} takes equal steps", method.name),
                 "give 'step', or " + variable_steps}};
    if (options.solver.max_step > 0.0 && options.first_step > options.solver.max_step)
        return {{"first_step",
                 fmt::format("first_step = {} is longer than max_step = {}", options.first_step,
                             options.solver.max_step),
                 "give a shorter one, or leave it out"}};
    if (options.solver.max_order > 0 && method.highest_order == 0)
        return {{"max_order", fmt::format("the solver {} has one order only", method.name),
                 "leave out 'max_order', or use cvode or cvode_adams"}};
    if (options.solver.max_order > method.highest_order)
        return {{"max_order",
                 fmt::format("max_order = {} is above the highest order {} of the solver {}",
                             options.solver.max_order, method.highest_order, method.name),
                 fmt::format("give 1 to {}", method.highest_order)}};
    return std::nullopt;
}

}  // namespace tandem::ode
