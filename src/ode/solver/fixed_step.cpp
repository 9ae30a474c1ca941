#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ode/solver/integrator.hpp"

namespace tandem::ode {
namespace {

constexpr double parts_of_an_interval = 100.0;

/// The end of the next of equally long steps from t to stop, none longer than `longest`.
double next_end(double t, double stop, double longest) {
    constexpr double roundoff = 1e-9;
    const double count = std::ceil((stop - t) / longest - roundoff);
    return count <= 1.0 ? stop : t + (stop - t) / count;
}

double shorter(double step, double max_step) {
    return max_step > 0.0 ? std::min(step, max_step) : step;
}

/// Euler's method and the classical Runge-Kutta method, with equal steps from stop to stop and
/// cubic Hermite interpolation inside a step.
class FixedStep final : public Integrator {
public:
    explicit FixedStep(const IntegratorSetup& setup)
        : options_(setup.options), problem_(setup.problem), statistics_(setup.statistics) {
        const auto n = static_cast<std::size_t>(setup.problem.size());
        for (auto* work : {&x_, &dx_, &begin_, &d_begin_, &trial_}) work->resize(n);
        for (auto& stage : stages_) stage.resize(n);
        step_ = options_.fixed_step;
        is_euler_ = options_.method == Method::euler;
    }

    void restart(double t, std::span<const double> x, double initial_step) override {
        std::ranges::copy(x, x_.begin());
        t_ = begin_t_ = t;
        has_derivative_ = false;
        if (options_.fixed_step <= 0.0 && initial_step > 0.0) step_ = initial_step;
    }

    void set_tolerances(double, std::span<const double>) override {}

    bool advance(double stop, std::span<double> x) override {
        if (step_ <= 0.0) step_ = (stop - t_) / parts_of_an_interval;
        if (!has_derivative_ && !evaluate(t_, x_, dx_)) return fail(t_);
        begin_ = x_;
        d_begin_ = dx_;
        begin_t_ = t_;
        const double end = next_end(t_, stop, shorter(step_, options_.max_step));
        if (!(is_euler_ ? euler(end) : runge_kutta(end))) return false;
        // The derivative at the end serves the interpolation and is the first of the next step.
        if (!evaluate(end, x_, dx_)) return fail(end);
        has_derivative_ = true;
        t_ = end;
        std::ranges::copy(x_, x.begin());
        return true;
    }

    double time() const override { return t_; }

    /// With s = (t - begin) / h:
    ///   x = (1+2s)(1-s)^2 x0 + s^2(3-2s) x1 + h s(1-s)^2 f0 - h s^2(1-s) f1
    bool interpolate(double t, std::span<double> x) override {
        const double h = t_ - begin_t_;
        const double s = h > 0.0 ? (t - begin_t_) / h : 1.0;
        const double r = 1.0 - s;
        for (std::size_t i = 0; i < x_.size(); ++i)
            x[i] = (1.0 + 2.0 * s) * r * r * begin_[i] + s * s * (3.0 - 2.0 * s) * x_[i] +
                   h * s * r * (r * d_begin_[i] - s * dx_[i]);
        return true;
    }

    double last_step() const override { return t_ - begin_t_; }
    double step_hint() const override { return step_; }
    const std::string& failure() const override { return failure_; }

private:
    bool evaluate(double t, std::span<const double> x, std::span<double> dx) {
        ++statistics_.derivative_calls;
        return problem_.derivatives(t, x, dx);
    }

    bool fail(double t) {
        failure_ = fmt::format(
            "the derivatives cannot be evaluated at t = {}, and the steps are of fixed length", t);
        return false;
    }

    /// x1 = x0 + h f(t0, x0)
    bool euler(double end) {
        const double h = end - t_;
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = begin_[i] + h * d_begin_[i];
        return true;
    }

    bool stage(double t, double h, std::size_t k) {
        const std::vector<double>& slope = k == 0 ? d_begin_ : stages_[k - 1];
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = begin_[i] + h * slope[i];
        return evaluate(t, trial_, stages_[k]) || fail(t);
    }

    /// k2 = f(t + h/2, x + h/2 k1), k3 = f(t + h/2, x + h/2 k2), k4 = f(t + h, x + h k3),
    /// x1 = x + h/6 (k1 + 2 k2 + 2 k3 + k4)
    bool runge_kutta(double end) {
        const double h = end - t_;
        const double middle = t_ + h / 2.0;
        if (!stage(middle, h / 2.0, 0) || !stage(middle, h / 2.0, 1) || !stage(end, h, 2))
            return false;
        for (std::size_t i = 0; i < x_.size(); ++i)
            x_[i] =
                begin_[i] +
                h / 6.0 * (d_begin_[i] + 2.0 * stages_[0][i] + 2.0 * stages_[1][i] + stages_[2][i]);
        return true;
    }

    SolverOptions options_;
    OdeProblem& problem_;
    SolverStatistics& statistics_;
    std::vector<double> x_, dx_, begin_, d_begin_, trial_;
    std::array<std::vector<double>, 3> stages_;
    double t_ = 0.0, begin_t_ = 0.0, step_ = 0.0;
    bool is_euler_ = false;  // else Runge and Kutta's
    bool has_derivative_ = false;
    std::string failure_;
};

/// Nothing to integrate: as far as max_step, or a hundredth of the way to the stop, so that
/// indicators are looked at in between; without indicators straight to the stop.
class Stateless final : public Integrator {
public:
    explicit Stateless(const IntegratorSetup& setup)
        : max_step_(setup.options.max_step), watched_(setup.problem.indicator_count() > 0) {}

    void restart(double t, std::span<const double>, double) override { t_ = begin_ = stop_ = t; }
    void set_tolerances(double, std::span<const double>) override {}
    bool advance(double stop, std::span<double>) override {
        if (stop != stop_) {
            stop_ = stop;
            step_ = watched_ ? (stop - t_) / parts_of_an_interval : stop - t_;
        }
        begin_ = t_;
        t_ = next_end(t_, stop, shorter(step_, max_step_));
        return true;
    }
    double time() const override { return t_; }
    bool interpolate(double, std::span<double>) override { return true; }
    double last_step() const override { return t_ - begin_; }
    double step_hint() const override { return 0.0; }
    const std::string& failure() const override { return failure_; }

private:
    double max_step_;
    bool watched_;
    double t_ = 0.0, begin_ = 0.0, stop_ = 0.0, step_ = 0.0;
    std::string failure_;
};

}  // namespace

std::unique_ptr<Integrator> make_fixed_step(const IntegratorSetup& setup) {
    return std::make_unique<FixedStep>(setup);
}

std::unique_ptr<Integrator> make_stateless(const IntegratorSetup& setup) {
    return std::make_unique<Stateless>(setup);
}

}  // namespace tandem::ode
