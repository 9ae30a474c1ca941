#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/extend/options.hpp"
#include "tandem/extend/registry.hpp"
#include "tandem/extend/statistic.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::coupling {

/// Subsystems that a coupling solves together, and what that took.
struct IterationStatistics {
    std::vector<int> members;
    std::vector<Statistic> statistics;
};

/// What is done for a subsystem in another way than the method's, because it cannot do what that
/// takes: one clause, without its name.
struct Fallback {
    int subsystem = 0;
    std::string text;
};

/// What a coupling asks for, and how it treats what is between subsystems.
struct CouplingNeeds {
    /// What each subsystem must be able to do, by its number; empty: nothing of any. The run
    /// refuses to start otherwise.
    std::vector<Capabilities> capabilities = {};
    /// False: links and functions between different subsystems are not followed. Each steps at its
    /// own pace, and nothing but StepSchedule::delayed_flows() may be between them.
    bool follows_links = true;
    /// True: algebraic loops between subsystems are solved in each step. False: their values are
    /// passed on with the delay of a step.
    bool solves_loops = false;
};

/// What a coupling promises after prepare(). It may come to be less than that.
struct CouplingTraits {
    /// The error over a fixed time goes down with this power of the step.
    int order = 1;
    /// How many times larger the error of a step is than that of its two halves; 0: 2^order.
    double half_step_error_ratio = 0.0;
    /// True if a step may not converge although every subsystem does its part.
    bool iterates = false;
};

/// What a coupling says of the steps so far.
struct CouplingReport {
    /// Why the last step did not converge, in words.
    std::string failure_reason = {};
    /// What makes results doubtful: a sentence each.
    std::vector<std::string> warnings = {};
    std::vector<IterationStatistics> iteration_statistics = {};
    /// Known after prepare().
    std::vector<Fallback> fallbacks = {};
};

enum class Interruption {
    jump,  ///< something jumped at the current time: the past is no guide to the future any more
    /// The last step has ended right before a state event. Inputs go on from what outputs are now:
    /// where corrections of earlier errors jump back, the event happens again.
    event_ahead,
};

/// A coupling algorithm: it moves a whole System over one macro step.
class Coupling {
public:
    virtual ~Coupling() = default;

    virtual CouplingNeeds needs(const System& /*system*/) const { return {}; }
    virtual CouplingTraits traits() const { return {}; }
    /// Sizes all work arrays; outputs() hold the initial values. advance() must not allocate.
    /// Macro steps will be `longest_step` at most, as far as that is known; 0: it is not.
    virtual void prepare(System& system, double longest_step) = 0;
    /// On entry outputs() and inputs() hold the values at interval.begin; on success outputs()
    /// hold those at interval.end. Otherwise the subsystems may have reached different times: the
    /// run restores all that and retries.
    /// A repeated interval, or a shorter one with the same start, replaces the rejected one.
    virtual StepResult advance(System& system, Interval interval) = 0;
    virtual void reset_history(Interruption /*interruption*/) {}
    virtual CouplingReport report(const System& /*system*/) const { return {}; }
};

/// With the default of half_step_error_ratio.
inline double half_step_error_ratio(const CouplingTraits& traits) {
    return traits.half_step_error_ratio > 0.0 ? traits.half_step_error_ratio
                                              : std::exp2(traits.order);
}

/// dS/dy and dS/du of one subsystem as the user gives them; what is not given is zero.
struct GivenJacobian {
    struct Entry {
        std::string output;  ///< its rate
        std::string by;      ///< an output or an input
        double value = 0.0;
        std::string place;
    };
    std::string subsystem;
    std::vector<Entry> entries;
};

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
    bool takes_ratios = false;  ///< subsystems may take several steps in a macro step: step_ratio
    /// Null, with an error in the findings, if the options do not fit.
    std::function<std::unique_ptr<Coupling>(const Choice&, Diagnostics&)> make = {};
};

/// All couplings.
Registry<CouplingRow>& couplings();

/// A row whose coupling `make` makes of the options, which start as `defaults` and which
/// describe(options) describes.
template <class Options, class Make>
CouplingRow coupling_row(std::string name, std::string summary, Options defaults, Make make) {
    CouplingRow row{std::move(name), std::move(summary)};
    row.options = infos_of(describe(defaults));
    row.make = [defaults = std::move(defaults), make](
                   const Choice& choice, Diagnostics& findings) -> std::unique_ptr<Coupling> {
        Options options = defaults;
        assign_options(describe(options), choice.options, "coupling '" + choice.method + "'",
                       findings);
        return make(std::move(options), choice, findings);
    };
    return row;
}

}  // namespace tandem::coupling
