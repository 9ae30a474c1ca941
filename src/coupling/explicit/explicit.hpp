#pragma once

#include <array>
#include <vector>

#include "numerics/polynomial.hpp"
#include "tandem/extend/coupling.hpp"

namespace tandem::coupling {

enum class Sweep { jacobi, gauss_seidel };

/// What becomes of algebraic loops, whose values the coupling itself passes on a step late.
enum class LoopTreatment {
    automatic,  ///< solve where the coupling was not asked for by name
    delay,
    solve,  ///< at each communication point, by the run, where inputs act on outputs between steps
};

struct ExplicitOptions {
    Sweep sweep = Sweep::jacobi;
    int order = 0;  ///< of the input extrapolation: 0, 1 or 2
    bool output_derivatives =
        false;  ///< order 1: by the outputs' derivatives, not by their last values
    LoopTreatment loops = LoopTreatment::automatic;
    bool smooth = false;  ///< inputs go on from where they were; jumps become ramps over one step
    /// gauss_seidel: the subsystems in the order in which they step. Empty: sources before sinks.
    std::vector<int> sequence = {};
    /// Steps each subsystem takes in one macro step; must divide the largest. Empty: one each.
    std::vector<int> ratios = {};
};

/// Every subsystem steps once (or `ratio` times) with inputs extrapolated from the past.
///
/// The outputs of a subsystem are continued by the polynomial through their last communication
/// points. Jacobi: all see the outputs of the last common point. Gauss-Seidel: one after the other,
/// each sees the newest outputs: held with order 0; with order 1 and 2 the polynomial then ends at
/// them instead of running beyond. Extrapolation of order n gives global order n + 1, if slopes
/// that are told and those of the first step are right.
class Explicit final : public Coupling {
public:
    explicit Explicit(ExplicitOptions options) : options_(std::move(options)) {}

    CouplingNeeds needs(const System& system) const override;
    CouplingTraits traits() const override;
    void prepare(System& system, double longest_step) override;
    StepResult advance(System& system, Interval interval) override;
    void reset_history(Interruption interruption) override;

private:
    /// A polynomial about `begin`, for all inputs or all outputs of one subsystem.
    struct Course {
        double begin = 0.0;
        std::vector<double> values, derivatives;

        void resize(std::size_t size, int order);
        double at(double t, std::size_t i) const;
    };
    struct PerSubsystem {
        int ratio = 1;
        int length = 1;             ///< of a step, in ticks
        int accepted_order = 0;     ///< of polynomials, as inputs
        Interval interval;          ///< the step it is in
        numerics::History history;  ///< of its outputs
        Course outputs;             ///< the polynomial through the history
        Course inputs;              ///< what it is given
        Course last_inputs;         ///< in the step before, kept for `smooth`
        bool has_last_inputs = false;
        /// last_inputs when the macro step under way and the one before it began, to repeat either.
        struct AtBegin {
            Course last_inputs;
            bool has_last_inputs = false;
        };
        std::array<AtBegin, 2> at_begin;
    };
    /// Subsystems whose steps end in the same tick, as tasks.
    struct StepGroup {
        std::vector<int> subsystems;
        int graph = 0;
        std::vector<StepResult> results;
    };

    PerSubsystem& of(int s) { return per_subsystem_[static_cast<std::size_t>(s)]; }
    void prepare_ticks(System& system);
    int find_order(const System& system) const;
    void begin_macro_step(System& system, double begin);
    StepResult step_group(System& system, StepGroup& group);
    void keep_inputs(double begin);
    void start_history(System& system, int s, double begin);
    StepResult step_subsystem(System& system, int s);
    void extrapolate_inputs(System& system, int s);
    void continue_link(System& system, const Link& link, int s);
    void continue_function(System& system, const FunctionLink& function, int s);
    double evaluate(System& system, const FunctionLink& function, double t);
    void continue_smoothly(PerSubsystem& p);
    InputCourse offer(PerSubsystem& p);
    void refresh_outputs(System& system, int s);

    ExplicitOptions options_;
    int order_ = 0;  // of the inputs: that of the extrapolation, or 1 if a ramp needs it
    int reached_order_ = 1;
    int ticks_ = 1;                         // the largest ratio
    std::array<double, 2> macro_begins_{};  // of the macro step under way and the one before it
    std::vector<int> sequence_;
    std::vector<PerSubsystem> per_subsystem_;
    std::vector<StepGroup> step_groups_;
    std::vector<int> group_of_tick_;
};

/// Sources before sinks: the topological order of the strongly connected components, and the given
/// order inside them.
std::vector<int> sequence_from_graph(const System& system);

}  // namespace tandem::coupling
