#include <gmock/gmock.h>

#include "files/zip.hpp"
#include "unit/description/files.hpp"

namespace tandem::description {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// A description around the content of a system, with prefixes no other tool uses.
std::string ssd(const std::string& content, const std::string& behind = {}) {
    return R"(<?xml version="1.0" encoding="UTF-8"?>
<d:SystemStructureDescription version="2.0" name="test"
 xmlns:d="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon"
 xmlns:v="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
 xmlns:m="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
 xmlns:b="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"
 xmlns:x="urn:other-tool">
<d:System name="root">)" +
           content + "</d:System>" + behind + "</d:SystemStructureDescription>\n";
}

constexpr const char* two_subsystems = R"(
<d:Elements>
  <d:Component name="a" source="resources/a.fmu" implementation="CoSimulation">
    <d:Connectors>
      <d:Connector name="y" kind="output"><c:Real unit="m"/></d:Connector>
      <d:Connector name="u" kind="input"><c:Float32 unit="km"/><c:Dimension size="3"/></d:Connector>
      <d:Connector name="g" kind="output"><c:Enumeration name="Gear"/></d:Connector>
    </d:Connectors>
    <d:ElementGeometry x1="0" y1="0" x2="1" y2="1"/>
  </d:Component>
  <d:Component name="b" source="resources/b.fmu" implementation="ModelExchange">
    <d:Connectors>
      <d:Connector name="u" kind="input"/>
      <d:Connector name="y" kind="output"/>
      <d:Connector name="g" kind="input"/>
    </d:Connectors>
  </d:Component>
</d:Elements>
)";

TEST(Ssd, is_read_with_any_prefix_and_without_any_word_of_tandem) {
    const Files files;
    files.write("s.ssd", ssd(std::string(two_subsystems) + R"(
<d:Connections>
  <d:Connection startElement="a" startConnector="y" endElement="b" endConnector="u">
    <c:LinearTransformation factor="2.5" offset="-1"/>
    <d:ConnectionGeometry pointsX="1" pointsY="2"/>
  </d:Connection>
  <d:Connection startElement="b" startConnector="y" endElement="a" endConnector="u" endIndices="2"
   suppressUnitConversion="true"/>
  <d:Connection startElement="a" startConnector="g" endElement="b" endConnector="g">
    <c:EnumerationMappingTransformation>
      <c:MapEntry source="low" target="LO"/><c:MapEntry source="high" target="HI"/>
    </c:EnumerationMappingTransformation>
  </d:Connection>
</d:Connections>)",
                             R"(
<d:Enumerations><c:Enumeration name="Gear">
  <c:Item name="low" value="1"/><c:Item name="high" value="7"/></c:Enumeration></d:Enumerations>
<d:Units><c:Unit name="furlong"><c:BaseUnit m="1" factor="201.168"/></c:Unit></d:Units>
<d:DefaultExperiment startTime="1" stopTime="9"/>)"));
    const FlatSystem flat = files.flat("s.ssd");
    EXPECT_EQ(flat.name, "root");
    EXPECT_EQ(flat.subsystems[0].kind, PreferredKind::co_simulation);
    EXPECT_EQ(flat.subsystems[0].source, files / "resources/a.fmu");
    EXPECT_EQ(flat.subsystems[0].connectors[1].type, ValueType::float32);
    EXPECT_EQ(flat.subsystems[0].connectors[1].dimensions[0].size, 3U);
    EXPECT_THAT(connection_texts(flat), ElementsAre("a.y -> b.u", "b.y -> a.u[2]", "a.g -> b.g"));
    EXPECT_EQ(flat.connections[0].stages[0].transformation.factor, 2.5);
    EXPECT_EQ(flat.connections[0].from.unit, "m");
    EXPECT_TRUE(flat.connections[1].stages[0].suppress_unit_conversion);
    EXPECT_EQ(value_map(flat.connections[2].stages)->entries[1].target, "HI");
    EXPECT_EQ(flat.enumeration("Gear")->items[1].value, 7);
    EXPECT_EQ(flat.unit("furlong")->factor, 201.168);
    EXPECT_EQ(flat.experiment.start, 1.0);
    EXPECT_EQ(flat.experiment.stop, 9.0);
    const std::string warnings = files.problems("s.ssd", Severity::warning);
    EXPECT_THAT(warnings, HasSubstr("<ElementGeometry> is ignored"));
    EXPECT_THAT(warnings, HasSubstr("<ConnectionGeometry> is ignored"));
}

