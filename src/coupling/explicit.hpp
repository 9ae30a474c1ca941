#pragma once

#include <vector>

#include "coupling/coupling.hpp"
#include "extrapolate/polynomial.hpp"

namespace tandem::coupling {

enum class Sweep { jacobi, gauss_seidel };

struct ExplicitOptions {
    Sweep sweep = Sweep::jacobi;
    int order = 0;        ///< of the input extrapolation: 0, 1 or 2
    bool smooth = false;  ///< inputs go on from where they were; jumps become ramps over one step
    /// gauss_seidel: the subsystems in the order in which they step. Empty: sources before sinks.
    std::vector<int> sequence = {};
    /// Steps each subsystem takes in one macro step; must divide the largest. Empty: one each.
    std::vector<int> ratios = {};
};

/// Every subsystem steps once (or `ratio` times) with inputs extrapolated from the past.
///
/// Jacobi: all see the outputs of the last communication point. Gauss-Seidel: one after the other,
/// each sees the newest outputs: held with order 0, as the end of its polynomial with order 1, 2.
/// Extrapolation of order n gives global order n + 1 on smooth systems.
class Explicit final : public Coupling {
public:
    explicit Explicit(ExplicitOptions options) : options_(std::move(options)) {}

    void prepare(System& system) override;
    StepResult advance(System& system, Interval interval) override;
    void forget() override;

private:
    /// A polynomial of order order_ about `begin`, for all inputs of one subsystem.
    struct Course {
        double begin = 0.0;
        std::vector<double> values, derivatives;

        double at(double t, std::size_t i) const;
    };
    /// What the inputs of one subsystem have done and are doing.
    struct Feed {
        int ratio = 1;
        int accepted_order = 0;          ///< of polynomials, by the subsystem
        std::vector<const Link*> links;  ///< into each input; null: a function, or nothing
        Interval interval;               ///< the step it is in
        extrapolate::History history;
        Course course;
        Course last;  ///< of the step before, kept for `smooth`
        bool has_last = false;
    };

    void size_feed(System& system, int s);
    void begin_step(System& system, int s, Interval interval);
    StepResult end_step(System& system, int s);
    void find_first_slope(System& system, Feed& feed);
    void shape_course(Feed& feed);
    void read_fresh_inputs(System& system, int s);
    void continue_smoothly(Feed& feed);
    InputCourse offer(Feed& feed);

    ExplicitOptions options_;
    int order_ = 0;  // of the courses: that of the extrapolation, or 1 if a ramp needs it
    int ticks_ = 1;  // the largest ratio
    std::vector<int> sequence_;
    std::vector<Feed> feeds_;
    std::vector<double> reached_;  // by each subsystem
    std::vector<double> work_;
};

/// Sources before sinks: the topological order of the strongly connected components, and the given
/// order inside them.
std::vector<int> sequence_from_graph(const System& system);

}  // namespace tandem::coupling
