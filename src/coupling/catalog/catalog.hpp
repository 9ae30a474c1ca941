#pragma once

#include <memory>
#include <string>

#include "tandem/extend/coupling.hpp"

namespace tandem::coupling {

/// What the coupling "aggregate" does with differential equations; how the rest is coupled to them
/// is an ordinary coupling.
struct AggregateChoice {
    std::string clusters = "all";
    std::string solver = "cvode";
    double tolerance = 0.0;           ///< 0: that of the run
    double absolute_tolerance = 0.0;  ///< of states whose members say none; 0: by nominals
    double max_step = 0.0, step = 0.0, first_step = 0.0;
    int max_order = 0, max_steps = 0;  ///< 0: no limit
};
inline constexpr const char* aggregate_name = "aggregate";
inline constexpr const char* asynchronous_name = "asynchronous";
AggregateChoice aggregate_choice(const Choice& choice);

/// The coupling of that name with those options. What is wrong becomes an error in `findings`, and
/// the result is null.
std::unique_ptr<Coupling> make_coupling(const Choice& choice, Diagnostics& findings);

}  // namespace tandem::coupling
