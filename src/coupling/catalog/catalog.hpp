#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/registry.hpp"
#include "coupling/coupling.hpp"
#include "coupling/interface/interface_source.hpp"

namespace tandem::coupling {

/// What the file or the command line chose.
struct Choice {
    std::string method;
    std::vector<GivenOption> options;
    std::string place;                     ///< of the method's name
    std::vector<std::string> subsystems;   ///< the names, in the order of the System
    std::vector<int> ratios;               ///< steps of each subsystem in one macro step
    std::vector<std::string> places = {};  ///< of the subsystems, for messages; may be empty
    std::vector<GivenJacobian> jacobians = {};
};

struct CouplingRow {
    std::string name;
    std::string summary;  ///< one line
    std::vector<std::string> aliases = {};
    std::vector<OptionInfo> options = {};
    /// Null, with an error in the findings, if the options do not fit.
    std::function<std::unique_ptr<Coupling>(const Choice&, Diagnostics&)> make = {};
};

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

/// All couplings.
Registry<CouplingRow>& couplings();

/// The coupling of that name with those options. What is wrong becomes an error in `findings`, and
/// the result is null.
std::unique_ptr<Coupling> make_coupling(const Choice& choice, Diagnostics& findings);

}  // namespace tandem::coupling
