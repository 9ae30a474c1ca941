#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/function_slope.hpp"
#include "tandem/extend/index.hpp"
#include "tandem/extend/linear_model.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::numerics {
class LoopMatrix;
}

namespace tandem {

/// The linear models of all subsystems, joined by what connects them, about the present. With the
/// deviations v of all states, e of all outputs, w of all inputs, and s, the time since:
///   e  = C v + D w + output_slopes s
///   w  = K e + k s
///   dv = rates + A v + B w + rate_slopes s
/// A, B, C, D have one block for each subsystem; K, k come from links and coupling functions.
/// States, outputs and inputs are numbered subsystem after subsystem. prepare() aside, nothing
/// allocates.
class NetworkModel {
public:
    /// `models` have their sizes, one for each subsystem.
    void prepare(const System& system, std::vector<LinearModel> models);
    /// After models or signals have changed: their joints at the start of the interval, with the
    /// outputs that the system has now. Throws NumericsError for an algebraic loop that is
    /// singular.
    void join(System& system, Interval interval);
    /// After join() and with the rates of the point: slopes of coupling functions that do not last
    /// over the interval become those of chords, see limited_slope(). Newton's method wants them as
    /// they are, predictions limited. Throws likewise.
    void limit_slopes(System& system, Interval interval);

    LinearModel& of(int s) { return models_[index(s)]; }
    const LinearModel& of(int s) const { return models_[index(s)]; }
    int subsystems() const { return static_cast<int>(models_.size()); }
    int states() const { return state_begin_.back(); }
    int outputs() const { return output_begin_.back(); }
    int inputs() const { return input_begin_.back(); }
    int state_begin(int s) const { return state_begin_[index(s)]; }
    int output_begin(int s) const { return output_begin_[index(s)]; }
    int input_begin(int s) const { return input_begin_[index(s)]; }

    int subsystem_of_output(int output) const { return subsystem_of_output_[index(output)]; }

    /// What feeds an input: gain * output each.
    struct Source {
        int output = 0;
        double gain = 1.0;
    };
    std::span<const Source> sources(int input) const {
        return std::span(sources_).subspan(
            source_begin_[index(input)],
            source_begin_[index(input) + 1] - source_begin_[index(input)]);
    }
    /// k: how fast time alone moves that input.
    double input_slope(int input) const { return input_slopes_[index(input)]; }

    /// e and w of a point (v, s), and room to compute them; each thread has its own.
    struct Signals {
        std::vector<double> e, w, loop;
        /// What is added to w = K e + k s, for each input; empty: nothing.
        std::vector<double> extra = {};
    };
    Signals make_signals() const;
    /// e and w, which are linear in (v, s, extra) together.
    void signals(std::span<const double> v, double s, Signals& result) const;
    /// dv without the rates, which is linear in (v, s, extra) together, and e and w on the way.
    void apply(std::span<const double> v, double s, Signals& on_the_way,
               std::span<double> dv) const;
    /// Those of all inputs that belong to subsystem s.
    std::span<const double> of_inputs(int s, std::span<const double> w) const;
    /// The rates of all states.
    void rates(std::span<double> dv) const;

    /// Outputs that direct feed-through ties to others, in the order in which they can be computed:
    /// one, or the members of an algebraic loop.
    struct FeedBlock {
        std::vector<int> outputs;  ///< ascending
        bool is_loop = false;
        std::size_t first_row = 0;
    };
    std::span<const FeedBlock> feed_blocks() const { return blocks_; }
    /// changes = (I - D K)^-1 residuals of a loop: one value for each of its outputs.
    void solve_loop(std::size_t block, std::span<const double> residuals,
                    std::span<double> changes) const;
    const numerics::LoopMatrix& loop_matrix(std::size_t block) const;

    NetworkModel();
    ~NetworkModel();
    NetworkModel(NetworkModel&&) noexcept;
    NetworkModel& operator=(NetworkModel&&) noexcept;

private:
    struct Loops;
    using Offsets = std::vector<std::size_t>;
    void prepare_sources(const System& system);
    void prepare_feed_through(const System& system);
    void join_functions(System& system, Interval interval);
    void join_signals(const System& system);
    void join_feed_through();
    void join_loop(const System& system, std::size_t block);
    static FunctionNear function_near(System& system, const FunctionLink& function, double t);
    bool limit_function(System& system, const FunctionLink& function, Interval interval);
    double fed(std::size_t row, std::span<const double> e) const;
    void close_loop(std::size_t block, double s, Signals& signals) const;

    std::vector<LinearModel> models_;
    std::vector<int> state_begin_, output_begin_, input_begin_;
    std::vector<int> subsystem_of_output_;

    Offsets source_begin_;
    std::vector<Source> sources_;
    std::vector<double> input_slopes_;
    std::vector<Source> slopes_at_point_;
    std::vector<double> input_slopes_at_point_;
    std::vector<double> changes_;  // of states over a step
    Signals expected_;

    /// Output `output` = ... + sum of sources; the rows follow the blocks.
    struct FeedRow {
        int output = 0;
        std::vector<int> inputs;  ///< of the system, those that act directly
        std::size_t begin = 0, end = 0;
        double slope = 0.0;
    };
    std::vector<FeedBlock> blocks_;
    std::vector<FeedRow> rows_;
    std::vector<Source> feeds_;
    std::unique_ptr<Loops> loops_;
    std::size_t largest_loop_ = 0;
};

}  // namespace tandem
