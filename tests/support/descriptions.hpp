#pragma once

#include <string>

namespace tandem::test {

// Valid descriptions, one for each FMI version, that use most of what the version offers and give
// no finding. The state x decays with rate k, y = x + u.

inline const std::string fmi1_description = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="1.0" modelName="Decay" modelIdentifier="decay" guid="{1}"
    description="first order" author="Tandem" version="1" generationTool="by hand"
    generationDateAndTime="2026-01-31T12:00:00Z" variableNamingConvention="structured"
    numberOfContinuousStates="1" numberOfEventIndicators="2">
  <UnitDefinitions>
    <BaseUnit unit="K"><DisplayUnitDefinition displayUnit="degC" gain="1" offset="-273.15"/></BaseUnit>
  </UnitDefinitions>
  <TypeDefinitions>
    <Type name="Temperature"><RealType quantity="Temperature" unit="K" displayUnit="degC" min="0"/></Type>
    <Type name="Mode"><EnumerationType min="1" max="2"><Item name="off"/><Item name="on"/></EnumerationType></Type>
  </TypeDefinitions>
  <DefaultExperiment startTime="0" stopTime="2" tolerance="1e-6"/>
  <VendorAnnotations><Tool name="hand"/></VendorAnnotations>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0"><Real declaredType="Temperature" start="300" fixed="true"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="1"><Real/></ScalarVariable>
    <ScalarVariable name="k" valueReference="2" variability="parameter"><Real start="0.5"/></ScalarVariable>
    <ScalarVariable name="u" valueReference="3" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="4" causality="output"><Real/>
      <DirectDependency><Name>u</Name></DirectDependency></ScalarVariable>
    <ScalarVariable name="minus_y" valueReference="4" alias="negatedAlias"><Real/></ScalarVariable>
    <ScalarVariable name="count" valueReference="0" variability="discrete"><Integer start="3" fixed="false"/></ScalarVariable>
    <ScalarVariable name="mode" valueReference="1" variability="parameter"><Enumeration declaredType="Mode" start="2"/></ScalarVariable>
    <ScalarVariable name="label" valueReference="0" variability="constant"><String start="a &amp; b"/></ScalarVariable>
  </ModelVariables>
  <Implementation>
    <CoSimulation_StandAlone>
      <Capabilities canHandleVariableCommunicationStepSize="true" canInterpolateInputs="true"
          maxOutputDerivativeOrder="1" canBeInstantiatedOnlyOncePerProcess="true"/>
    </CoSimulation_StandAlone>
  </Implementation>
</fmiModelDescription>
)xml";

inline const std::string fmi2_description = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Decay" guid="{2}" description="first order"
    author="Tandem" version="1" copyright="none" license="MIT" generationTool="by hand"
    generationDateAndTime="2026-01-31T12:00:00Z" variableNamingConvention="structured"
    numberOfEventIndicators="2">
  <ModelExchange modelIdentifier="decay" canGetAndSetFMUstate="true"
      providesDirectionalDerivative="true"/>
  <CoSimulation modelIdentifier="decay" canHandleVariableCommunicationStepSize="true"
      canInterpolateInputs="true" maxOutputDerivativeOrder="2" canSerializeFMUstate="true">
    <SourceFiles><File name="decay.c"/></SourceFiles>
  </CoSimulation>
  <UnitDefinitions>
    <Unit name="K"><BaseUnit K="1"/><DisplayUnit name="degC" offset="-273.15"/></Unit>
    <Unit name="1/s"><BaseUnit s="-1"/></Unit>
    <Unit name="K/s"><BaseUnit K="1" s="-1"/></Unit>
  </UnitDefinitions>
  <TypeDefinitions>
    <SimpleType name="Temperature"><Real quantity="Temperature" unit="K" displayUnit="degC" min="0" nominal="300"/></SimpleType>
    <SimpleType name="Mode"><Enumeration><Item name="off" value="0"/><Item name="on" value="7" description="running"/></Enumeration></SimpleType>
  </TypeDefinitions>
  <LogCategories><Category name="logAll" description="everything"/></LogCategories>
  <DefaultExperiment startTime="0" stopTime="2" tolerance="1e-6" stepSize="0.01"/>
  <VendorAnnotations><Tool name="hand"/></VendorAnnotations>
  <ModelVariables>
    <ScalarVariable name="time" valueReference="9" causality="independent"><Real/></ScalarVariable>
    <ScalarVariable name="x" valueReference="0" initial="exact"><Real declaredType="Temperature" start="300" max="1000"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="1"><Real unit="K/s" derivative="2"/></ScalarVariable>
    <ScalarVariable name="k" valueReference="2" causality="parameter" variability="tunable"><Real unit="1/s" start="0.5"/></ScalarVariable>
    <ScalarVariable name="u" valueReference="3" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="4" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="count" valueReference="0" variability="discrete" initial="exact"><Integer start="3"/></ScalarVariable>
    <ScalarVariable name="mode" valueReference="1" causality="parameter" variability="fixed"><Enumeration declaredType="Mode" start="7"/></ScalarVariable>
    <ScalarVariable name="on" valueReference="0" causality="input" variability="discrete"><Boolean start="true"/></ScalarVariable>
    <ScalarVariable name="label" valueReference="0" variability="constant"><String start="a &amp; b"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="6" dependencies="2 5" dependenciesKind="dependent constant"/></Outputs>
    <Derivatives><Unknown index="3" dependencies="2 4" dependenciesKind="tunable dependent"/></Derivatives>
    <InitialUnknowns><Unknown index="3"/><Unknown index="6" dependencies=""/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
)xml";

