// Laws that Co-Simulation FMUs with the extension are given (docs/fmi_law_extension.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/edited_fmu.hpp"
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
    FmuWithLaw() : fmu_(test::make_kind("LinearOde", GetParam())) { test::initialise(*fmu_, 2.0); }
    void step(int k) { ASSERT_TRUE(fmu_->step({0.1 * k, 0.1 * (k + 1)})); }
    double y() { return test::outputs_of(*fmu_)[0]; }

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

/// What a law finds where it is asked.
struct Spy : Law {
    void evaluate(const LawPoint& point, std::span<double> inputs) const override {
        inputs[0] = point.t;
        ++points;
        states += point.states.size();
        if (point.outputs == nullptr) return;
        std::vector<double> outputs(1);
        point.outputs->read(point, inputs, outputs);
        ++reads;
        largest = std::max(largest, std::abs(outputs[0] - answer_to_ramp(point.t)));
    }
    mutable std::size_t points = 0, states = 0, reads = 0;
    mutable double largest = 0.0;  ///< difference of the output from the exact one
};

/// The model without the extension, with a changed description.
struct Follower {
    explicit Follower(const test::EditedFmu::Edits& edits)
        : edited(test::file_of("LinearOde", "fmi3_cs"), edits) {
        subsystem::CsFmuOptions options;
        options.instance.input_laws = false;
        fmu = std::make_unique<subsystem::CsFmu>(fmi::Fmu::open(edited.path()), options);
        test::initialise(*fmu, 2.0);
        fmu->set_inputs({.values = zero, .law = &law});
        for (int k = 0; k < 10; ++k) EXPECT_TRUE(fmu->step({0.1 * k, 0.1 * (k + 1)}));
        EXPECT_NEAR(test::outputs_of(*fmu)[0], answer_to_ramp(1.0), 1e-6);
    }
    const Capabilities& can() const { return fmu->interface().capabilities; }

    test::EditedFmu edited;
    Spy law;
    const std::vector<double> zero = {0.0};
    std::unique_ptr<subsystem::CsFmu> fmu;
};

const std::string derivatives_mark = "providesDirectionalDerivatives=\"true\"";

TEST(FmuAtIntermediatePoints, tells_laws_its_states_and_outputs) {
    const Follower follower(test::EditedFmu::Edits{});
    EXPECT_TRUE(follower.can().laws && follower.can().law_outputs);
    EXPECT_FALSE(follower.can().law_states);
    EXPECT_GT(follower.law.points, 20U);
    EXPECT_EQ(follower.law.reads, follower.law.points);
    EXPECT_EQ(follower.law.states, follower.law.points);
    // Stages of the solver are off by a part of its steps, which are short.
    EXPECT_LT(follower.law.largest, 1e-2);
}

TEST(FmuAtIntermediatePoints, tells_laws_its_outputs_alone_without_derivatives) {
    const test::EditedFmu::Edits edits = {{derivatives_mark, ""}};
    const Follower follower(edits);
    EXPECT_TRUE(follower.can().laws && follower.can().law_outputs);
    EXPECT_FALSE(follower.can().linear_model);
    EXPECT_EQ(follower.law.reads, follower.law.points);
    EXPECT_EQ(follower.law.states, 0U);
}

// Outputs that have no intermediateUpdate must not be read there.
TEST(FmuAtIntermediatePoints, does_not_let_laws_read_outputs_that_are_not_meant_for_it) {
    const test::EditedFmu::Edits edits = {
        {"initial=\"calculated\" intermediateUpdate=\"true\"", "initial=\"calculated\""}};
    const Follower follower(edits);
    EXPECT_TRUE(follower.can().laws);
    EXPECT_FALSE(follower.can().law_outputs);
    EXPECT_GT(follower.law.points, 20U);
    EXPECT_EQ(follower.law.reads, 0U);
}

}  // namespace
}  // namespace tandem
