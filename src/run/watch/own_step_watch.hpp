#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "assemble/assemble.hpp"
#include "tandem/error.hpp"

namespace tandem::run {

/// Finds Co-Simulation FMUs in cycles whose outputs stand still for some communication steps and
/// then move on, again and again after the same time: they have a step of their own that is that
/// long. What switches to and fro between two values has none, nor what feeds
/// delayed inputs through: it moves when they do.
/// Values between two of these steps are old, and a shorter communication step does not couple them
/// more closely. Halves of a step tell a step control nothing.
class OwnStepWatch {
public:
    struct Found {
        double length = 0.0;  ///< of the subsystem's own step
        Diagnostic warning;
    };

    /// After initialisation.
    OwnStepWatch(const assemble::Assembly& assembly, bool has_step_control);

    /// After the first half of a step that a step control repeats in halves.
    void after_half();
    /// That step is to be repeated.
    void forget_half() { has_halves_ = false; }
    /// After each step of that length, which ended at t. What is said of a subsystem that was
    /// found. Does not allocate if there is none.
    std::optional<Found> after_step(double t, double length);

private:
    struct Watched {
        int subsystem = 0;
        std::vector<int> outputs = {};                           // that are continuous
        std::vector<double> middle = {}, end = {};               // of the step under way
        std::vector<double> values = {}, before = {};            // now, and before the last move
        double last = std::numeric_limits<double>::quiet_NaN();  // time that it moved at
        bool stood = false;                                      // in the last step
        std::vector<double> inputs = {};                         // of the last step
        bool were_inputs_old = true;                             // in all steps since the last move
        bool feeds_through = false;
        long moves = 0;
        int intervals = 0;  // between moves, in a row, of about one length
        double shortest = 0.0, longest = 0.0, sum = 0.0;
    };
    bool has_regular_steps(Watched& watched, const std::vector<double>& now, Interval step) const;
    bool take_inputs(Watched& watched) const;
    void read(const Watched& watched, std::vector<double>& values) const;
    Found found(const Watched& watched) const;

    System& system_;
    bool has_step_control_;
    bool is_delayed_;  // inputs are those of the start of a step
    std::vector<Watched> watched_;
    bool has_halves_ = false;  // the step under way
};

}  // namespace tandem::run
