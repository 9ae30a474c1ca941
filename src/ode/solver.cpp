#include "ode/solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "ode/event_finder.hpp"
#include "ode/integrator.hpp"

namespace tandem::ode {
namespace {

struct MethodName {
    Method method;
    std::string_view name;
};

constexpr std::array<MethodName, 5> method_names = {{{Method::cvode_bdf, "cvode"},
                                                     {Method::cvode_adams, "cvode_adams"},
                                                     {Method::dopri5, "dopri5"},
                                                     {Method::rk4, "rk4"},
                                                     {Method::euler, "euler"}}};

std::unique_ptr<Integrator> make_integrator(const IntegratorSetup& setup) {
    if (setup.problem.size() == 0) return make_stateless(setup);
    switch (setup.options.method) {
        case Method::cvode_bdf:
        case Method::cvode_adams: return make_cvode(setup);
        case Method::dopri5: return make_explicit_runge_kutta(setup);
        case Method::rk4:
        case Method::euler: return make_fixed_step(setup);
    }
    expects(false, "the method is one of the known ones");
    return nullptr;
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

/// An integrator with event finding: steps, then looks for roots on the interpolated solution.
class EventfulSolver final : public Solver, private IndicatorTrace {
public:
    EventfulSolver(const SolverOptions& options, OdeProblem& problem)
        : options_(options), problem_(problem), finder_(problem.indicator_count()) {
        const auto n = static_cast<std::size_t>(problem.size());
        for (auto* work : {&x_, &end_x_, &trial_, &absolute_}) work->resize(n);
        z_.resize(static_cast<std::size_t>(problem.indicator_count()));
        integrator_ = make_integrator({options_, problem_, statistics_});
    }

    void restart(double t, std::span<const double> x, std::span<const double> nominals) override {
        for (std::size_t i = 0; i < absolute_.size(); ++i)
            absolute_[i] = options_.relative_tolerance * options_.absolute_factor * nominals[i];
        integrator_->set_tolerances(options_.relative_tolerance, absolute_);
        ++statistics_.restarts;
        begin_at(t, x, std::exchange(initial_step_, 0.0));
    }

    SolverResult step(double stop, std::span<double> x) override {
        if (stop <= t_) return arrive(stop, stop, x);
        if (!watching_ && !watch(stop)) return give_up("the event indicators cannot be evaluated");
        if (t_ < end_t_) return go_through(std::min(end_t_, stop), stop, x);
        if (stop - t_ <= shortest_step(t_, stop)) return creep(stop, x);
        if (++steps_since_stop_ > options_.max_steps)
            return give_up("more than " + std::to_string(options_.max_steps) + " internal steps");
        if (!integrator_->advance(stop, end_x_)) return give_up(integrator_->failure());
        ++statistics_.steps;
        end_t_ = integrator_->time();
        if (is_stuck(stop)) return give_up("its steps have become too short to get anywhere");
        return go_through(end_t_, stop, x);
    }

    bool interpolate(double t, std::span<double> x) override {
        if (t != end_t_) return integrator_->interpolate(t, x);
        std::ranges::copy(end_x_, x.begin());
        return true;
    }

    void look_again() override { watching_ = false; }
    void suggest_initial_step(double h) override { initial_step_ = h; }
    double last_step() const override { return integrator_->last_step(); }
    double step_hint() const override { return integrator_->step_hint(); }
    double internal_time() const override { return end_t_; }
    const std::string& failure() const override { return failure_; }
    const SolverStatistics& statistics() const override { return statistics_; }
    std::span<const int> roots() const override { return finder_.changes(); }

private:
    void begin_at(double t, std::span<const double> x, double initial_step) {
        integrator_->restart(t, x, initial_step);
        std::ranges::copy(x, x_.begin());
        std::ranges::copy(x, end_x_.begin());
        t_ = end_t_ = t;
        steps_since_stop_ = creeping_steps_ = 0;
        watching_ = false;
    }

    /// Before a point where the model ends, a method creeps up to it with ever shorter steps.
    bool is_stuck(double stop) {
        const double size = std::max(std::abs(end_t_), std::abs(stop));
        const bool creeps = end_t_ < stop && end_t_ - t_ < creeping_step * size;
        creeping_steps_ = creeps ? creeping_steps_ + 1 : 0;
        return creeping_steps_ > max_creeping_steps;
    }

    bool watch(double stop) {
        watching_ = true;
        if (z_.empty()) return true;
        ++statistics_.indicator_calls;
        if (!problem_.indicators(t_, x_, z_)) return false;
        finder_.start(z_);
        return !finder_.is_undecided() || peek(stop);
    }

    /// An indicator that is exactly zero takes the side to which the derivatives lead; the first
    /// step of a method, of low order, may be too coarse to tell.
    bool peek(double stop) {
        ++statistics_.derivative_calls;
        ++statistics_.indicator_calls;
        if (!problem_.derivatives(t_, x_, trial_)) return false;
        const double later =
            t_ + std::max(peek_fraction * (stop - t_), creeping_step * std::abs(t_));
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + (later - t_) * trial_[i];
        if (!problem_.indicators(later, trial_, z_)) return false;
        finder_.decide(z_);
        return true;
    }

    bool indicators_at(double t, std::span<double> z) override {
        ++statistics_.indicator_calls;
        return interpolate(t, trial_) && problem_.indicators(t, trial_, z);
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
                reason = SolverResult::Reason::root;
            }
        }
        if (!interpolate(reached, x_)) return give_up("the dense output cannot be evaluated");
        arrive(reached, stop, x);
        return {reason, reached};
    }

