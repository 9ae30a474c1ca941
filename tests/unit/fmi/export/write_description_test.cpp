#include <gtest/gtest.h>

#include "fmi/description/parse.hpp"
#include "fmi/export/exported_instance.hpp"
#include "fmi/import/fmu.hpp"

using namespace tandem;
using namespace tandem::fmi;

namespace {

const std::vector<std::string> models = {"BouncingBall",  "ClockedCounter", "Dahlquist",
                                         "Feedthrough",   "HeatRod",        "IllBehaved",
                                         "MovingAverage", "Stair",          "VanDerPol"};

class WrittenDescription : public ::testing::TestWithParam<std::string> {
protected:
    std::shared_ptr<Fmu> open(const std::string& model) {
        return Fmu::open(std::string(TANDEM_FMU_DIR) + "/" + model + "_" + GetParam() + ".fmu");
    }
    Kind kind() const {
        return GetParam() == "fmi1_me" ? Kind::model_exchange : Kind::co_simulation;
    }
};

void expect_same_variable(const Variable& a, const Variable& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.description, b.description) << a.name;
    EXPECT_EQ(a.reference, b.reference) << a.name;
    EXPECT_EQ(a.type, b.type) << a.name;
    EXPECT_EQ(a.causality, b.causality) << a.name;
    EXPECT_EQ(a.variability, b.variability) << a.name;
    EXPECT_EQ(a.initial, b.initial) << a.name;
    EXPECT_EQ(a.start, b.start) << a.name;
    EXPECT_EQ(a.derivative_of, b.derivative_of) << a.name;
    EXPECT_EQ(a.attributes.unit, b.attributes.unit) << a.name;
    EXPECT_EQ(a.attributes.min, b.attributes.min) << a.name;
    EXPECT_EQ(a.attributes.nominal, b.attributes.nominal) << a.name;
    EXPECT_EQ(a.dimensions.size(), b.dimensions.size()) << a.name;
    EXPECT_EQ(a.clock.has_value(), b.clock.has_value()) << a.name;
}

void expect_same_rows(const std::vector<Unknown>& a, const std::vector<Unknown>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].variable, b[i].variable);
        ASSERT_EQ(a[i].dependencies.has_value(), b[i].dependencies.has_value());
        if (!a[i].dependencies) continue;
        ASSERT_EQ(a[i].dependencies->size(), b[i].dependencies->size());
        for (std::size_t k = 0; k < a[i].dependencies->size(); ++k)
            EXPECT_EQ((*a[i].dependencies)[k].variable, (*b[i].dependencies)[k].variable);
    }
}

}  // namespace

TEST_P(WrittenDescription, of_every_own_model_gives_no_finding) {
    for (const std::string& model : models) {
        const auto fmu = open(model);
        for (const Diagnostic& finding : fmu->findings())
            ADD_FAILURE() << model << ": " << finding.place << ": " << finding.problem;
    }
}

TEST_P(WrittenDescription, reads_back_to_what_was_written) {
    for (const std::string& model : models) {
        const auto fmu = open(model);
        const ModelDescription& once = fmu->description();
        Diagnostics findings;
        const ModelDescription twice =
            parse_model_description(write_model_description(once, kind()), model, findings);
        EXPECT_TRUE(findings.empty()) << model;
        EXPECT_EQ(once.instantiation_token, twice.instantiation_token);
        EXPECT_EQ(once.state_count, twice.state_count);
        EXPECT_EQ(once.event_indicator_count, twice.event_indicator_count);
        EXPECT_EQ(once.units.size(), twice.units.size());
        EXPECT_EQ(once.types.size(), twice.types.size());
        EXPECT_EQ(once.experiment.stop_time, twice.experiment.stop_time);
        ASSERT_EQ(once.variables.size(), twice.variables.size());
        for (std::size_t i = 0; i < once.variables.size(); ++i)
            expect_same_variable(once.variables[i], twice.variables[i]);
        expect_same_rows(once.structure.outputs, twice.structure.outputs);
        expect_same_rows(once.structure.derivatives, twice.structure.derivatives);
        expect_same_rows(once.structure.event_indicators, twice.structure.event_indicators);
    }
}

INSTANTIATE_TEST_SUITE_P(AllVersions, WrittenDescription,
                         ::testing::Values("fmi1_cs", "fmi1_me", "fmi2", "fmi3"),
                         [](const auto& chosen) { return chosen.param; });
