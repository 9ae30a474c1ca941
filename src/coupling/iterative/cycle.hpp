#pragma once

#include <limits>
#include <string>
#include <vector>

#include "coupling/explicit/explicit.hpp"
#include "coupling/iterative/end_inputs.hpp"
#include "coupling/iterative/hidden_jumps.hpp"
#include "coupling/iterative/solution_branch.hpp"
#include "numerics/fixed_point.hpp"
#include "tandem/extend/coupling.hpp"

namespace tandem::coupling {

/// Where the derivatives of a step's outputs by its inputs come from.
enum class JacobianSource {
    differences,  ///< of repeated steps
    directional,  ///< dy/du at the end of the step: no step is repeated, but what an input does
                  ///< through the states is left out
};

/// What is done if the iteration of a step does not converge.
enum class OnFailure {
    halve,  ///< the step is repeated with half the length
    go_on,  ///< the values that it came to are taken, and counted
    stop,   ///< the run ends
};

struct CycleOptions {
    numerics::FixedPointOptions solver;
    OnFailure on_failure = OnFailure::halve;
    Sweep sweep = Sweep::jacobi;
    JacobianSource jacobian = JacobianSource::differences;  ///< directional: with jacobi only
    /// A longer step in which the solution does not go on as foreseen is to be repeated shorter;
    /// infinite: it never is.
    double shortest_step = std::numeric_limits<double>::infinity();
};

/// Subsystems that feed each other, moved over a step together: they repeat it from a saved state
/// until the inputs in which they do agree with the outputs.
class Cycle final : private numerics::FixedPointProblem {
public:
    Cycle(System& system, EndInputs& inputs, std::vector<int> members, const CycleOptions& options);

    StepResult advance(Interval interval);
    void reset_history() {
        solver_.reset_history();
        branch_.reset();
        jumps_.reset();
    }
    /// The member whose step did not complete, if it was that.
    int stopped_by() const { return stopped_by_; }
    /// The last step converged, but perhaps to another solution than that at its start.
    bool loses_branch() const { return loses_branch_; }
    /// Why the last step did not converge, by the inputs that differ most from what feeds them.
    std::string failure_reason() const;
    IterationStatistics statistics() const;
    /// Where the solution did not go on, and jumps inside steps, these with a hint: a sentence
    /// each.
    std::vector<std::string> warnings() const;

private:
    std::size_t size() const override { return unknowns_.size(); }
    bool evaluate(std::span<const double> guess, std::span<double> g) override;
    bool jacobian(std::span<const double> guess, std::span<const double> g,
                  std::span<const double> sizes, std::span<double> matrix) override;

    std::vector<double> nominals() const;
    std::string name_of(std::size_t unknown) const;
    bool is_suspicious();
    void examine();
    bool follow_branch();
    bool may_go_on();
    bool go_on_unconverged();
    SolutionBranch::Loss loss() const;
    std::string sentence(const SolutionBranch::Loss& loss) const;
    bool is_fed_before(int input) const;
    void correct();
    void begin(Interval interval);
    void set(std::span<const double> guess);
    void collect(std::span<double> g);
    bool repeat(std::size_t member);
    template <class Body>
    bool for_each_member(int tasks, Body body);
    bool step_columns(std::size_t member, std::span<const double> guess);
    void differentiate(int s);
    void keep_outputs();
    void put_outputs_back();
    void fill_column(std::size_t j, std::span<const double> g, std::span<double> matrix);
    bool sweep_columns(std::span<const double> guess, std::span<const double> g,
                       std::span<double> matrix);

    System& system_;
    EndInputs& inputs_;
    std::vector<int> members_;
    CycleOptions options_;
    std::vector<int> unknowns_;      // inputs that members feed, ascending
    std::vector<int> fed_in_sweep_;  // of them, by members that step before
    std::vector<Link> links_;        // that feed them alone; input: the place in unknowns_
    numerics::FixedPointSolver solver_;
    Interval interval_;
    StepResult stopped_;  // of a member that did not complete its step
    int stopped_by_ = 0;
    std::vector<StepResult> results_;      // of each member
    int sweep_tasks_ = 0, own_tasks_ = 0;  // graphs: members in a sweep, and each for itself
    SolutionBranch branch_;
    HiddenJumps jumps_;
    bool loses_branch_ = false;  // the last step did, and is to be repeated
    std::vector<double> z_, z_begin_, increments_, value_, moved_, seed_, outputs_;
    std::vector<std::vector<double>> columns_;  // of each unknown: outputs of its subsystem
    numerics::FixedPointResult last_;
    long steps_ = 0, evaluations_ = 0, jacobians_ = 0, failures_ = 0;
    long unconverged_ = 0;            // steps whose values were taken nevertheless
    double first_unconverged_ = 0.0;  // the start of the first of them
    int most_evaluations_ = 0;
};

/// Members of cycles that cannot go back. They step once, after those that can.
class SteppedOnce {
public:
    explicit SteppedOnce(const System& system);
    bool contains(int s) const { return is_once_[static_cast<std::size_t>(s)] != 0; }
    bool empty() const;
    /// Whether subsystem `fed` sees the outputs of subsystem s a step late.
    bool delays(int s, int fed) const;

private:
    std::vector<int> cycle_;     // of each subsystem
    std::vector<char> is_once_;  // likewise
};

/// Subsystems in the order in which they can step, each set of those that feed each other in one
/// part. Values that are not iterated decide the order where those that are leave it open. In a
/// cycle those that are stepped once come behind the others, in the order of their numbers.
std::vector<std::vector<int>> parts_in_order(const System& system);

}  // namespace tandem::coupling
