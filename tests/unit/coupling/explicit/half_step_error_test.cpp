// Step control divides by what couplings claim: how many times larger the error of a step is than
// that of its two halves. Signals are those whose error the claim is exact for: powers of t, one
// degree above what the coupling follows.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "coupling/explicit/explicit.hpp"
#include "coupling/explicit/nepce.hpp"
#include "support/mock_subsystem.hpp"

namespace tandem::coupling {
namespace {

using test::MockSubsystem;
using MakeCoupling = std::function<std::unique_ptr<Coupling>()>;

/// t^degree feeds a sink that integrates its input.
class Integrator {
public:
    Integrator(std::unique_ptr<Coupling> coupling, int degree)
        : coupling_(std::move(coupling)), degree_(degree) {
        auto source = std::make_unique<MockSubsystem>(
            "source", 0,
            [this](double t, const auto&) {
                source_->slope = degree_ * std::pow(t, degree_ - 1);
                return std::pow(t, degree_);
            },
            Capabilities{.traces = true, .dense_traces = true, .output_derivatives = 1});
        source->trace_parts = 1000;
        source_ = source.get();
        source_->slope = degree == 1 ? 1.0 : 0.0;
        auto sink = std::make_unique<MockSubsystem>(
            "sink", 1, [](double, const auto&) { return 0.0; },
            Capabilities{.input_derivatives = 2});
        sink_ = sink.get();
        std::vector<std::unique_ptr<Subsystem>> subsystems;
        subsystems.push_back(std::move(sink));
        subsystems.push_back(std::move(source));
        system_ = std::make_unique<System>(std::move(subsystems), std::vector{Link{1, 0}});
        coupling_->prepare(*system_, 0.0);
    }

    void run(std::initializer_list<double> times) {
        for (auto t = times.begin(); t + 1 != times.end(); ++t)
            ASSERT_TRUE(coupling_->advance(*system_, {*t, *(t + 1)}));
    }
    /// What the integral of the inputs misses of that of the signal, from a communication point on.
    double missed_since(double begin) const {
        const auto integral = [&](double t) { return std::pow(t, degree_ + 1) / (degree_ + 1); };
        double missed = 0.0;
        for (const MockSubsystem::Course& course : sink_->courses) {
            if (course.interval.begin < begin) continue;
            const double h = course.interval.length();
            missed += integral(course.interval.end) - integral(course.interval.begin);
            double power = h;  // h^(k + 1) / (k + 1)!
            missed -= course.values[0] * power;
            for (std::size_t k = 0; k < course.derivatives.size(); ++k) {
                power *= h / static_cast<double>(k + 2);
                missed -= course.derivatives[k] * power;
            }
        }
        return missed;
    }
    double claimed_ratio() const { return half_step_error_ratio(coupling_->traits()); }

private:
    std::unique_ptr<Coupling> coupling_;
    int degree_;
    std::unique_ptr<System> system_;
    MockSubsystem* source_ = nullptr;
    MockSubsystem* sink_ = nullptr;
};

/// Of a step of length 2 against its halves, each after steps of length 1.
double measured_ratio(const MakeCoupling& make, int degree, double since) {
    Integrator whole(make(), degree), halves(make(), degree);
    whole.run({0.0, 1.0, 2.0, 4.0});
    halves.run({0.0, 1.0, 2.0, 3.0, 4.0});
    return whole.missed_since(since) / halves.missed_since(since);
}

TEST(HalfStepError, of_extrapolated_inputs_is_what_the_coupling_claims) {
    for (const int order : {0, 1, 2}) {
        const MakeCoupling make = [&] {
            return std::make_unique<Explicit>(ExplicitOptions{.order = order});
        };
        const double ratio = measured_ratio(make, order + 1, 2.0);
        EXPECT_NEAR(Integrator(make(), 1).claimed_ratio(), ratio, 1e-12) << order;
    }
}

TEST(HalfStepError, with_slopes_that_are_told_is_what_the_coupling_claims) {
    const MakeCoupling make = [] {
        return std::make_unique<Explicit>(ExplicitOptions{.order = 1, .output_derivatives = true});
    };
    const double ratio = measured_ratio(make, 2, 2.0);
    EXPECT_NEAR(Integrator(make(), 1).claimed_ratio(), ratio, 1e-12);
}

// What earlier steps missed is made up for: the error is all that is missing in the end. Traces are
// taken as straight between their thousand points.
TEST(HalfStepError, of_inputs_that_make_up_for_the_past_is_what_the_coupling_claims) {
    for (const bool anti_aliasing : {false, true})
        for (const int order : {0, 1}) {
            const MakeCoupling make = [&] {
                return std::make_unique<Nepce>(NepceOptions{order, anti_aliasing});
            };
            const double ratio = measured_ratio(make, order + 1, 0.0);
            EXPECT_NEAR(Integrator(make(), 1).claimed_ratio(), ratio, 1e-4)
                << order << anti_aliasing;
        }
}

}  // namespace
}  // namespace tandem::coupling
