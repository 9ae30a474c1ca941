// Laws that Co-Simulation FMUs with the extension are given (docs/fmi_law_extension.md).
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/model_kinds.hpp"

namespace tandem {
namespace {

/// u = t
struct Ramp : Law {
    void evaluate(const LawPoint& point, std::span<double> inputs) const override {
        inputs[0] = point.t;
    }
};

struct Thrower : Law {
    void evaluate(const LawPoint&, std::span<double>) const override {
        throw std::runtime_error("the law has an error");
    }
};

/// x' = -x + u, x(0) = 0, y = x, as an FMU.
class FmuWithLaw : public ::testing::TestWithParam<std::string> {
protected:
    FmuWithLaw() : fmu_(testing::make_kind("LinearOde", GetParam())) {
        testing::initialise(*fmu_, 2.0);
    }
    void step(int k) { ASSERT_TRUE(fmu_->step({0.1 * k, 0.1 * (k + 1)})); }
    double y() { return testing::outputs_of(*fmu_)[0]; }

    std::unique_ptr<Subsystem> fmu_;
    const std::vector<double> zero_ = {0.0};
};
INSTANTIATE_TEST_SUITE_P(Versions, FmuWithLaw, ::testing::Values("fmi2_cs", "fmi3_cs"),
                         [](const auto& kind) { return kind.param; });

double answer_to_ramp(double t) { return t - 1.0 + std::exp(-t); }

TEST_P(FmuWithLaw, follows_it_until_inputs_are_set_again) {
    ASSERT_TRUE(fmu_->interface().capabilities.law_states);
    const Ramp law;
    fmu_->set_inputs({.values = zero_, .law = &law});
    for (int k = 0; k < 10; ++k) step(k);
    EXPECT_NEAR(y(), answer_to_ramp(1.0), 1e-6);
    fmu_->set_inputs({.values = zero_});
    step(10);
    EXPECT_NEAR(y(), answer_to_ramp(1.0) * std::exp(-0.1), 1e-6);
}

TEST_P(FmuWithLaw, follows_it_again_after_it_was_restored) {
    const Ramp law;
    fmu_->set_inputs({.values = zero_, .law = &law});
    for (int k = 0; k < 5; ++k) step(k);
    fmu_->save(StateSlot::step_begin);
    step(5);
    const double first = y();
    EXPECT_NEAR(first, answer_to_ramp(0.6), 1e-6);
    fmu_->restore(StateSlot::step_begin);
    step(5);
    EXPECT_NEAR(y(), first, 1e-12);
}

TEST_P(FmuWithLaw, hands_on_what_it_throws_and_can_go_on_without_it) {
    const Thrower law;
    fmu_->set_inputs({.values = zero_, .law = &law});
    EXPECT_THROW(fmu_->step({0.0, 0.1}), std::runtime_error);
    fmu_->set_inputs({.values = zero_});
    step(0);
    EXPECT_EQ(y(), 0.0);
}

}  // namespace
}  // namespace tandem
