// Events of Co-Simulation FMUs that misbehave.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "files/temporary_folder.hpp"
#include "subsystem/cs_fmu.hpp"
#include "support/model_kinds.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

constexpr const char* description = R"xml(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="odd" instantiationToken="odd">
  <CoSimulation modelIdentifier="odd" canHandleVariableCommunicationStepSize="true"
                hasEventMode="true" canReturnEarlyAfterIntermediateUpdate="true"/>
  <ModelVariables>
    <Int32 name="mode" valueReference="1" causality="input" variability="discrete" start="0"/>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>)xml";

class CsEvents : public ::testing::Test {
protected:
    std::unique_ptr<subsystem::CsFmu> initialised(const std::string& behaviour) {
        const auto binaries = folder_.path() / "binaries" / "x86_64-linux";
        std::filesystem::create_directories(binaries);
        std::filesystem::copy_file(std::filesystem::path(TANDEM_ODD_FMUS) / "odd_fmi3.so",
                                   binaries / "odd.so");
        std::ofstream(folder_.path() / "modelDescription.xml") << description;
        subsystem::CsFmuOptions options;
        options.instance.name = behaviour;
        auto fmu = std::make_unique<subsystem::CsFmu>(fmi::Fmu::open(folder_.path()), options);
        test::initialise(*fmu, 1.0);
        return fmu;
    }

private:
    TemporaryFolder folder_;
};

TEST_F(CsEvents, that_never_let_time_go_on_are_an_error) {
    EXPECT_THROW(initialised("stuck")->step({0.0, 0.1}), NumericsError);
}

TEST_F(CsEvents, due_now_are_handled_without_a_step_of_no_length) {
    const auto fmu = initialised("event now");
    for (int k = 0; k < 3; ++k) {
        const StepResult result = fmu->step({0.1 * k, 0.1 * (k + 1)});
        EXPECT_EQ(result.outcome, Outcome::complete);
        EXPECT_EQ(result.reached, 0.1 * (k + 1));
    }
}

TEST_F(CsEvents, that_end_the_simulation_at_its_start_terminate_the_first_step) {
    const auto fmu = initialised("ends at the start");
    EXPECT_EQ(fmu->step({0.0, 0.1}).outcome, Outcome::terminated);
    fmu->finish();
}

TEST_F(CsEvents, that_end_the_simulation_after_a_write_terminate_the_next_step) {
    const auto fmu = initialised("ends after a write");
    EXPECT_EQ(fmu->step({0.0, 0.1}).outcome, Outcome::complete);
    Values mode;
    mode.integers = {1};
    test::write(*fmu, "mode", mode);
    const StepResult result = fmu->step({0.1, 0.2});
    EXPECT_EQ(result.outcome, Outcome::terminated);
    EXPECT_EQ(result.reached, 0.1);
}

TEST(CsSlopes, are_sent_anew_after_a_restore) {
    std::vector<std::string> calls;
    subsystem::CsFmuOptions options;
    options.instance.name = "Dahlquist";
    options.instance.on_call = [&](const std::string& call) { calls.push_back(call); };
    subsystem::CsFmu fmu(fmi::Fmu::open(test::file_of("Dahlquist", "fmi2_cs")), options);
    test::initialise(fmu, 1.0);
    const double value = 0.0, slope = 1.0;
    fmu.save(StateSlot::step_begin);
    fmu.set_inputs({.values = {&value, 1}, .derivatives = {&slope, 1}, .order = 1});
    fmu.step({0.0, 0.1});
    fmu.restore(StateSlot::step_begin);
    calls.clear();
    fmu.set_inputs({.values = {&value, 1}});
    ASSERT_FALSE(calls.empty());
    EXPECT_TRUE(calls.back().starts_with("fmi2SetRealInputDerivatives(")) << calls.back();
    EXPECT_NE(calls.back().find("[0]"), std::string::npos) << calls.back();
}

}  // namespace
}  // namespace tandem