inline const std::string fmi3_description = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Decay" instantiationToken="{3}"
    generationDateAndTime="2026-01-31T12:00:00Z" variableNamingConvention="structured">
  <ModelExchange modelIdentifier="decay" canGetAndSetFMUState="true"
      needsCompletedIntegratorStep="true"/>
  <CoSimulation modelIdentifier="decay" canHandleVariableCommunicationStepSize="true"
      hasEventMode="true" providesIntermediateUpdate="true" mightReturnEarlyFromDoStep="true"
      canReturnEarlyAfterIntermediateUpdate="true" fixedInternalStepSize="0.001"
      providesAdjointDerivatives="true"/>
  <ScheduledExecution modelIdentifier="decay"/>
  <UnitDefinitions>
    <Unit name="K"><BaseUnit K="1"/><DisplayUnit name="degC" offset="-273.15"/></Unit>
  </UnitDefinitions>
  <TypeDefinitions>
    <Float64Type name="Temperature" quantity="Temperature" unit="K" displayUnit="degC" min="0"/>
    <EnumerationType name="Mode"><Item name="off" value="0"/><Item name="on" value="7"/></EnumerationType>
    <ClockType name="Tick" intervalVariability="constant" intervalDecimal="0.1"/>
    <BinaryType name="Image" mimeType="image/png"/>
  </TypeDefinitions>
  <LogCategories><Category name="logAll"/></LogCategories>
  <DefaultExperiment startTime="0" stopTime="2" tolerance="1e-6" stepSize="0.01"/>
  <ModelVariables>
    <Float64 name="time" valueReference="9" causality="independent"/>
    <UInt64 name="n" valueReference="10" causality="structuralParameter" start="2"/>
    <Float64 name="x" valueReference="0" initial="exact" start="300 301" declaredType="Temperature">
      <Dimension valueReference="10"/><Alias name="temperature" displayUnit="degC"/></Float64>
    <Float64 name="der(x)" valueReference="1" derivative="0"><Dimension valueReference="10"/></Float64>
    <Float32 name="k" valueReference="2" causality="parameter" start="0.5"/>
    <Float64 name="A" valueReference="3" causality="input" start="1"><Dimension start="3"/><Dimension valueReference="10"/></Float64>
    <Float64 name="y" valueReference="4" causality="output"/>
    <Int8 name="small" valueReference="5" causality="parameter" start="-128" min="-128" max="127"/>
    <UInt64 name="big" valueReference="6" causality="parameter" start="18446744073709551615"/>
    <Boolean name="flags" valueReference="7" causality="parameter" start="true false"><Dimension start="2"/></Boolean>
    <String name="labels" valueReference="8" causality="parameter"><Dimension start="2"/><Start value="a b"/><Start value=""/></String>
    <Binary name="data" valueReference="11" causality="parameter" declaredType="Image"><Start value="00ffA1"/></Binary>
    <Enumeration name="mode" valueReference="12" causality="parameter" declaredType="Mode" start="7"/>
    <Clock name="tick" valueReference="13" causality="input" declaredType="Tick" priority="1"/>
    <Int32 name="counter" valueReference="14" clocks="13" previous="15"/>
    <Int32 name="counter_before" valueReference="15" clocks="13" initial="exact" start="0"/>
    <Float64 name="height" valueReference="16"/>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="4" dependencies="0 3" dependenciesKind="constant dependent"/>
    <ContinuousStateDerivative valueReference="1" dependencies="0"/>
    <ClockedState valueReference="14"/>
    <InitialUnknown valueReference="1"/>
    <EventIndicator valueReference="16" dependencies=""/>
  </ModelStructure>
  <Annotations><Annotation type="org.example">text</Annotation></Annotations>
</fmiModelDescription>
)xml";

/// `text` with its only occurrence of `from` replaced; empty if it does not occur, so that a test
/// that misses its target fails.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    if (at == std::string::npos) return {};
    return text.replace(at, from.size(), to);
}

}  // namespace tandem::test
