#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "coupling/coupling.hpp"
#include "coupling/explicit.hpp"
#include "coupling/fixed_point.hpp"

namespace tandem::coupling {

/// What inputs do over a step whose end values are known.
enum class InputForm {
    automatic,  ///< linear where a subsystem takes derivatives, constant elsewhere
    constant,   ///< the value at the end
    linear,     ///< from begin to end
};

struct IterativeOptions {
    FixedPointOptions solver;
    Sweep sweep = Sweep::jacobi;  ///< inside a cycle
    InputForm inputs = InputForm::automatic;
};

/// Forward where nothing goes round, iterated where it does: subsystems step in the order of the
/// graph with inputs that are right at the end of the step; a cycle repeats its step from a saved
/// state until the values inside it agree.
class Iterative final : public Coupling {
public:
    explicit Iterative(IterativeOptions options);
    ~Iterative() override;

    void prepare(System& system) override;
    StepResult advance(System& system, Interval interval) override;
    void forget() override;
    std::string trouble() const override { return trouble_; }

    struct Statistics {
        long steps = 0;
        long evaluations = 0;  ///< of the values of cycles
        long jacobians = 0;
        int most_evaluations = 0;  ///< in one step
    };
    const Statistics& statistics() const { return statistics_; }

private:
    /// Subsystems that feed each other, and the inputs in which they do.
    class Cycle;
    /// One or the other, in the order of the graph.
    struct Part {
        int subsystem = -1;
        std::unique_ptr<Cycle> cycle;
    };

    StepResult step(System& system, int s, Interval interval);
    StepResult iterate(Cycle& cycle, Interval interval);
    InputCourse course_of(System& system, int s, Interval interval);

    IterativeOptions options_;
    std::vector<Part> parts_;
    std::vector<char> is_linear_;       // of each subsystem: how it gets its inputs
    std::vector<double> begin_inputs_;  // of all subsystems, where the step begins
    std::vector<double> slopes_;
    double begin_ = std::numeric_limits<double>::quiet_NaN();
    Statistics statistics_;
    std::string trouble_;
};

}  // namespace tandem::coupling
