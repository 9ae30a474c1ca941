#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>

#include "support/mock_subsystem.hpp"

namespace tandem::test {

/// What a BlackBox shows and can do.
struct BlackBoxOptions {
    Eigen::Index seen = 0;         ///< states that are outputs, the first ones
    Eigen::VectorXd output_sizes;  ///< outputs are states times these
    Eigen::VectorXd input_sizes;   ///< the equations get inputs divided by these
    double noise = 0.0;            ///< that each step adds to outputs, of their sizes
    unsigned seed = 1;             ///< of the noise
    double internal_step = 0.0;    ///< 0: eight in each macro step
    bool goes_back = false;
};

/// x' = f(t, x, u) by the classical Runge-Kutta method, as plain Co-Simulation FMUs are: nothing
/// but outputs is seen of it. Between the ends of internal steps of a fixed length nothing moves.
class BlackBox final : public test::StubSubsystem, public Rollback {
public:
    using VectorXd = Eigen::VectorXd;
    using Rates = std::function<VectorXd(double t, const VectorXd& x, const VectorXd& u)>;

    BlackBox(std::string name, Rates rates, VectorXd start, BlackBoxOptions options)
        : StubSubsystem(std::move(name), static_cast<std::size_t>(options.input_sizes.size()),
                        static_cast<std::size_t>(options.seen),
                        {.rollback = options.goes_back, .variable_step = true}),
          options_(std::move(options)),
          rates_(std::move(rates)),
          inputs_(VectorXd::Zero(options_.input_sizes.size())),
          noise_(VectorXd::Zero(options_.seen)),
          random_(options_.seed) {
        facets_ = facets_of(this);
        now_.x = std::move(start);
    }

    void jump(Eigen::Index state, double by) { now_.x[state] += by; }
    const VectorXd& states() const { return now_.x; }

    void set_inputs(const InputCourse& course) override {
        inputs_ = Eigen::Map<const VectorXd>(course.values.data(), std::ssize(course.values))
                      .cwiseQuotient(options_.input_sizes);
    }
    StepResult step(Interval interval) override {
        const double given = options_.internal_step;
        const double h = given > 0.0 ? given : interval.length() / 8.0;
        // Rounding does not cost the last step.
        while (now_.t + h <= interval.end + 1e-6 * h) integrate(h);
        for (double& one : noise_) one = options_.noise * normal_(random_);
        return {Outcome::complete, interval.end};
    }
    void get_outputs(std::span<double> outputs) override {
        Eigen::Map<VectorXd>(outputs.data(), std::ssize(outputs)) =
            (now_.x.head(options_.seen) + noise_).cwiseProduct(options_.output_sizes);
    }
    void save(StateSlot slot) override { saved_[static_cast<std::size_t>(slot)] = now_; }
    void restore(StateSlot slot) override { now_ = saved_[static_cast<std::size_t>(slot)]; }

    /// One step of the method.
    static VectorXd integrated(const Rates& f, double t, const VectorXd& x, const VectorXd& u,
                               double h) {
        const VectorXd k1 = f(t, x, u), k2 = f(t + h / 2, x + h / 2 * k1, u);
        const VectorXd k3 = f(t + h / 2, x + h / 2 * k2, u), k4 = f(t + h, x + h * k3, u);
        return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }

private:
    struct State {
        double t = 0.0;
        VectorXd x;
    };
    void integrate(double h) {
        now_.x = integrated(rates_, now_.t, now_.x, inputs_, h);
        now_.t += h;
    }

    BlackBoxOptions options_;
    Rates rates_;
    VectorXd inputs_, noise_;
    State now_;
    State saved_[state_slot_count];
    std::mt19937 random_;
    std::normal_distribution<double> normal_;
};

}  // namespace tandem::test
