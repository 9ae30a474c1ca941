#include "fmi/description/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/descriptions.hpp"

namespace tandem::fmi {
namespace {

using test::fmi1_description;
using test::fmi2_description;
using test::fmi3_description;
using test::with;
using testing::ElementsAre;
using testing::HasSubstr;

ModelDescription parse(const std::string& xml) {
    Diagnostics findings;
    ModelDescription model = parse_model_description(xml, "x.fmu/modelDescription.xml", findings);
    for (const Diagnostic& finding : findings)
        ADD_FAILURE() << finding.place << ": " << finding.problem;
    return model;
}

const Variable& variable(const ModelDescription& model, const char* name) {
    return model.variables.at(model.find(name).value());
}

TEST(ParseFmi1, co_simulation_is_told_by_the_implementation_element) {
    const ModelDescription model = parse(fmi1_description);
    EXPECT_EQ(model.version, Version::v1);
    ASSERT_TRUE(model.co_simulation);
    EXPECT_FALSE(model.model_exchange);
    EXPECT_EQ(model.co_simulation->model_identifier, "decay");
    EXPECT_TRUE(model.co_simulation->can_handle_variable_step);
    EXPECT_TRUE(model.co_simulation->can_interpolate_inputs);
    EXPECT_TRUE(model.co_simulation->only_once_per_process);
    EXPECT_FALSE(model.co_simulation->needs_execution_tool);
    EXPECT_EQ(model.co_simulation->max_output_derivative_order, 1U);
    EXPECT_EQ(model.vendor_annotations, std::vector<std::string>{"hand"});
}

TEST(ParseFmi1, without_implementation_it_is_model_exchange_with_counted_states) {
    std::string xml = fmi1_description;
    const auto begin = xml.find("  <Implementation>");
    const auto end = xml.find("</Implementation>") + 17;
    const ModelDescription model = parse(xml.erase(begin, end - begin));
    ASSERT_TRUE(model.model_exchange);
    EXPECT_FALSE(model.co_simulation);
    EXPECT_EQ(model.state_count, 1U);
    EXPECT_EQ(model.event_indicator_count, 2U);
    EXPECT_TRUE(model.structure.derivatives.empty());
}

TEST(ParseFmi1, a_tool_coupling_needs_the_tool) {
    std::string xml = with(fmi1_description, "<CoSimulation_StandAlone>", "<CoSimulation_Tool>");
    xml = with(xml, "</CoSimulation_StandAlone>", "</CoSimulation_Tool>");
    EXPECT_TRUE(parse(xml).co_simulation.value().needs_execution_tool);
}

TEST(ParseFmi1, its_words_for_roles_become_those_of_later_versions) {
    const ModelDescription model = parse(fmi1_description);
    EXPECT_EQ(variable(model, "x").causality, Causality::local);
    EXPECT_EQ(variable(model, "x").variability, Variability::continuous);
    EXPECT_EQ(variable(model, "x").initial, Initial::exact);
    EXPECT_EQ(variable(model, "der(x)").initial, Initial::calculated);
    EXPECT_EQ(variable(model, "k").causality, Causality::parameter);
    EXPECT_EQ(variable(model, "k").variability, Variability::fixed);
    EXPECT_EQ(variable(model, "count").initial, Initial::approx);
    EXPECT_EQ(variable(model, "count").type, ValueType::int32);
    EXPECT_EQ(variable(model, "mode").type, ValueType::enumeration);
    EXPECT_EQ(variable(model, "label").variability, Variability::constant);
    EXPECT_TRUE(variable(model, "minus_y").negated_alias);
    EXPECT_EQ(variable(model, "minus_y").reference, variable(model, "y").reference);
}

TEST(ParseFmi1, direct_dependencies_become_those_of_the_outputs) {
    const ModelDescription model = parse(fmi1_description);
    ASSERT_EQ(model.structure.outputs.size(), 1U);
    EXPECT_EQ(model.structure.outputs[0].variable, model.find("y"));
    ASSERT_TRUE(model.structure.outputs[0].dependencies);
    ASSERT_EQ(model.structure.outputs[0].dependencies->size(), 1U);
    EXPECT_EQ(model.structure.outputs[0].dependencies->front().variable, model.find("u"));
}

TEST(ParseFmi1, units_types_and_enumeration_items_are_read) {
    const ModelDescription model = parse(fmi1_description);
    ASSERT_NE(model.unit("K"), nullptr);
    EXPECT_DOUBLE_EQ(model.unit("K")->display_units.at(0).offset, -273.15);
    ASSERT_NE(model.type("Mode"), nullptr);
    EXPECT_EQ(model.type("Mode")->items.at(1).value, 2);
    EXPECT_EQ(variable(model, "x").attributes.unit, "K");
}

TEST(ParseFmi2, general_attributes_are_read) {
    const ModelDescription model = parse(fmi2_description);
    EXPECT_EQ(model.version, Version::v2);
    EXPECT_EQ(model.model_name, "Decay");
    EXPECT_EQ(model.instantiation_token, "{2}");
    EXPECT_EQ(model.license, "MIT");
    EXPECT_TRUE(model.structured_names);
    EXPECT_EQ(model.experiment.stop_time, 2.0);
    EXPECT_EQ(model.experiment.step_size, 0.01);
    EXPECT_EQ(model.log_categories.at(0).name, "logAll");
    EXPECT_EQ(model.event_indicator_count, 2U);
    EXPECT_EQ(model.state_count, 1U);
}

TEST(ParseFmi2, capabilities_belong_to_their_kind) {
    const ModelDescription model = parse(fmi2_description);
    EXPECT_TRUE(model.model_exchange->can_get_and_set_state);
    EXPECT_TRUE(model.model_exchange->provides_directional_derivatives);
    EXPECT_TRUE(model.model_exchange->needs_completed_integrator_step);
    EXPECT_FALSE(model.co_simulation->can_get_and_set_state);
    EXPECT_TRUE(model.co_simulation->can_serialize_state);
    EXPECT_EQ(model.co_simulation->max_output_derivative_order, 2U);
    EXPECT_THAT(model.co_simulation->source_files, ElementsAre("decay.c"));
    EXPECT_EQ(model.kind(Kind::scheduled_execution), nullptr);
}

TEST(ParseFmi2, a_variable_inherits_from_its_type_and_may_say_otherwise) {
    const ModelDescription model = parse(fmi2_description);
    const TypeAttributes& attributes = variable(model, "x").attributes;
    EXPECT_EQ(attributes.quantity, "Temperature");
    EXPECT_EQ(attributes.display_unit, "degC");
    EXPECT_EQ(attributes.min, 0.0);
    EXPECT_EQ(attributes.max, 1000.0);
    EXPECT_EQ(attributes.nominal, 300.0);
    EXPECT_EQ(model.type("Mode")->items.at(1).value, 7);
    EXPECT_EQ(model.type("Mode")->items.at(1).description, "running");
}

TEST(ParseFmi2, defaults_of_roles_follow_the_standard) {
    const ModelDescription model = parse(fmi2_description);
    EXPECT_EQ(variable(model, "der(x)").causality, Causality::local);
    EXPECT_EQ(variable(model, "der(x)").initial, Initial::calculated);
    EXPECT_EQ(variable(model, "k").initial, Initial::exact);
    EXPECT_EQ(variable(model, "u").initial, Initial::none);
    EXPECT_EQ(variable(model, "label").initial, Initial::exact);
    EXPECT_EQ(variable(model, "label").start->strings.at(0), "a & b");
}

TEST(ParseFmi2, indices_of_the_structure_count_from_one) {
    const ModelDescription model = parse(fmi2_description);
    EXPECT_EQ(variable(model, "der(x)").derivative_of, model.find("x"));
    ASSERT_EQ(model.structure.outputs.size(), 1U);
    const Unknown& output = model.structure.outputs[0];
    EXPECT_EQ(output.variable, model.find("y"));
    EXPECT_EQ(output.dependencies->at(1).variable, model.find("u"));
    EXPECT_EQ(output.dependencies->at(1).kind, DependencyKind::constant);
    EXPECT_EQ(model.structure.derivatives.at(0).dependencies->at(0).kind, DependencyKind::tunable);
    EXPECT_FALSE(model.structure.initial_unknowns.at(0).dependencies);
    EXPECT_TRUE(model.structure.initial_unknowns.at(1).dependencies->empty());
}

TEST(ParseFmi2, base_units_carry_their_exponents) {
    const ModelDescription model = parse(fmi2_description);
    const std::array<int, 8> kelvin_per_second = {0, 0, -1, 0, 1, 0, 0, 0};
    EXPECT_EQ(model.unit("K/s")->base->exponents, kelvin_per_second);
}

TEST(ParseFmi3, kinds_and_their_capabilities_are_read) {
    const ModelDescription model = parse(fmi3_description);
    EXPECT_TRUE(model.model_exchange->needs_completed_integrator_step);
    EXPECT_FALSE(model.co_simulation->needs_completed_integrator_step);
    EXPECT_TRUE(model.co_simulation->has_event_mode);
    EXPECT_TRUE(model.co_simulation->provides_intermediate_update);
    EXPECT_TRUE(model.co_simulation->might_return_early_from_step);
    EXPECT_TRUE(model.co_simulation->can_return_early);
    EXPECT_TRUE(model.co_simulation->provides_adjoint_derivatives);
    EXPECT_EQ(model.co_simulation->fixed_internal_step_size, 0.001);
    EXPECT_TRUE(model.scheduled_execution);
    EXPECT_EQ(model.vendor_annotations, std::vector<std::string>{"org.example"});
}

TEST(ParseFmi3, arrays_are_sized_by_numbers_and_structural_parameters) {
    const ModelDescription model = parse(fmi3_description);
    EXPECT_EQ(variable(model, "x").size(), 2U);
    EXPECT_EQ(variable(model, "x").dimensions.at(0).parameter, 10U);
    EXPECT_EQ(variable(model, "A").size(), 6U);
    EXPECT_EQ(model.state_count, 2U);
    EXPECT_EQ(model.event_indicator_count, 1U);
}

TEST(ParseFmi3, start_values_of_every_type_are_read_and_one_stands_for_all) {
    const ModelDescription model = parse(fmi3_description);
    EXPECT_THAT(variable(model, "x").start->reals, ElementsAre(300.0, 301.0));
    EXPECT_THAT(variable(model, "A").start->reals, ElementsAre(1, 1, 1, 1, 1, 1));
    EXPECT_THAT(variable(model, "small").start->integers, ElementsAre(-128));
    EXPECT_THAT(variable(model, "big").start->integers, ElementsAre(-1));  // all 64 bits set
    EXPECT_THAT(variable(model, "flags").start->integers, ElementsAre(1, 0));
    EXPECT_THAT(variable(model, "labels").start->strings, ElementsAre("a b", ""));
    EXPECT_THAT(variable(model, "data").start->strings, ElementsAre(std::string("\0\xff\xa1", 3)));
    EXPECT_EQ(variable(model, "data").mime_type, "image/png");
}

TEST(ParseFmi3, aliases_are_found_by_name) {
    const ModelDescription model = parse(fmi3_description);
    EXPECT_EQ(model.find("temperature"), model.find("x"));
    EXPECT_EQ(model.find("nothing"), std::nullopt);
}

TEST(ParseFmi3, clocks_inherit_from_their_type) {
    const ModelDescription model = parse(fmi3_description);
    const ClockAttributes& clock = variable(model, "tick").clock.value();
    EXPECT_EQ(clock.interval_variability, "constant");
    EXPECT_EQ(clock.interval_decimal, 0.1);
    EXPECT_EQ(clock.priority, 1U);
    EXPECT_THAT(variable(model, "counter").clocks, ElementsAre(13U));
    EXPECT_EQ(variable(model, "counter").previous, 15U);
}

TEST(ParseFmi3, structure_refers_by_value_reference) {
    const ModelDescription model = parse(fmi3_description);
    EXPECT_EQ(variable(model, "der(x)").derivative_of, model.find("x"));
    EXPECT_EQ(model.structure.outputs.at(0).dependencies->at(1).variable, model.find("A"));
    EXPECT_EQ(model.structure.clocked_states.at(0).variable, model.find("counter"));
    EXPECT_EQ(variable(model, "A").initial, Initial::exact);
}

TEST(Parse, line_numbers_point_into_the_file) {
    const ModelDescription model = parse(fmi2_description);
    EXPECT_EQ(variable(model, "time").line, 25);
}

TEST(Parse, newer_patch_versions_are_read) {
    EXPECT_EQ(parse(with(fmi2_description, R"(fmiVersion="2.0")", R"(fmiVersion="2.0.4")")).version,
              Version::v2);
    EXPECT_EQ(parse(with(fmi3_description, R"(fmiVersion="3.0")", R"(fmiVersion="3.0.2")")).version,
              Version::v3);
}

struct Slip {
    std::string name;
    std::string xml;
    std::string expected;
};

void PrintTo(const Slip& slip, std::ostream* stream) { *stream << slip.name; }

class ParseSlips : public testing::TestWithParam<Slip> {};

TEST_P(ParseSlips, are_warned_of_with_line_and_hint_but_not_refused) {
    const Slip& slip = GetParam();
    ASSERT_FALSE(slip.xml.empty());
    Diagnostics findings;
    parse_model_description(slip.xml, "x.fmu/modelDescription.xml", findings);
    ASSERT_FALSE(findings.empty());
    const auto found = std::find_if(findings.begin(), findings.end(), [&](const Diagnostic& each) {
        return each.problem.find(slip.expected) != std::string::npos;
    });
    ASSERT_NE(found, findings.end()) << "only found: " << findings.front().problem;
    EXPECT_EQ(found->severity, Severity::warning);
    EXPECT_THAT(found->place, HasSubstr("x.fmu/modelDescription.xml:"));
    EXPECT_FALSE(found->hint.empty());
}

Slip slip2(const char* name, const char* from, const char* to, const char* expected) {
    return {name, with(fmi2_description, from, to), expected};
}
Slip slip3(const char* name, const char* from, const char* to, const char* expected) {
    return {name, with(fmi3_description, from, to), expected};
}

INSTANTIATE_TEST_SUITE_P(
    Known, ParseSlips,
    testing::Values(
        slip2("undefined_unit", R"(unit="1/s" start)", R"(unit="rpm" start)", "unit 'rpm' of 'k'"),
        slip2("continuous_integer", R"("0" variability="discrete" initial)",
              R"("0" variability="continuous" initial)", "'count' is of type Int32"),
        slip2("continuous_parameter", R"(variability="tunable")", R"(variability="continuous")",
              "'k' is a parameter"),
        slip2("odd_structured_name", R"(name="label")", R"x(name="a label(1)")x",
              "not a structured name"),
        slip2("control_character_in_name", R"(name="label")", R"(name="a&#7;b")",
              "control characters"),
        slip2("empty_outputs",
              R"(<Unknown index="6" dependencies="2 5" dependenciesKind="dependent constant"/>)",
              "", "does not list the output 'y'"),
        slip2("output_that_is_none", R"(<Outputs>)", R"(<Outputs><Unknown index="2"/>)",
              "'x' as output but it is none"),
        slip2("output_twice", R"(<Outputs>)", R"(<Outputs><Unknown index="6"/>)", "twice"),
        slip2("missing_start", R"(<Real start="0"/>)", "<Real/>", "'u' needs a start value"),
        slip2("superfluous_start", R"(derivative="2")", R"(derivative="2" start="1")",
              "must not have a start value"),
        slip2("malformed_start", R"(<Integer start="3"/>)", R"(<Integer start="3.5"/>)",
              "start value '3.5' of 'count' is no Int32"),
        slip2("minimum_above_maximum", R"(max="1000")", R"(max="-5")", "exceeds its maximum"),
        slip2("start_outside_of_limits", R"(max="1000")", R"(max="200")",
              "'x' starts outside of its limits"),
        slip2("nominal_zero", R"(max="1000")", R"(nominal="0")", "nominal value 0"),
        slip2("unknown_attribute", R"(name="k")", R"(name="k" colour="red")", "attribute 'colour'"),
        slip2("unknown_element", "<LogCategories>", "<Surprise/><LogCategories>", "<'Surprise'>"),
        slip2("malformed_flag", R"(canInterpolateInputs="true")", R"(canInterpolateInputs="yes")",
              "'canInterpolateInputs'"),
        slip2("unknown_causality", R"(causality="output")", R"(causality="outlet")", "'outlet'"),
        slip2("initial_of_input", R"(causality="input"><Real)",
              R"(causality="input" initial="exact"><Real)", "must not have the attribute"),
        slip2("unknown_type", R"(declaredType="Mode")", R"(declaredType="Moods")", "not defined"),
        slip2("type_of_another_kind", R"(declaredType="Mode")", R"(declaredType="Temperature")",
              "of another kind"),
        slip2("enumeration_without_type", R"(declaredType="Mode")", "", "no declaredType"),
        slip2("enumeration_item_twice", R"(<Item name="on" value="7")",
              R"(<Item name="on" value="0")", "occurs twice"),
        slip2("unit_twice", R"(<Unit name="1/s">)", R"(<Unit name="K">)", "defined twice"),
        slip2("wrong_dependency_kind", R"("tunable dependent")", R"("tunable perhaps")",
              "'perhaps'"),
        slip2("too_few_dependency_kinds", R"("tunable dependent")", R"("tunable")",
              "2 dependencies but 1 kinds"),
        slip2("derivative_of_no_state", R"( derivative="2")", "", "of no state"),
        slip2("no_derivatives_listed",
              R"(<Unknown index="3" dependencies="2 4" dependenciesKind="tunable dependent"/>)", "",
              "lists none"),
        slip2("alias_with_another_unit", R"(name="k" valueReference="2")",
              R"(name="k" valueReference="0")", "differ in unit"),
        slip2("date_that_is_none", "2026-01-31T12:00:00Z", "yesterday", "'yesterday'"),
        slip2("experiment_that_ends_before_it_starts", R"(stopTime="2")", R"(stopTime="-2")",
              "stops before"),
        slip2("negative_step_size", R"(stepSize="0.01")", R"(stepSize="-1")", "step size"),
        slip2("second_independent",
              R"(name="u" valueReference="3" causality="input"><Real start="0")",
              R"(name="u" valueReference="3" causality="independent"><Real)", "second independent"),
        slip3("draft_version", R"(fmiVersion="3.0")", R"(fmiVersion="3.0-rc.1")", "draft"),
        slip3("wrong_number_of_starts", R"(start="300 301")", R"(start="300 301 302")",
              "3 start values but 2 elements"),
        slip3("empty_array", R"(causality="structuralParameter" start="2")",
              R"(causality="structuralParameter" start="0")", "without elements"),
        slip3("clock_that_is_none", R"(clocks="13" previous)", R"(clocks="12" previous)",
              "which is none"),
        slip3("unknown_variable_element", "<Float64 name=\"height\"",
              "<Float128/><Float64 name=\"height\"", "<'Float128'>"),
        slip3("start_out_of_range", R"(start="-128")", R"(start="-129")", "is no Int8"),
        Slip{"dependency_on_nothing", with(fmi1_description, "<Name>u</Name>", "<Name>w</Name>"),
             "which does not exist"}),
    [](const auto& each) { return each.param.name; });

TEST(Parse, repeated_warnings_of_one_kind_are_counted_not_listed) {
    std::string variables;
    for (int i = 0; i < 1000; ++i)
        variables += "<ScalarVariable name=\"v" + std::to_string(i) + "\" valueReference=\"" +
                     std::to_string(100 + i) + "\" colour=\"red\"><Real/></ScalarVariable>";
    Diagnostics findings;
    parse_model_description(
        with(fmi2_description, "</ModelVariables>", variables + "</ModelVariables>"), "x.xml",
        findings);
    EXPECT_LT(findings.size(), 20U);
    EXPECT_THAT(findings.back().problem, HasSubstr("990 more"));
}

TEST(Parse, missing_outputs_are_added_as_depending_on_everything) {
    Diagnostics findings;
    const ModelDescription model = parse_model_description(
        with(
            fmi3_description,
            R"(<Output valueReference="4" dependencies="0 3" dependenciesKind="constant dependent"/>)",
            ""),
        "x.xml", findings);
    ASSERT_EQ(model.structure.outputs.size(), 1U);
    EXPECT_EQ(model.structure.outputs[0].variable, model.find("y"));
    EXPECT_FALSE(model.structure.outputs[0].dependencies);
}

}  // namespace
}  // namespace tandem::fmi