TEST(Ssd, lets_the_kinds_of_connectors_decide_the_direction) {
    const Files files;
    files.write("s.ssd", ssd(std::string(two_subsystems) + R"(
<d:Connections>
  <d:Connection startElement="b" startConnector="u" endElement="a" endConnector="y"/>
</d:Connections>)"));
    EXPECT_THAT(connection_texts(files.flat("s.ssd")), ElementsAre("a.y -> b.u"));
}

TEST(Ssd, applies_inline_and_external_parameters_in_the_order_of_the_standard) {
    const Files files;
    files.write("values.ssv", R"(<v:ParameterSet xmlns:v="urn:v" version="1.0" name="n">
<v:Parameters>
  <v:Parameter name="p"><v:Real value="1" unit="km"/></v:Parameter>
  <v:Parameter name="list"><v:Float64 value="1 2 3"/></v:Parameter>
  <v:Parameter name="word"><v:String value="some text"/></v:Parameter>
  <v:Parameter name="gear"><v:Enumeration value="high" name="Gear"/></v:Parameter>
</v:Parameters>
<v:Units><c:Unit xmlns:c="urn:c" name="ell"><c:BaseUnit m="1" factor="1.143"/></c:Unit></v:Units>
</v:ParameterSet>)");
    files.write("names.ssm", R"(<m:ParameterMapping xmlns:m="urn:m" version="1.0">
  <m:MappingEntry source="p" target="a.q" suppressUnitConversion="true">
    <c:LinearTransformation xmlns:c="urn:c" factor="3"/></m:MappingEntry>
</m:ParameterMapping>)");
    files.write("s.ssd", ssd(R"(
<d:ParameterBindings>
  <d:ParameterBinding source="values.ssv" prefix="a."/>
  <d:ParameterBinding source="values.ssv"><d:ParameterMapping source="names.ssm"/></d:ParameterBinding>
  <d:ParameterBinding><d:ParameterValues><v:ParameterSet version="1.0" name="i"><v:Parameters>
    <v:Parameter name="a.p"><v:Real value="2"/></v:Parameter>
    <v:Parameter name="nobody.p"><v:Real value="2"/></v:Parameter>
  </v:Parameters></v:ParameterSet></d:ParameterValues></d:ParameterBinding>
</d:ParameterBindings>
<d:Elements><d:Component name="a" source="a.fmu"><d:ParameterBindings>
  <d:ParameterBinding><d:ParameterValues><v:ParameterSet version="1.0" name="i"><v:Parameters>
    <v:Parameter name="p"><v:Real value="99"/></v:Parameter>
    <v:Parameter name="own"><v:Int16 value="-5"/></v:Parameter>
  </v:Parameters></v:ParameterSet></d:ParameterValues></d:ParameterBinding>
</d:ParameterBindings></d:Component></d:Elements>)"));
    const FlatSystem flat = files.flat("s.ssd");
    EXPECT_EQ(real_parameter(flat, "a", "p"), 2);
    EXPECT_EQ(real_parameter(flat, "a", "own"), -5);
    EXPECT_EQ(parameter(flat, "a", "q")->value.unit, "km");
    EXPECT_EQ(parameter(flat, "a", "q")->stages.at(0).transformation.factor, 3);
    EXPECT_TRUE(parameter(flat, "a", "q")->stages.at(0).suppress_unit_conversion);
    EXPECT_THAT(parameter(flat, "a", "list")->value.values.reals, ElementsAre(1, 2, 3));
    EXPECT_EQ(parameter(flat, "a", "word")->value.values.strings.at(0), "some text");
    EXPECT_EQ(parameter(flat, "a", "gear")->value.values.strings.at(0), "high");
    EXPECT_EQ(flat.unit("ell")->factor, 1.143);
    EXPECT_THAT(files.problems("s.ssd", Severity::warning),
                HasSubstr("parameter 'nobody.p' is ignored: nothing has this name"));
}

TEST(Ssd, reads_a_parameter_file_inside_a_packed_fmu) {
    const Files files;
    ZipItem item;
    item.name = "resources/p.ssv";
    item.bytes = R"(<v:ParameterSet xmlns:v="urn:v" version="1.0" name="n"><v:Parameters>
<v:Parameter name="p"><v:Real value="8"/></v:Parameter></v:Parameters></v:ParameterSet>)";
    write_zip(files / "a.fmu", {item});
    files.write("s.ssd", ssd(R"(<d:Elements><d:Component name="a" source="a.fmu">
<d:ParameterBindings><d:ParameterBinding source="resources/p.ssv" sourceBase="component"/>
</d:ParameterBindings></d:Component></d:Elements>)"));
    EXPECT_EQ(real_parameter(files.flat("s.ssd"), "a", "p"), 8);
}

TEST(Ssd, joins_signals_through_dictionaries) {
    const Files files;
    files.write("bus.ssb", R"(<b:SignalDictionary xmlns:b="urn:b" version="1.0">
<b:DictionaryEntry name="speed"><c:Real xmlns:c="urn:c" unit="m/s"/></b:DictionaryEntry>
</b:SignalDictionary>)");
    files.write("s.ssd", ssd(std::string(two_subsystems) + R"(
<d:Connections>
  <d:Connection startElement="a" startConnector="y" endElement="bus" endConnector="speed"/>
  <d:Connection startElement="bus" startConnector="speed" endElement="b" endConnector="u"/>
</d:Connections>
<d:SignalDictionaries><d:SignalDictionary name="signals" source="bus.ssb"/></d:SignalDictionaries>
)"));
    std::string text = ssd(two_subsystems);
    const std::string reference =
        R"(<d:SignalDictionaryReference name="bus" dictionary="signals"><d:Connectors>
<d:Connector name="speed" kind="inout"/></d:Connectors></d:SignalDictionaryReference></d:Elements>)";
    std::ifstream file(files / "s.ssd");
    text.assign(std::istreambuf_iterator<char>(file), {});
    text.replace(text.find("</d:Elements>"), 13, reference);
    files.write("s.ssd", text);
    const FlatSystem flat = files.flat("s.ssd");
    EXPECT_THAT(connection_texts(flat), ElementsAre("a.y -> b.u"));
    EXPECT_EQ(flat.connections[0].stages.at(0).unit, "m/s");
}

TEST(Ssd, instantiates_a_system_of_the_same_file_by_its_id) {
    const Files files;
    files.write("s.ssd", ssd(R"(<d:Elements>
<d:System name="first" id="wheel"><d:Connectors><d:Connector name="u" kind="input"/></d:Connectors>
<d:Elements><d:Component name="hub" source="hub.fmu"/></d:Elements>
<d:Connections><d:Connection startConnector="u" endElement="hub" endConnector="u"/></d:Connections>
</d:System>
<d:Component name="second" source="#wheel"/>
<d:Component name="drive" source="drive.fmu"/>
</d:Elements><d:Connections>
<d:Connection startElement="drive" startConnector="y" endElement="first" endConnector="u"/>
<d:Connection startElement="drive" startConnector="y" endElement="second" endConnector="u"/>
</d:Connections>)"));
    EXPECT_THAT(connection_texts(files.flat("s.ssd")),
                UnorderedElementsAre("drive.y -> first.hub.u", "drive.y -> second.hub.u"));
}

TEST(Ssd, takes_settings_of_tandem_from_vendor_annotations) {
    const Files files;
    files.write("s.ssd", ssd(R"(<d:Elements>
<d:Component name="a" source="a.fmu"><d:Annotations>
<c:Annotation type="org.tandem-cosim.settings"><x:settings>solver = "cvode"
step_ratio = 3</x:settings></c:Annotation></d:Annotations></d:Component></d:Elements>
<d:Annotations><c:Annotation type="org.tandem-cosim.settings"><x:settings><![CDATA[
[[functions]]
target = "a.u"
expression = "x > 1"
signals = { x = "a.y" }
]]></x:settings></c:Annotation></d:Annotations>)",
                             R"(<d:Annotations>
<c:Annotation type="org.tandem-cosim.settings"><x:settings>
[experiment]
step = 0.5
[coupling]
method = "gauss_seidel"
[record]
variables = "a.*"
</x:settings></c:Annotation>
<c:Annotation type="com.other"><x:thing depth="3"/></c:Annotation></d:Annotations>)"));
    const FlatSystem flat = files.flat("s.ssd");
    EXPECT_EQ(flat.coupling.method, "gauss_seidel");
    EXPECT_EQ(flat.experiment.step, 0.5);
    EXPECT_THAT(flat.recording.variables, ElementsAre("a.*"));
    EXPECT_EQ(flat.subsystems[0].option("step_ratio")->as_integer(), 3);
    EXPECT_EQ(flat.functions.at(0).expression, "x > 1");
    const SystemDescription description = read_system(files / "s.ssd");
    ASSERT_THAT(description.annotations, SizeIs(1));
    EXPECT_THAT(description.annotations[0].xml, HasSubstr("<x:thing depth=\"3\""));
    EXPECT_THAT(files.problems("s.ssd", Severity::warning),
                HasSubstr("<Annotation type=\"com.other\"> is ignored"));
}

TEST(Ssp, reads_a_package_and_nested_packages_with_variants) {
    const Files files;
    ZipItem inner_default, inner_variant, outer, package;
    inner_default.name = "SystemStructure.ssd";
    inner_default.bytes = ssd("<d:Elements><d:Component name='x' source='x.fmu'/></d:Elements>");
    inner_variant.name = "variant.ssd";
    inner_variant.bytes = ssd("<d:Elements><d:Component name='z' source='z.fmu'/></d:Elements>");
    write_zip(files / "inner.ssp", {inner_default, inner_variant});
    outer.name = "SystemStructure.ssd";
    outer.bytes = ssd(R"(<d:Elements>
<d:Component name="one" type="application/x-ssp-package" source="resources/inner.ssp"/>
<d:Component name="two" type="application/x-ssp-package" source="resources/inner.ssp#variant.ssd"/>
</d:Elements>)");
    package.name = "resources/inner.ssp";
    package.file = files / "inner.ssp";
    write_zip(files / "outer.ssp", {outer, package});
    const FlatSystem flat = files.flat("outer.ssp");
    EXPECT_EQ(flat.subsystems.at(0).name, "one.x");
    EXPECT_EQ(flat.subsystems.at(1).name, "two.z");
    EXPECT_THAT(flat.folders, SizeIs(3));
    EXPECT_EQ(flat.subsystems[0].place,
              (files / "outer.ssp").string() + "/resources/inner.ssp/SystemStructure.ssd:9");
}

TEST(Ssp, leaves_no_folder_behind) {
    const Files files;
    ZipItem item;
    item.name = "SystemStructure.ssd";
    item.bytes = ssd("<d:Elements><d:Component name='x' source='x.fmu'/></d:Elements>");
    write_zip(files / "s.ssp", {item});
    std::filesystem::path source;
    {
        const FlatSystem flat = files.flat("s.ssp");
        source = flat.subsystems.at(0).source;
        EXPECT_TRUE(std::filesystem::exists(source.parent_path()));
    }
    EXPECT_FALSE(std::filesystem::exists(source.parent_path()));
}

TEST(Ssp, refuses_sources_that_leave_the_package) {
    const Files files;
    ZipItem item;
    item.name = "SystemStructure.ssd";
    item.bytes = ssd("<d:Elements><d:Component name='x' source='../x.fmu'/></d:Elements>");
    write_zip(files / "s.ssp", {item});
    EXPECT_THAT(files.problems("s.ssp"), HasSubstr("'../x.fmu' leads out of the package"));
}

}  // namespace
}  // namespace tandem::description
