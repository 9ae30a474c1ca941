// How long modelDescription.xml takes to read. Goals: 1,000 variables far below 50 ms, 20,000 below
// 0.5 s.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "fmi/description/parse.hpp"

namespace {

constexpr const char* head_fmi2 =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Large" guid="{0}" numberOfEventIndicators="0">
  <ModelExchange modelIdentifier="Large"/>
  <CoSimulation modelIdentifier="Large" canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions><Unit name="N.m"><BaseUnit kg="1" m="2" s="-2"/></Unit></UnitDefinitions>
  <TypeDefinitions><SimpleType name="Torque"><Real quantity="Torque" unit="N.m"/></SimpleType>
  </TypeDefinitions>
  <ModelVariables>
)";

constexpr const char* head_fmi3 =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Large" instantiationToken="{0}">
  <ModelExchange modelIdentifier="Large"/>
  <CoSimulation modelIdentifier="Large" canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions><Unit name="N.m"><BaseUnit kg="1" m="2" s="-2"/></Unit></UnitDefinitions>
  <TypeDefinitions><Float64Type name="Torque" quantity="Torque" unit="N.m"/></TypeDefinitions>
  <ModelVariables>
)";

/// Every tenth variable is an output that depends on two others.
std::string description_fmi2(long count) {
    std::string xml = head_fmi2;
    std::string outputs;
    for (long i = 0; i < count; ++i) {
        const bool output = i % 10 == 9;
        xml += fmt::format(
            R"(    <ScalarVariable name="vehicle.axle[{0}].shaft.torque{0}" valueReference="{0}" )"
            R"(description="torque in the shaft" causality="{1}" variability="continuous">
      <Real declaredType="Torque" nominal="100" min="-1e6" max="1e6"/></ScalarVariable>
)",
            i, output ? "output" : "local");
        if (output)
            outputs += fmt::format(R"(      <Unknown index="{}" dependencies="{} {}"/>
)",
                                   i + 1, i, i - 1);
    }
    return xml + "  </ModelVariables>\n  <ModelStructure><Outputs>\n" + outputs +
           "    </Outputs></ModelStructure>\n</fmiModelDescription>\n";
}

std::string description_fmi3(long count) {
    std::string xml = head_fmi3;
    std::string outputs;
    for (long i = 0; i < count; ++i) {
        const bool output = i % 10 == 9;
        xml += fmt::format(
            R"(    <Float64 name="vehicle.axle[{0}].shaft.torque{0}" valueReference="{0}" )"
            R"(description="torque in the shaft" causality="{1}" declaredType="Torque" )"
            R"(nominal="100" min="-1e6" max="1e6"/>
)",
            i, output ? "output" : "local");
        if (output)
            outputs += fmt::format(R"(    <Output valueReference="{}" dependencies="{} {}"/>
)",
                                   i, i - 1, i - 2);
    }
    return xml + "  </ModelVariables>\n  <ModelStructure>\n" + outputs +
           "  </ModelStructure>\n</fmiModelDescription>\n";
}

void parse(benchmark::State& state, const std::string& xml) {
    for (auto _ : state) {
        tandem::Diagnostics findings;
        const auto model = tandem::fmi::parse_model_description(xml, "large.xml", findings);
        if (!findings.empty()) state.SkipWithError(findings.front().problem.c_str());
        benchmark::DoNotOptimize(model.variables.data());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void parse_fmi2(benchmark::State& state) { parse(state, description_fmi2(state.range(0))); }
void parse_fmi3(benchmark::State& state) { parse(state, description_fmi3(state.range(0))); }

BENCHMARK(parse_fmi2)->Arg(1'000)->Arg(20'000)->Unit(benchmark::kMillisecond);
BENCHMARK(parse_fmi3)->Arg(1'000)->Arg(20'000)->Unit(benchmark::kMillisecond);

}  // namespace
