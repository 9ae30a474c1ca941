#include "ode/solver/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/times.hpp"
#include "ode/solver/event_finder.hpp"
#include "ode/solver/integrator.hpp"
#include "ode/solver/kink_test.hpp"
#include "ode/solver/local_problem.hpp"
#include "ode/solver/step_refinement.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/solver.hpp"

namespace tandem::ode {
namespace {

std::unique_ptr<Integrator> make_integrator(const IntegratorSetup& setup) {
    if (setup.problem.size() == 0) return make_stateless(setup);
    auto integrator = row_of(setup.options.method).make(setup);
    expects(integrator != nullptr, "the row of a solver makes one");
    return integrator;
}

/// Shorter steps cannot be told from none by the methods: the time would not change reliably.
double shortest_step(double t, double stop) {
    return 256.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(stop));
}

/// That many steps in a row, each shorter than that part of the time, are creeping.
constexpr int max_creeping_steps = 100;
constexpr double creeping_step = 1e-12;
/// How far ahead an indicator shows its side, as part of the way to the stop.
constexpr double peek_fraction = 1e-8;
/// So many steps behind an event are compared with the derivatives, the first one at that part of
/// it, and repeated that much shorter where they contradict each other.
constexpr int careful_steps = 10;
constexpr double probe_fraction = 1.0 / 64.0, shortening = 1.0 / 16.0;
/// An indicator that comes to zero again within that part of time was left there by an event.
constexpr double sent_back_time = 1e-10;
/// A kink within that part of a step is near enough to where it began.
constexpr double least_part = 1e-3;
/// Parts of time are at most that part of the way to the stop, but so many spacings of times.
constexpr double short_part = 1e-3, roundings = 2.0;

/// An integrator with event finding: steps, then looks for roots on the interpolated solution.
/// Times inside are those of the local problem, unless they are called times of the run.
class EventfulSolver final : public Solver, private IndicatorTrace {
public:
    EventfulSolver(const SolverOptions& options, OdeProblem& problem)
        : options_(options),
          problem_(problem),
          finder_(problem.indicator_count()),
          kinks_(problem) {
        const auto n = static_cast<std::size_t>(problem.size());
        for (auto* work : {&x_, &end_x_, &trial_, &absolute_, &from_, &x_beside_, &step_x_})
            work->resize(n);
        const auto indicators = static_cast<std::size_t>(problem.indicator_count());
        for (auto* work : {&z_, &z_from_, &slopes_}) work->resize(indicators);
        sent_back_.resize(indicators);
        has_fixed_steps_ = row_of(options.method).has_fixed_steps;
        repeats_at_kinks_ = row_of(options.method).has_one_step && kinks_.any();
        integrator_ = make_integrator({options_, problem_, statistics_});
    }

    void restart(double t, std::span<const double> x, std::span<const double> nominals) override {
        for (std::size_t i = 0; i < absolute_.size(); ++i)
            absolute_[i] = absolute_tolerance(i, nominals[i]);
        integrator_->set_tolerances(options_.relative_tolerance, absolute_);
        ++statistics_.restarts;
        std::ranges::fill(sent_back_, 0);
        first_step_ = std::exchange(initial_step_, 0.0);
        set_origin(0.0);
        begin_at(t, x, first_step_);
        is_fresh_ = true;
    }

    SolverResult step(double stop_of_run, std::span<double> x) override {
        longest_ = std::max(longest_, stop_of_run - time_of_run());
        if (is_fresh_ && stop_of_run > time_of_run()) choose_origin();
        problem_.set_stop(stop_of_run);
        SolverResult result = local_step(problem_.local(stop_of_run), x);
        // Less than the spacing of times is left to the stop.
        while (result.reason == SolverResult::Reason::step &&
               problem_.absolute(result.t) == stop_of_run)
            result = local_step(problem_.local(stop_of_run), x);
        const bool is_root = result.reason == SolverResult::Reason::root;
        return {result.reason, is_root ? time_of_root(result.t) : problem_.absolute(result.t)};
    }

