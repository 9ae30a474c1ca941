// What every FMU promises as a subsystem: CS FMUs, and ME FMUs hosted with a solver.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "ode/host/hosted_ode.hpp"
#include "subsystem/cs_fmu.hpp"
#include "subsystem/fmu_ode.hpp"
#include "support/allocation_counter.hpp"

namespace tandem {
namespace {

struct Sort {
    const char* label;
    const char* file;  ///< behind the name of the model
    bool hosted;
    bool can_save;
};

constexpr Sort all_sorts[] = {
    {"fmi1_cs", "_fmi1_cs.fmu", false, false}, {"fmi1_me", "_fmi1_me.fmu", true, false},
    {"fmi2_cs", "_fmi2.fmu", false, true},     {"fmi2_me", "_fmi2.fmu", true, true},
    {"fmi3_cs", "_fmi3.fmu", false, true},     {"fmi3_me", "_fmi3.fmu", true, true},
};

std::unique_ptr<Subsystem> make(const std::string& model, const Sort& sort) {
    const auto fmu = fmi::Fmu::open(std::filesystem::path(TANDEM_FMU_DIR) / (model + sort.file));
    fmi::InstanceOptions instance;
    instance.name = model;
    if (!sort.hosted)
        return std::make_unique<subsystem::CsFmu>(
            fmu, subsystem::CsFmuOptions{.instance = instance, .on_event = {}});
    ode::HostedOdeOptions options;
    options.solver.relative_tolerance = 1e-8;
    return std::make_unique<ode::HostedOde>(std::make_unique<subsystem::FmuOde>(fmu, instance),
                                            options);
}

void initialise(Subsystem& subsystem) {
    subsystem.enter_initialisation({0.0, 10.0, 1e-8});
    subsystem.exit_initialisation();
}

std::vector<double> run(Subsystem& subsystem, int first, int count) {
    std::vector<double> values, outputs(subsystem.interface().outputs.size());
    for (int k = first; k < first + count; ++k) {
        EXPECT_EQ(subsystem.step({0.1 * k, 0.1 * (k + 1)}).outcome, Outcome::complete);
        subsystem.get_outputs(outputs);
        values.insert(values.end(), outputs.begin(), outputs.end());
    }
    return values;
}

class FmuSubsystem : public ::testing::TestWithParam<Sort> {};
INSTANTIATE_TEST_SUITE_P(Sorts, FmuSubsystem, ::testing::ValuesIn(all_sorts),
                         [](const auto& sort) { return std::string(sort.param.label); });

TEST_P(FmuSubsystem, a_restored_run_repeats_bit_for_bit) {
    for (const char* model : {"VanDerPol", "BouncingBall", "Stair", "ClockedCounter"}) {
        const auto subsystem = make(model, GetParam());
        EXPECT_EQ(subsystem->interface().capabilities.rollback, GetParam().can_save) << model;
        if (!GetParam().can_save) continue;
        initialise(*subsystem);
        run(*subsystem, 0, 7);
        subsystem->save(StateSlot::step_begin);
        run(*subsystem, 7, 20);
        subsystem->restore(StateSlot::step_begin);
        const auto first = run(*subsystem, 7, 20);
        subsystem->restore(StateSlot::step_begin);
        EXPECT_EQ(run(*subsystem, 7, 20), first) << model;
    }
}

TEST_P(FmuSubsystem, a_state_that_went_through_bytes_continues_bit_for_bit) {
    for (const char* model : {"VanDerPol", "BouncingBall", "Stair", "ClockedCounter"}) {
        const auto subsystem = make(model, GetParam());
        ASSERT_EQ(subsystem->interface().capabilities.serialise, GetParam().can_save) << model;
        if (!GetParam().can_save) continue;
        initialise(*subsystem);
        run(*subsystem, 0, 7);
        std::vector<std::byte> bytes;
        subsystem->serialise(bytes);
        subsystem->deserialise(bytes);
        const auto first = run(*subsystem, 7, 20);
        const auto other = make(model, GetParam());
        initialise(*other);
        other->deserialise(bytes);
        EXPECT_EQ(run(*other, 7, 20), first) << model;
    }
}

TEST_P(FmuSubsystem, jacobians_equal_differences) {
    const auto subsystem = make("Dahlquist", GetParam());
    // Only FMI 1.0 Co-Simulation has none.
    const bool has_jacobians = GetParam().hosted || GetParam().can_save;
    ASSERT_EQ(subsystem->interface().capabilities.jacobians, has_jacobians);
    if (!has_jacobians) return;
    initialise(*subsystem);
    std::vector<double> outputs(2), changed(2), sensitivity(2);
    const double u = 0.0, step = 0.25;
    subsystem->set_inputs({.values = {&u, 1}});
    run(*subsystem, 0, 1);
    subsystem->jacobian_times({&step, 1}, sensitivity);
    subsystem->get_outputs(outputs);
    subsystem->set_inputs({.values = {&step, 1}});
    subsystem->get_outputs(changed);
    // The outputs are linear in u; the hosted one may itself use differences, good to 1e-7.
    for (std::size_t i = 0; i < outputs.size(); ++i)
        EXPECT_NEAR(sensitivity[i], changed[i] - outputs[i], 1e-7) << i;
}

TEST_P(FmuSubsystem, follows_the_slope_of_an_input_inside_a_step) {
    const auto subsystem = make("Dahlquist", GetParam());
    ASSERT_GE(subsystem->interface().capabilities.input_derivatives, 1);
    initialise(*subsystem);
    const double value = 0.0, slope = 1.0;
    subsystem->set_inputs({.values = {&value, 1}, .derivatives = {&slope, 1}, .order = 1});
    ASSERT_EQ(subsystem->step({0.0, 1.0}).outcome, Outcome::complete);
    std::vector<double> outputs(2);
    subsystem->get_outputs(outputs);
    // dx = -x + t, x(0) = 1: x(1) = 2 exp(-1). An FMU that samples its inputs at its own internal
    // steps is as good as they are fine.
    EXPECT_NEAR(outputs[0], 2.0 * std::exp(-1.0), 1e-3);
}

TEST_P(FmuSubsystem, a_macro_step_of_a_co_simulation_fmu_allocates_nothing_of_ours) {
    if (GetParam().hosted) return;
    const auto subsystem = make("Dahlquist", GetParam());
    initialise(*subsystem);
    std::vector<double> outputs(2);
    const double u = 0.0;
    const auto step = [&](int k) {
        subsystem->set_inputs({.values = {&u, 1}});
        subsystem->step({0.1 * k, 0.1 * (k + 1)});
        subsystem->get_outputs(outputs);
    };
    step(0);
    const test::AllocationCounter counter;
    step(1);
    EXPECT_EQ(counter.count(), 0);
}

TEST_P(FmuSubsystem, every_port_is_a_variable_with_the_same_value) {
    const auto subsystem = make("VanDerPol", GetParam());
    initialise(*subsystem);
    const std::vector<double> outputs = run(*subsystem, 0, 1);
    Variables& variables = subsystem->variables();
    for (std::size_t port = 0; port < outputs.size(); ++port)
        for (std::size_t i = 0; i < variables.list().size(); ++i) {
            if (variables.list()[i].name != subsystem->interface().outputs[port].name) continue;
            const VariableGroup group = variables.group({&i, 1});
            Values values;
            values.resize(group.type, group.size);
            variables.read(group, values);
            EXPECT_EQ(values.reals[0], outputs[port]) << variables.list()[i].name;
        }
}

}  // namespace
}  // namespace tandem
