#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
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

/// An option as the documentation and the record of a run show it.
struct OptionInfo {
    std::string name;
    std::string value;  ///< the default, or the one chosen
    std::string help;
    std::vector<std::string> choices = {};  ///< the values it may have, if they are few
};

struct CatalogEntry {
    std::string name;
    std::string summary;  ///< one line
    std::vector<OptionInfo> options;
    std::function<std::unique_ptr<Coupling>(const Choice&, Diagnostics&)> make;
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

/// All couplings, in alphabetic order.
const std::vector<CatalogEntry>& catalog();

/// The coupling of that name with those options. What is wrong becomes an error in `findings`, and
/// the result is null.
std::unique_ptr<Coupling> make_coupling(const Choice& choice, Diagnostics& findings);

}  // namespace tandem::coupling