    bool interpolate(double time, std::span<double> x) override {
        if (time == internal_time()) return local_interpolate(end_t_, x);
        const double t = problem_.local(time);
        if (problem_.origin() == 0.0) return local_interpolate(t, x);
        return local_interpolate(std::clamp(t, end_t_ - last_step(), end_t_), x);
    }

    void look_again() override { watching_ = false; }
    void suggest_initial_step(double h) override { initial_step_ = h; }
    double last_step() const override { return integrator_->last_step(); }
    double step_hint() const override { return integrator_->step_hint(); }
    double internal_time() const override { return problem_.absolute(end_t_); }
    const std::string& failure() const override { return failure_; }
    const SolverStatistics& statistics() const override { return statistics_; }
    std::span<const int> roots() const override { return finder_.changes(); }

private:
    double time_of_run() const { return problem_.absolute(t_); }

    /// Not rounded to before the event, where the indicator has not changed its sign yet.
    double time_of_root(double t) const {
        const double time = problem_.absolute(t);
        return problem_.local(time) < t ? time + problem_.spacing() : time;
    }

    /// Behind a restart: where the rounding of times matters to the way from stop to stop, time is
    /// counted from here.
    void choose_origin() {
        is_fresh_ = false;
        const double t = t_;
        if (!is_late(t, longest_)) return;
        set_origin(t);
        std::ranges::copy(x_, trial_.begin());
        begin_at(0.0, trial_, first_step_);
    }

    void set_origin(double origin) {
        problem_.set_origin(origin);
        finder_.set_origin(origin, problem_.spacing());
    }

    SolverResult local_step(double stop, std::span<double> x) {
        if (stop <= t_) return arrive(stop, stop, x);
        if (std::exchange(begins_at_kink_, false)) begin_again();
        if (!watching_ && !watch(stop)) return give_up("the event indicators cannot be evaluated");
        if (t_ < end_t_) return go_through(std::min(end_t_, stop), stop, x);
        if (stop - t_ <= shortest_step(t_, stop)) return creep(stop, stop, x);
        if (++steps_since_stop_ > options_.max_steps)
            return give_up("more than " + std::to_string(options_.max_steps) + " internal steps");
        return careful_steps_ > 0 ? careful_step(stop, x) : internal_step(stop, stop, x);
    }

    bool local_interpolate(double t, std::span<double> x) {
        if (t != end_t_) return integrator_->interpolate(t, x);
        std::ranges::copy(end_x_, x.begin());
        return true;
    }

    void begin_at(double t, std::span<const double> x, double initial_step) {
        integrator_->restart(t, x, initial_step);
        std::ranges::copy(x, x_.begin());
        std::ranges::copy(x, end_x_.begin());
        begins_at_kink_ = false;
        t_ = end_t_ = restart_t_ = t;
        steps_since_stop_ = creeping_steps_ = careful_steps_ = 0;
        watching_ = false;
    }

    /// Here, without what the integrator knows of the solution so far.
    void begin_again() {
        const int steps = steps_since_stop_;
        std::ranges::copy(x_, trial_.begin());
        begin_at(t_, trial_, 0.0);
        steps_since_stop_ = steps;
    }

    double absolute_tolerance(std::size_t state, double nominal) const {
        const std::vector<double>& own = options_.absolute_tolerances;
        if (state < own.size() && own[state] > 0.0) return own[state];
        return options_.absolute_tolerance > 0.0 ? options_.absolute_tolerance
                                                 : options_.relative_tolerance * nominal;
    }

    bool refines_steps() const { return has_fixed_steps_ && step_hint() > 0.0; }

