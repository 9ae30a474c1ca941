#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coupling/iterative/cycle.hpp"
#include "coupling/iterative/end_inputs.hpp"
#include "tandem/extend/coupling.hpp"

namespace tandem::coupling {

struct IterativeOptions {
    CycleOptions cycles;
    InputForm inputs = InputForm::automatic;
};

/// Forward outside of cycles, iterated inside: subsystems step in the order of the
/// graph with inputs that are right at the end of the step; cycles are solved. Members of a cycle
/// that cannot go back step once, after those that can, which see their outputs a step late.
class Iterative final : public Coupling {
public:
    explicit Iterative(IterativeOptions options) : options_(std::move(options)) {}

    /// Only members of cycles repeat steps, and those that cannot are stepped once; what has linear
    /// inputs takes their derivatives.
    CouplingNeeds needs(const System& system) const override;
    CouplingTraits traits() const override;
    void prepare(System& system, double longest_step) override;
    StepResult advance(System& system, Interval interval) override;
    void reset_history(Interruption interruption) override;
    CouplingReport report(const System& system) const override;

private:
    /// One or the other, in the order of the graph.
    struct Part {
        int subsystem = -1;
        std::unique_ptr<Cycle> cycle;
    };

    StepResult advance(System& system, Part& part, Interval interval);
    [[noreturn]] void stop(Interval interval, bool loses_branch) const;
    void find_delayed_inputs(const System& system, const SteppedOnce& once);

    IterativeOptions options_;
    EndInputs inputs_;
    std::vector<int> delayed_inputs_;  // that see outputs of the start of the step
    std::vector<Part> parts_;
    std::vector<StepResult> results_;  // of the parts, in one step
    int tasks_ = 0;                    // their graph
    std::string failure_reason_;
};

}  // namespace tandem::coupling
