#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/extend/system.hpp"

namespace tandem::run {

/// A value that was not the same the second time.
struct ReplayDifference {
    std::string what;  ///< was done: "a step that it repeats"
    std::string variable;
    double first = 0.0;
    double second = 0.0;
    double size = 0.0;  ///< relative to 1 + |first|, the largest of all values

    /// "subsystem 'pump' says that it can go back, but a step that it repeats gives x = 1 instead
    /// of 2"
    std::string sentence(const std::string& subsystem) const;
};

/// What came of letting a subsystem go back.
struct RollbackTrial {
    std::optional<ReplayDifference> difference;
    bool has_moved = false;          ///< otherwise it proves nothing
    std::vector<std::string> names;  ///< of what was compared
    std::vector<double> after_step;  ///< the first step, when it was done first
};

/// Which values tell whether a step was repeated.
enum class Compared {
    outputs,
    all,  ///< real variables that can be read, but for inputs and parameters
};

class RealValues {
public:
    RealValues(Subsystem& subsystem, Compared compared);
    void read(std::vector<double>& values);
    const std::vector<std::string>& names() const { return names_; }

private:
    Subsystem& subsystem_;
    VariableGroup group_;
    Values values_;
    std::vector<std::string> names_;
};

/// Between two readings of values with these names; nothing if they are the same.
std::optional<ReplayDifference> difference(const std::vector<std::string>& names,
                                           std::span<const double> first,
                                           std::span<const double> second);

struct RollbackSteps {
    Interval first;
    std::optional<Interval> second;
    Compared compared = Compared::all;
};

/// Lets subsystem s, which says that it can go back, do the step, and perhaps another one, with the
/// inputs that it has, repeat the first one twice, and repeat both. Afterwards it is where it was.
/// Throws FmuError if the FMU cannot do it.
RollbackTrial try_rollback(System& system, int s, const RollbackSteps& steps);

/// By how much the outputs of subsystem s, which can go back, differ after one step and after two
/// halves of it, in which its inputs move by their nominals, if they can: what its own solver errs,
/// by nominal and size.
/// Afterwards it is where it was. Nothing if it does not do the steps.
std::optional<double> own_error(System& system, int s, Interval interval);

}  // namespace tandem::run