    /// Methods of one step go over a kink that matters with stages on both sides of it, and their
    /// dense output suffers: the step is repeated up to the kink.
    SolverResult internal_step(double target, double stop, std::span<double> x) {
        const double begin = t_;
        if (repeats_at_kinks_) std::ranges::copy(x_, step_x_.begin());
        const SolverResult result = plain_step(target, stop, x);
        const bool is_worth_it = t_ - begin > least_part * (end_t_ - begin) && t_ < end_t_;
        if (!repeats_at_kinks_ || !begins_at_kink_ || !is_worth_it) return result;
        ++statistics_.rejected;
        const double kink = t_;
        const int steps = steps_since_stop_;
        begin_at(begin, step_x_, has_fixed_steps_ ? 0.0 : kink - begin);
        steps_since_stop_ = steps;
        if (!watch(stop)) return give_up("the event indicators cannot be evaluated");
        const SolverResult repeated = plain_step(kink, stop, x);
        begins_at_kink_ = begins_at_kink_ || t_ == kink;
        return repeated;
    }

    SolverResult plain_step(double target, double stop, std::span<double> x) {
        if (refines_steps())
            target = std::min(target, t_ + refinement_.longest(time_of_run(), step_hint()));
        if (!integrator_->advance(target, end_x_)) return give_up(integrator_->failure());
        ++statistics_.steps;
        end_t_ = integrator_->time();
        if (is_stuck(stop)) return give_up("its steps have become too short to get anywhere");
        return go_through(end_t_, stop, x);
    }

    /// Behind an event an indicator may come back long before the first steps end, which are of low
    /// order: their interpolated solution is then on the wrong side of zero. Such a step is
    /// repeated, shorter, and where time cannot be resolved any more along the derivatives.
    SolverResult careful_step(double stop, std::span<double> x) {
        --careful_steps_;
        const double begin = t_;
        std::ranges::copy(x_, from_.begin());
        if (any_sent_back() && begin != restart_t_ && !look_from_here(stop))
            return give_up("the event indicators cannot be evaluated");
        if (any_turned_back()) return give_up(std::string(events_accumulate));
        double target = stop;
        while (true) {
            const SolverResult result = internal_step(target, stop, x);
            if (result.reason == SolverResult::Reason::failed || !contradicts(begin, stop, result))
                return result;
            ++statistics_.rejected;
            target = begin + shortening * (end_t_ - begin);
            const int steps = steps_since_stop_;
            begin_at(begin, from_, 0.0);
            steps_since_stop_ = steps;
            delicate_time_ = time_of_run();
            if (!watch(stop)) return give_up("the event indicators cannot be evaluated");
            const double shortest = shortest_step(begin, stop);
            if (target - begin <= shortest) return creep(begin + shortest, stop, x);
        }
    }

    /// Whether an indicator begins on another side of zero than the derivatives say, or crosses
    /// zero in the direction opposite to theirs.
    bool contradicts(double begin, double stop, const SolverResult& result) {
        if (begin == restart_t_ && begins_elsewhere(begin)) return true;
        if (result.reason != SolverResult::Reason::root) return any_sent_back() && any_goes_away();
        if (!look_from_here(stop)) return false;
        for (std::size_t i = 0; i < slopes_.size(); ++i)
            if (finder_.changes()[i] * slopes_[i] < 0.0) return true;
        std::ranges::fill(sent_back_, 0);
        return false;
    }

    /// Notes which indicators the event at the last root has left behind zero by no more than a
    /// rounding error, and on the way back: like the height of a ball that bounces.
    void find_sent_back(double stop) {
        const double moment = part_of_time(sent_back_time, stop);
        for (std::size_t i = 0; i < z_.size(); ++i) {
            const int change = finder_.changes()[i];
            const double way = z_from_[i] * change;
            const bool goes_back =
                way > 0.0 && slopes_[i] * change < 0.0 && way < moment * std::abs(slopes_[i]);
            sent_back_[i] = goes_back && !kinks_.is_kink(i) ? change : 0;
        }
    }

    bool any_sent_back() const {
        return std::ranges::any_of(sent_back_, [](int change) { return change != 0; });
    }

    /// One that was sent back has not come to zero, and goes there no longer.
    bool any_turned_back() const {
        for (std::size_t i = 0; i < z_.size(); ++i)
            if (sent_back_[i] * slopes_[i] > 0.0) return true;
        return false;
    }

