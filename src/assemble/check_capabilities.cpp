#include "assemble/check_capabilities.hpp"

#include <fmt/format.h>

namespace tandem::assemble {
namespace {

/// What is needed and missing, in words.
std::vector<std::string> missing(const Capabilities& needs, const Capabilities& can) {
    std::vector<std::string> list;
    const auto flag = [&](bool needed, bool offered, const char* words) {
        if (needed && !offered) list.emplace_back(words);
    };
    const auto order = [&](int needed, int offered, const char* what) {
        if (needed > offered)
            list.push_back(
                fmt::format("derivatives of {} up to order {} (it has {})", what, needed, offered));
    };
    flag(needs.rollback, can.rollback, "rollback, going back to the start of a step");
    flag(needs.serialise, can.serialise, "serialise, its state as bytes");
    flag(needs.jacobians, can.jacobians, "jacobians, derivatives of outputs by inputs");
    flag(needs.linear_model, can.linear_model,
         "linear_model, its states with the derivatives by states and inputs");
    flag(needs.traces, can.traces, "traces, its outputs inside a step");
    flag(needs.laws, can.laws, "laws, inputs that depend on its own states");
    flag(needs.variable_step, can.variable_step, "variable_step, steps of different length");
    order(needs.input_derivatives, can.input_derivatives, "inputs");
    order(needs.output_derivatives, can.output_derivatives, "outputs");
    return list;
}

}  // namespace

void check_capabilities(const std::vector<Ability>& abilities, const std::string& whose,
                        const std::string& hint, Diagnostics& findings) {
    for (const Ability& ability : abilities)
        for (const std::string& words : missing(ability.needed, ability.can))
            findings.push_back({Severity::error, ability.place,
                                fmt::format("subsystem '{}' cannot do what {} needs: {}",
                                            ability.subsystem, whose, words),
                                hint});
}

}  // namespace tandem::assemble
