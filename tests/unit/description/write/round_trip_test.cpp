#include <gmock/gmock.h>

#include <set>

#include "description/write/write_ssp.hpp"
#include "files/archive.hpp"
#include "unit/description/files.hpp"

namespace tandem::description {
namespace {

using testing::HasSubstr;

constexpr const char* everything = R"toml(
name = "everything"
connections = [
  "source.y -> car.u",
  { from = "car.y", to = "sink.u", factor = 10, offset = 1, suppress_unit_conversion = true },
  "car.axle.wheel.deep.z -> sink.z",
  "sink.w -> car.axle.wheel.w",
  { from = "source.gear", to = "sink.gear", map = { low = "LO", high = "HI" } },
  "source.n -> bus.speed", "bus.speed -> sink.n",
  "source.a[2] -> sink.a[1]",
]
[experiment]
start = 1
stop = 5
step = 0.25
tolerance = 1e-7
threads = 2
expect_growth = true
stop_on_instability = false
[subsystems.source]
source = "fmus/a.fmu"
kind = "cs"
solver = "cvode"
tolerance = 1e-9
step_ratio = 2
shares = "the licence"
max_order = 3
first_step = 1e-4
max_steps = 2000
nominal = { p = 1e5, "spring.x[2]" = 0.1, deep.er = 3 }
absolute_tolerance = { x = 1e-9 }
interface_jacobian = { v = { x = -1e3, u = 2 }, x = { v = 1 } }
parameters = { m = 300, v = { value = 36.5, unit = "km/h" }, s = "text & <more>", b = true }
[subsystems.sink]
source = "libsink.so"
absolute_tolerance = 1e-7
[systems.car]
inputs = ["u"]
connectors = { y = { kind = "output", unit = "km", type = "Float64" } }
parameters = { "axle.wheel.m" = 7.5 }
connections = ["u -> axle.wheel.u", { from = "axle.wheel.y", to = "y", factor = 3 }]
[systems.car.systems.axle.subsystems.wheel]
source = "other/a.fmu"
kind = "me"
parameters = { m = 1, list = [1.5, 2.5], gear = { value = "high", enumeration = "Gear" } }
[systems.extra]
source = "extra.toml"
parameters = { "part.k" = 2 }
[[parameter_sets]]
source = "values.ssv"
prefix = "source."
[[parameter_sets]]
values = { stiffness = 3.5 }
mapping = { stiffness = { target = "sink.c", factor = 2 } }
[dictionaries.signals.signals]
speed = { unit = "m/s" }
[references]
bus = "signals"
[enumerations]
Gear = ["low", "high"]
[coupling]
method = "jacobi"
order = 1
nested = { list = [1, 2.5, "x"], on = true }
[record]
variables = ["*.x"]
decimation = 5
output = "out.csv"
[[functions]]
target = "sink.f"
expression = "a > 2 ? a : sin(t)"
signals = { a = "car.axle.wheel.x" }
[[bonds]]
effort = "source.y -> car.u"
flow = "sink.w -> car.axle.wheel.w"
)toml";

void write_everything(const Files& files) {
    files.write("s.toml", everything);
    files.write("extra.toml", "[subsystems.part]\nsource = 'fmus/a.fmu'\nparameters = { k = 1 }\n");
    files.write("fmus/a.fmu", "first");
    files.write("other/a.fmu", "second");
    files.write("libsink.so", "library");
    files.write("values.ssv", R"(<v:ParameterSet xmlns:v="urn:v" version="1.0" name="n">
<v:Parameters><v:Parameter name="p"><v:Real value="1"/></v:Parameter></v:Parameters>
</v:ParameterSet>)");
}

/// Everything that matters about a flat system, in words; paths by content.
std::multiset<std::string> facts(const FlatSystem& flat) {
    std::multiset<std::string> result;
    const auto stages = [&](const std::vector<Stage>& list, const std::string& from) {
        const auto folded =
            fold(list, {from, {}}, [&](const std::string& n) { return flat.unit(n); });
        std::string text =
            std::to_string(folded.map.gain) + "/" + std::to_string(folded.map.offset);
        if (const Transformation* map = value_map(list))
            for (const MapEntry& entry : map->entries) text += entry.source + ">" + entry.target;
        return text;
    };
    for (const FlatSubsystem& subsystem : flat.subsystems) {
        std::ifstream file(subsystem.source);
        const std::string content{std::istreambuf_iterator<char>(file), {}};
        std::string text = subsystem.name + " " + content + " " +
                           std::to_string(static_cast<int>(subsystem.kind)) +
                           std::to_string(static_cast<int>(subsystem.type));
        for (const Setting& option : subsystem.options) text += " " + option.key;
        result.insert(text);
        for (const FlatParameter& p : subsystem.parameters) {
            std::string value;
            for (const double v : p.value.values.reals) value += std::to_string(v) + ",";
            for (const auto v : p.value.values.integers)
                value += std::to_string(static_cast<double>(v)) + ",";
            for (const auto& v : p.value.values.strings) value += v + ",";
            result.insert(subsystem.name + "." + p.variable + "=" + value + p.value.unit +
                          stages(p.stages, p.value.unit));
        }
    }
    for (const FlatConnection& c : flat.connections) result.insert(c.text + stages(c.stages, "m"));
    for (const FlatFunction& f : flat.functions) {
        result.insert(f.expression + f.signals.at(0).name + f.signals.at(0).variable.name +
                      f.targets.at(0).variable.name);
    }
    for (const FlatBond& b : flat.bonds)
        result.insert(flat.connections[b.effort].text + flat.connections[b.flow].text);
    return result;
}

TEST(WriteSsp, gives_the_same_flat_system_when_read_again) {
    const Files files;
    write_everything(files);
    write_ssp(read_system(files / "s.toml"), files / "s.ssp");
    const FlatSystem before = load_system(files / "s.toml");
    const FlatSystem after = load_system(files / "s.ssp");
    EXPECT_EQ(facts(before), facts(after));
    for (const FlatSubsystem& subsystem : before.subsystems)
        EXPECT_EQ(subsystem.options, after.subsystems.at(*after.find(subsystem.name)).options)
            << subsystem.name;
    EXPECT_EQ(before.experiment, after.experiment);
    EXPECT_EQ(before.coupling.method, after.coupling.method);
    EXPECT_EQ(before.coupling.options, after.coupling.options);
    EXPECT_EQ(before.recording.variables, after.recording.variables);
    EXPECT_EQ(before.recording.decimation, after.recording.decimation);
    EXPECT_EQ(before.recording.outputs, after.recording.outputs);
    EXPECT_EQ(after.enumeration("Gear")->items, before.enumeration("Gear")->items);
}

TEST(WriteSsp, gives_the_same_bytes_for_the_same_system) {
    const Files files;
    write_everything(files);
    write_ssp(read_system(files / "s.toml"), files / "s.ssp");
    write_ssp(read_system(files / "s.toml"), files / "t.ssp");
    std::ifstream s(files / "s.ssp"), t(files / "t.ssp");
    EXPECT_TRUE(
        std::equal(std::istreambuf_iterator<char>(s), {}, std::istreambuf_iterator<char>(t)));
}

TEST(WriteSsp, keeps_a_package_read_and_written_again) {
    const Files files;
    write_everything(files);
    write_ssp(read_system(files / "s.toml"), files / "s.ssp");
    write_ssp(read_system(files / "s.ssp"), files / "t.ssp");
    EXPECT_EQ(facts(load_system(files / "s.ssp")), facts(load_system(files / "t.ssp")));
}

TEST(WriteSsp, keeps_annotations_of_other_tools) {
    const Files files;
    files.write("a.fmu", "fmu");
    files.write("s.ssd", R"(<ssd:SystemStructureDescription version="1.0" name="n"
 xmlns:ssd="urn:d" xmlns:ssc="urn:c" xmlns:oms="urn:oms"><ssd:System name="root">
<ssd:Elements><ssd:Component name="a" source="a.fmu"><ssd:Annotations>
<ssc:Annotation type="com.other"><oms:colour red="1"><oms:part>text</oms:part></oms:colour>
</ssc:Annotation></ssd:Annotations></ssd:Component></ssd:Elements></ssd:System>
</ssd:SystemStructureDescription>)");
    write_ssp(read_system(files / "s.ssd"), files / "s.ssp");
    const std::string text = Archive(files / "s.ssp").read("SystemStructure.ssd");
    EXPECT_THAT(text, HasSubstr("<ssc:Annotation type=\"com.other\">"));
    EXPECT_THAT(text, HasSubstr("<oms:colour red=\"1\">"));
    EXPECT_THAT(text, HasSubstr("xmlns:oms=\"urn:oms\""));
}

TEST(WriteSsp, says_version1_where_nothing_new_is_used) {
    const Files files;
    files.write("a.fmu", "fmu");
    files.write("s.toml",
                "connections = ['a.y -> b.u']\n[subsystems]\na = { source = 'a.fmu' }\n"
                "b = { source = 'a.fmu' }\n");
    write_ssp(read_system(files / "s.toml"), files / "s.ssp");
    EXPECT_THAT(Archive(files / "s.ssp").read("SystemStructure.ssd"), HasSubstr("version=\"1.0\""));
}

TEST(WriteSsp, packs_an_fmu_that_is_a_folder) {
    const Files files;
    files.write("a/modelDescription.xml", "<x/>");
    files.write("s.toml", "[subsystems.a]\nsource = 'a'\n");
    write_ssp(read_system(files / "s.toml"), files / "s.ssp");
    const FlatSystem flat = load_system(files / "s.ssp");
    EXPECT_EQ(Archive(flat.subsystems.at(0).source).read("modelDescription.xml"), "<x/>");
}

TEST(WriteSsp, refuses_a_missing_fmu) {
    const Files files;
    files.write("s.toml", "[subsystems.a]\nsource = 'gone.fmu'\n");
    EXPECT_THROW(write_ssp(read_system(files / "s.toml"), files / "s.ssp"), InputError);
}

}  // namespace
}  // namespace tandem::description