    /// The same at the end of the step, from where it began on the way back.
    bool any_goes_away() {
        if (!indicators_at(t_, z_)) return false;
        for (std::size_t i = 0; i < z_.size(); ++i)
            if ((z_[i] - z_from_[i]) * sent_back_[i] > 0.0) return true;
        return false;
    }

    bool begins_elsewhere(double begin) {
        const double later = begin + probe_fraction * (end_t_ - begin);
        if (!indicators_at(later, z_)) return false;
        for (std::size_t i = 0; i < z_.size(); ++i) {
            const double change = slopes_[i] * (later - begin);
            const double expected = z_from_[i] + change;
            if ((z_[i] > 0.0) != (expected > 0.0) &&
                std::abs(z_[i] - expected) > 0.5 * std::abs(change))
                return true;
        }
        return false;
    }

    /// Before a point where the model ends, a method creeps up to it with ever shorter steps.
    bool is_stuck(double stop) {
        const double size = std::max(std::abs(end_t_), std::abs(stop));
        const bool creeps =
            end_t_ < stop && end_t_ - t_ < creeping_step * size && !refinement_.is_active();
        creeping_steps_ = creeps ? creeping_steps_ + 1 : 0;
        return creeping_steps_ > max_creeping_steps;
    }

    bool watch(double stop) {
        watching_ = true;
        if (z_.empty()) return true;
        ++statistics_.indicator_calls;
        if (!problem_.indicators(t_, x_, z_)) return false;
        finder_.start(z_);
        if (!finder_.is_undecided() && time_of_run() != delicate_time_) return true;
        if (!look_from_here(stop)) return false;
        finder_.decide(z_);
        if (t_ == restart_t_) {
            careful_steps_ = careful_steps;
            if (time_of_run() == root_time_) find_sent_back(stop);
        }
        return true;
    }

    bool look_from_here(double stop) {
        ++statistics_.indicator_calls;
        return problem_.indicators(t_, x_, z_from_) && find_slopes(stop);
    }

    /// How fast the indicators change at (t_, x_), where they are z_from_, along the derivatives;
    /// z_ is then what they become a moment later. An indicator that is exactly zero takes the side
    /// to which that leads; the first step of a method, of low order, may be too coarse to tell.
    bool find_slopes(double stop) {
        ++statistics_.derivative_calls;
        ++statistics_.indicator_calls;
        if (!problem_.derivatives(t_, x_, trial_)) return false;
        const double later =
            t_ + std::max(peek_fraction * (stop - t_), part_of_time(creeping_step, stop));
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + (later - t_) * trial_[i];
        if (!problem_.indicators(later, trial_, z_)) return false;
        for (std::size_t i = 0; i < z_.size(); ++i)
            slopes_[i] = later > t_ ? (z_[i] - z_from_[i]) / (later - t_) : 0.0;
        return true;
    }

    /// That part of the time, which is short against the way to the stop, and not below rounding.
    double part_of_time(double part, double stop) const {
        const double longest = std::max(short_part * (stop - t_), roundings * problem_.spacing());
        return std::min(part * std::abs(time_of_run()), longest);
    }

    bool indicators_at(double t, std::span<double> z) override {
        ++statistics_.indicator_calls;
        return local_interpolate(t, trial_) && problem_.indicators(t, trial_, z);
    }

    /// On from t_ to `target`, inside the last internal step, or to the first root on the way.
    SolverResult go_through(double target, double stop, std::span<double> x) {
        double reached = target;
        auto reason = target == stop ? SolverResult::Reason::stop : SolverResult::Reason::step;
        if (!z_.empty()) {
            const auto finding = finder_.search(t_, target, *this);
            if (finding == EventFinder::Finding::failed)
                return give_up("the event indicators cannot be evaluated");
            if (finding == EventFinder::Finding::root) {
                reached = finder_.root();
                reason = reason_of_root(reached, stop);
            }
        }
        if (!local_interpolate(reached, x_)) return give_up("the dense output cannot be evaluated");
        arrive(reached, stop, x);
        return {reason, reached};
    }

