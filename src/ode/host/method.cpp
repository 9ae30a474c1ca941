#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "ode/host/hosted_ode.hpp"

namespace tandem::ode {
namespace {

struct MethodInfo {
    Method method;
    std::string_view name;
    int highest_order;  ///< 0: it has one order only
    bool has_fixed_steps;
};

constexpr std::array<MethodInfo, 5> methods = {{{Method::cvode_bdf, "cvode", 5, false},
                                                {Method::cvode_adams, "cvode_adams", 12, false},
                                                {Method::dopri5, "dopri5", 0, false},
                                                {Method::rk4, "rk4", 0, true},
                                                {Method::euler, "euler", 0, true}}};

const MethodInfo& info(Method method) {
    for (const MethodInfo& known : methods)
        if (known.method == method) return known;
    expects(false, "the method is one of the known ones");
    return methods.front();
}

}  // namespace

Method method_from(std::string_view name) {
    std::string known;
    for (const MethodInfo& method : methods) {
        if (method.name == name) return method.method;
        known += (known.empty() ? "" : ", ") + std::string(method.name);
    }
    throw InputError("solver", "'" + std::string(name) + "' is not known",
                     "choose one of " + known);
}

std::string_view to_string(Method method) { return info(method).name; }
bool has_fixed_steps(Method method) { return info(method).has_fixed_steps; }
int highest_order(Method method) { return info(method).highest_order; }

std::optional<RefusedOption> refused_option(const HostedOdeOptions& options) {
    const MethodInfo& method = info(options.solver.method);
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