    SolverResult arrive(double t, double stop, std::span<double> x) {
        t_ = t;
        if (t == stop) steps_since_stop_ = 0;
        std::ranges::copy(x_, x.begin());
        return {SolverResult::Reason::stop, t};
    }

    /// A distance of a few units in the last place: one step of Euler's method is exact there.
    SolverResult creep(double stop, std::span<double> x) {
        ++statistics_.derivative_calls;
        if (!problem_.derivatives(t_, x_, trial_))
            return give_up("the derivatives cannot be evaluated");
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + (stop - t_) * trial_[i];
        begin_at(stop, trial_, 0.0);
        arrive(stop, stop, x);
        watching_ = true;
        if (z_.empty()) return {SolverResult::Reason::stop, stop};
        const auto finding = finder_.search(stop, stop, *this);
        if (finding == EventFinder::Finding::failed)
            return give_up("the event indicators cannot be evaluated");
        const bool root = finding == EventFinder::Finding::root;
        return {root ? SolverResult::Reason::root : SolverResult::Reason::stop, stop};
    }

    SolverResult give_up(std::string reason) {
        failure_ = std::move(reason);
        return {SolverResult::Reason::failed, t_};
    }

    SolverOptions options_;
    OdeProblem& problem_;
    SolverStatistics statistics_;
    EventFinder finder_;
    std::unique_ptr<Integrator> integrator_;
    std::vector<double> x_, end_x_, trial_, absolute_, z_;
    double t_ = 0.0, end_t_ = 0.0, initial_step_ = 0.0;
    int steps_since_stop_ = 0, creeping_steps_ = 0;
    bool watching_ = false;  ///< the finder knows the indicators at t_
    std::string failure_;
};

}  // namespace

Method method_from(std::string_view name) {
    std::string known;
    for (const auto& entry : method_names) {
        if (entry.name == name) return entry.method;
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw InputError("solver", "'" + std::string(name) + "' is not known",
                     "choose one of " + known);
}

std::string_view to_string(Method method) {
    for (const auto& entry : method_names)
        if (entry.method == method) return entry.name;
    return "?";
}

std::unique_ptr<Solver> make_solver(const SolverOptions& options, OdeProblem& problem) {
    return std::make_unique<EventfulSolver>(options, problem);
}

}  // namespace tandem::ode