    /// A kink is no event: the solver begins anew behind it, if it matters, and nobody else needs
    /// to know.
    SolverResult::Reason reason_of_root(double t, double stop) {
        if (kinks_.any_kink(finder_.changes())) begins_at_kink_ = kink_matters(t);
        if (!kinks_.any_event(finder_.changes()))
            return t == stop ? SolverResult::Reason::stop : SolverResult::Reason::step;
        delicate_time_ = root_time_ = problem_.absolute(t);
        if (refines_steps()) refinement_.event(root_time_, step_hint());
        return SolverResult::Reason::root;
    }

    bool kink_matters(double t) {
        const auto derivatives = [this](double at, std::span<double> dx) {
            ++statistics_.derivative_calls;
            return local_interpolate(at, x_beside_) && problem_.derivatives(at, x_beside_, dx);
        };
        const auto tolerance = [this](std::size_t i) {
            return options_.relative_tolerance * std::abs(end_x_[i]) + absolute_[i];
        };
        return kinks_.matters(t, {end_t_ - last_step(), end_t_}, derivatives, tolerance);
    }

    SolverResult arrive(double t, double stop, std::span<double> x) {
        t_ = t;
        if (t == stop) steps_since_stop_ = 0;
        std::ranges::copy(x_, x.begin());
        return {SolverResult::Reason::stop, t};
    }

    /// A distance of a few units in the last place: one step of Euler's method is exact there.
    SolverResult creep(double target, double stop, std::span<double> x) {
        ++statistics_.derivative_calls;
        if (!problem_.derivatives(t_, x_, trial_))
            return give_up("the derivatives cannot be evaluated");
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + (target - t_) * trial_[i];
        const int steps = steps_since_stop_;
        const bool is_delicate = careful_steps_ > 0;
        begin_at(target, trial_, 0.0);
        steps_since_stop_ = steps;
        watching_ = !is_delicate;
        if (is_delicate) delicate_time_ = time_of_run();
        return go_through(target, stop, x);
    }

    SolverResult give_up(std::string reason) {
        failure_ = std::move(reason);
        return {SolverResult::Reason::failed, t_};
    }

    SolverOptions options_;
    LocalProblem problem_;
    SolverStatistics statistics_;
    EventFinder finder_;
    KinkTest kinks_;
    StepRefinement refinement_;
    std::unique_ptr<Integrator> integrator_;
    std::vector<double> x_, end_x_, trial_, absolute_, z_, x_beside_;
    double t_ = 0.0, end_t_ = 0.0, initial_step_ = 0.0;
    int steps_since_stop_ = 0, creeping_steps_ = 0;
    bool watching_ = false;  ///< the finder knows the indicators at t_
    double restart_t_ = 0.0;
    double first_step_ = 0.0;  ///< asked for at the last restart
    double longest_ = 0.0;     ///< way to a stop so far
    bool is_fresh_ = false;    ///< restarted, and no step since
    /// Where an event was, or a step began that was too long: a time of the run.
    double delicate_time_ = std::numeric_limits<double>::quiet_NaN();
    double root_time_ = std::numeric_limits<double>::quiet_NaN();  ///< of the run: of the last root
    bool begins_at_kink_ = false;                                  ///< the next step: begins anew
    bool repeats_at_kinks_ = false;
    bool has_fixed_steps_ = false;
    std::vector<double> step_x_;                  ///< where the last internal step began
    std::vector<int> sent_back_;                  ///< per indicator: its change at that root, or 0
    int careful_steps_ = 0;                       ///< to come
    std::vector<double> from_, z_from_, slopes_;  ///< where such a step begins
    std::string failure_;
};

}  // namespace

std::unique_ptr<Solver> make_solver(const SolverOptions& options, OdeProblem& problem) {
    return std::make_unique<EventfulSolver>(options, problem);
}

}  // namespace tandem::ode
