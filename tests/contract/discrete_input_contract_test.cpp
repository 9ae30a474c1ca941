// Discrete inputs written between two steps, for every way in which a model can run.

#include <gtest/gtest.h>

#include "support/model_kinds.hpp"

namespace tandem {
namespace {

using test::initialise;
using test::make_kind;
using test::read;
using test::write;

Values integer(std::int64_t value) {
    Values values;
    values.integers = {value};
    return values;
}

Values text(const std::string& value) {
    Values values;
    values.strings = {value};
    return values;
}

/// FMI 1.0 has no functions to save a state.
bool can_save(const std::string& kind) { return !kind.starts_with("fmi1"); }

class DiscreteInput : public ::testing::TestWithParam<std::string> {
protected:
    std::unique_ptr<Subsystem> feedthrough() {
        auto subsystem = make_kind("Feedthrough", GetParam());
        initialise(*subsystem, 2.0);
        EXPECT_EQ(subsystem->step({0.0, 0.1}).outcome, Outcome::complete);
        return subsystem;
    }
};
INSTANTIATE_TEST_SUITE_P(Kinds, DiscreteInput, ::testing::ValuesIn(test::all_kinds),
                         [](const auto& kind) { return kind.param; });

TEST_P(DiscreteInput, takes_effect_in_the_next_step) {
    const auto subsystem = feedthrough();
    for (int k = 1; k < 4; ++k) {
        write(*subsystem, "int32_in", integer(10 * k));
        ASSERT_EQ(subsystem->step({0.1 * k, 0.1 * (k + 1)}).outcome, Outcome::complete);
        EXPECT_EQ(read(*subsystem, "int32_out"), integer(10 * k));
    }
}

TEST_P(DiscreteInput, written_before_a_save_is_there_after_the_restore) {
    const auto subsystem = feedthrough();
    ASSERT_EQ(subsystem->interface().capabilities.rollback, can_save(GetParam()));
    if (!can_save(GetParam())) return;
    write(*subsystem, "int32_in", integer(5));
    subsystem->save(StateSlot::step_begin);
    for (int attempt = 0; attempt < 2; ++attempt) {
        subsystem->step({0.1, 0.2});
        EXPECT_EQ(read(*subsystem, "int32_out"), integer(5)) << attempt;
        write(*subsystem, "int32_in", integer(6));
        subsystem->restore(StateSlot::step_begin);
    }
}

TEST_P(DiscreteInput, written_before_serialising_is_there_after_deserialising) {
    const auto subsystem = feedthrough();
    ASSERT_EQ(subsystem->interface().capabilities.serialise, can_save(GetParam()));
    if (!can_save(GetParam())) return;
    write(*subsystem, "int32_in", integer(5));
    write(*subsystem, "string_in", text("late"));
    std::vector<std::byte> bytes;
    subsystem->serialise(bytes);
    const auto other = feedthrough();
    other->deserialise(bytes);
    other->step({0.1, 0.2});
    EXPECT_EQ(read(*other, "int32_out"), integer(5));
    EXPECT_EQ(read(*other, "string_out"), text("late"));
}

/// Its input counts only at an event.
class Latch : public Model {
public:
    Input<bool> in{*this, "in", false};
    Discrete<double> latched{*this, "latched", 0.0, {.output = true}};
    void event() override { latched = in.value() ? 1.0 : 0.0; }
};

TEST(NativeDiscreteInput, is_an_event_for_a_native_model) {
    static const kit::ModelClass model_class = kit::make_model_class<Latch>("Latch", {});
    const auto latch = kit::make_native_subsystem(model_class, "latch", {});
    initialise(*latch, 2.0);
    latch->step({0.0, 0.1});
    EXPECT_EQ(test::outputs_of(*latch), std::vector{0.0});
    write(*latch, "in", integer(1));
    latch->save(StateSlot::step_begin);
    for (int attempt = 0; attempt < 2; ++attempt) {
        latch->step({0.1, 0.2});
        EXPECT_EQ(test::outputs_of(*latch), std::vector{1.0}) << attempt;
        latch->restore(StateSlot::step_begin);
    }
}

}  // namespace
}  // namespace tandem
