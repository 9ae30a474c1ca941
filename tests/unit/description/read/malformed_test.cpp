#include <gmock/gmock.h>

#include <random>

#include "files/zip.hpp"
#include "unit/description/files.hpp"

namespace tandem::description {
namespace {

using testing::HasSubstr;

struct Malformed {
    const char* file;
    std::string content;
    const char* sentence;  ///< must be among the problems
    const char* hint = "";

    friend void PrintTo(const Malformed& system, std::ostream* out) { *out << system.content; }
};

class MalformedSystem : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedSystem, is_refused_with_place_and_hint) {
    const Files files;
    files.write(GetParam().file, GetParam().content);
    const std::string problems = files.problems(GetParam().file);
    EXPECT_THAT(problems, HasSubstr(GetParam().sentence));
    EXPECT_THAT(problems, HasSubstr(GetParam().hint));
}

const std::string a = "[subsystems.a]\nsource = 'a.fmu'\n";

INSTANTIATE_TEST_SUITE_P(
    Toml, MalformedSystem,
    testing::Values(
        Malformed{"s.toml", "[subsystems.a\n", "s.toml:1: is not valid TOML"},
        Malformed{"s.toml", "x = 1\nx = 2\n", "s.toml:2: is not valid TOML"},
        Malformed{"s.toml", "", "s.toml: describes no subsystem", "[subsystems.plant]"},
        Malformed{"s.toml", a + "[copling]\nmethod = 'jacobi'\n",
                  "s.toml:3: system file: unknown table 'copling'", "did you mean 'coupling'?"},
        Malformed{"s.toml", a + "[weather]\n", "s.toml:3: system file: unknown table 'weather'"},
        Malformed{"s.toml", a + "[tlm]\n", "s.toml:3: system file: 'tlm' must be a list",
                  "write [[tlm]]"},
        Malformed{"s.toml", "[subsystems.a]\nsurce = 'a.fmu'\n",
                  "s.toml:2: [subsystems.a]: unknown key 'surce'", "did you mean 'source'?"},
        Malformed{"s.toml", "[subsystems.a]\nkind = 'cs'\n",
                  "s.toml:1: [subsystems.a]: 'source' is missing"},
        Malformed{"s.toml", "[subsystems.a]\nsource = 3\n",
                  "s.toml:2: [subsystems.a]: 'source' must be a text, but is an integer"},
        Malformed{"s.toml", "[subsystems.a]\nsource = 'a.txt'\n",
                  "s.toml:2: [subsystems.a]: the ending of 'a.txt' does not say what it is"},
        Malformed{"s.toml", "[subsystems.a]\nsource = 'http://x/a.fmu'\n",
                  "s.toml:2: 'http://x/a.fmu' cannot be opened"},
        Malformed{"s.toml", "[subsystems.a]\nsource = 'b.toml'\n",
                  "s.toml:2: 'b.toml' does not exist"},
        Malformed{"s.toml", a + "kind = 'co'\n", "s.toml:3: [subsystems.a]: unknown kind 'co'"},
        Malformed{"s.toml", a + "tolerance = 0\n",
                  "s.toml:3: [subsystems.a]: 'tolerance' must be greater than 0"},
        Malformed{"s.toml", "[experiment]\nthreads = -1\n",
                  "s.toml:2: [experiment]: 'threads' must lie between 0 and 1024, but is -1",
                  "0 means as many as the machine has"},
        Malformed{"s.toml", a + "step_ratio = 0\n",
                  "s.toml:3: [subsystems.a]: 'step_ratio' must be at least 1"},
        Malformed{"s.toml", a + "interface_jacobian = { v = 3 }\n",
                  "s.toml:3: [subsystems.a]: 'interface_jacobian': 'v' must be a table of numbers, "
                  "but is an integer"},
        Malformed{"s.toml", a + "interface_jacobian = { v = { x = 'y' } }\n",
                  "s.toml:3: [subsystems.a]: 'interface_jacobian': 'x' must be a number, but is a "
                  "text"},
        Malformed{"s.toml", a + "parameters = { m = [1, 'x'] }\n",
                  "s.toml:3: 'm': the values of a list must all be of one type"},
        Malformed{"s.toml", a + "parameters = { m = [[1], [2, 3]] }\n",
                  "s.toml:3: 'm': the lists have different lengths"},
        Malformed{"s.toml", a + "parameters = { m = { value = 300, type = 'Int8' } }\n",
                  "s.toml:3: 'value': 300 is not a value of type Int8"},
        Malformed{"s.toml", a + "parameters = { d = 2020-01-01 }\n",
                  "s.toml:3: dates and times have no meaning"},
        Malformed{"s.toml", "connections = ['a.y']\n" + a, "s.toml:1: 'a.y' is not a connection"},
        Malformed{"s.toml", "connections = ['a.y -> tank.u']\n" + a,
                  "s.toml:1: connection a.y -> tank.u: there is no 'tank.u'",
                  "the system holds: a"},
        Malformed{"s.toml", "connections = ['aa.y -> a.u']\n" + a,
                  "s.toml:1: connection aa.y -> a.u: there is no 'aa.y'", "did you mean 'a'?"},
        Malformed{"s.toml", "connections = ['a.y -> a.u', 'a.z -> a.u']\n" + a,
                  "s.toml:1: 'a.u' is driven twice, here and at"},
        Malformed{"s.toml", "connections = ['a.y -> a.u[1:3]', 'a.z -> a.u[3]']\n" + a,
                  "s.toml:1: 'a.u[3]' is driven twice"},
        Malformed{"s.toml", "connections = ['a.u -> a.y']\n" + a + "inputs = ['u']\n",
                  "the input of 'a' cannot feed the target"},
        Malformed{"s.toml", a + "[[connections]]\nfrom = 'a.y'\n",
                  "s.toml:3: [[connections]]: 'to' is missing"},
        Malformed{"s.toml", a + "[[connections]]\nfrom = 'a.y'\nto = 'a.u'\nfactor = 1\nmap = {}\n",
                  "s.toml:7: [[connections]]: 'map' cannot be combined"},
        Malformed{"s.toml", a + "[experiment]\nstep = -1\n",
                  "s.toml:4: [experiment]: 'step' must be greater than 0, but is -1"},
        Malformed{"s.toml", a + "[experiment]\nstart = 3\nstop = 2\n",
                  "s.toml:5: [experiment]: stop = 2 lies before start = 3"},
        Malformed{"s.toml", a + "[experiment]\nstop = inf\n",
                  "s.toml:4: [experiment]: 'stop' must be a finite number"},
        Malformed{"s.toml", a + "[coupling]\nmethod = 1\n",
                  "s.toml:4: [coupling]: 'method' must be a text, but is an integer"},
        Malformed{"s.toml", a + "[record]\ndecimation = 0\n",
                  "s.toml:4: [record]: 'decimation' must be at least 1"},
        Malformed{"s.toml", a + "[parameters]\nb.m = 1\n",
                  "s.toml:4: parameter 'b.m': nothing has this name"},
        Malformed{"s.toml", a + "[[functions]]\ntarget = 'b.u'\nexpression = 't'\n",
                  "s.toml:3: function: there is no 'b.u'"},
        Malformed{"s.toml", a + "[[functions]]\ntarget = 'a.u'\n",
                  "s.toml:3: [[functions]]: 'expression' is missing"},
        Malformed{"s.toml", a + "[[bonds]]\neffort = 'a.F -> a.G'\nflow = 'a.v -> a.w'\n",
                  "s.toml:3: bond: there is no connection 'a.F -> a.G'"},
        Malformed{"s.toml", a + "[references]\nbus = 'none'\n",
                  "s.toml:4: 'bus': there is no signal dictionary 'none'"},
        Malformed{"s.toml", a + "[systems.a.subsystems.x]\nsource = 'x.fmu'\n",
                  "s.toml:3: the name 'a' is used twice in one system"},
        Malformed{"s.toml", a + "[[parameter_sets]]\nname = 'x'\n",
                  "s.toml:3: [[parameter_sets]]: needs either 'source'"},
        Malformed{"s.toml", a + "[[parameter_sets]]\nsource = 'x.ssv'\n",
                  "s.toml:4: ", "there is no such file"},
        Malformed{"s.toml", a + "[units]\nfoo = 3\n", "s.toml:4: unit 'foo' must be a table"},
        Malformed{"s.toml", a + "[enumerations]\nfoo = []\n",
                  "s.toml:4: enumeration 'foo' has no items"},
        Malformed{"s.toml", "[subsystems.a]\nsource = 's.toml'\n", "s.toml' contains itself",
                  "break the circle"},
        Malformed{"s.txt", "x", "s.txt: is not a system file", ".toml, .ssd or .ssp"}));

std::string ssd(const std::string& content) {
    return "<SystemStructureDescription version='1.0' name='n'>\n<System name='s'>\n" + content +
           "\n</System></SystemStructureDescription>";
}

std::string with_a(const std::string& content) {
    return ssd("<Elements><Component name='a' source='a.fmu'/></Elements>\n" + content);
}

std::string with_parameter(const std::string& value) {
    return with_a(
        "<ParameterBindings><ParameterBinding><ParameterValues>"
        "<ParameterSet version='1.0' name='p'><Parameters>\n" +
        value +
        "</Parameters></ParameterSet></ParameterValues></ParameterBinding></ParameterBindings>");
}

INSTANTIATE_TEST_SUITE_P(
    Ssd, MalformedSystem,
    testing::Values(
        Malformed{"s.ssd", "", "s.ssd:1: is not well-formed XML"},
        Malformed{"s.ssd", "<a><b></a>", "s.ssd:1: is not well-formed XML"},
        Malformed{"s.ssd", "<!DOCTYPE x><x/>", "contains a document type declaration"},
        Malformed{"s.ssd", "<fmiModelDescription/>", "s.ssd:1: holds <fmiModelDescription>, not a"},
        Malformed{"s.ssd", "<SystemStructureDescription version='1.0'/>",
                  "<SystemStructureDescription>: contains no <System>"},
        Malformed{"s.ssd", ssd("<Elements><Component source='a.fmu'/></Elements>"),
                  "s.ssd:3: <Component>: attribute 'name' is missing"},
        Malformed{"s.ssd", ssd("<Elements><Component name='a' type='x/y' source='a'/></Elements>"),
                  "s.ssd:3: 'a' has type 'x/y', which cannot be opened"},
        Malformed{"s.ssd", ssd("<Elements><Component name='a' source='#b'/></Elements>"),
                  "s.ssd:3: 'a': no system has the id 'b'"},
        Malformed{"s.ssd",
                  ssd("<Elements><System name='b' id='b'><Elements>\n"
                      "<Component name='c' source='#b'/></Elements></System></Elements>"),
                  "s.ssd:4: 'c': the system 'b' contains itself"},
        Malformed{"s.ssd", ssd("<Connectors><Connector name='u' kind='in'/></Connectors>"),
                  "s.ssd:3: <Connector>: unknown kind 'in'"},
        Malformed{"s.ssd", with_a("<Connections><Connection startElement='a'/></Connections>"),
                  "s.ssd:4: <Connection>: attribute 'startConnector' is missing"},
        Malformed{"s.ssd",
                  with_a("<Connections><Connection startElement='a' startConnector='y' "
                         "endElement='tank' endConnector='u'/></Connections>"),
                  "s.ssd:4: connection a.y -> tank.u: there is no 'tank.u'", "the system holds: a"},
        Malformed{"s.ssd",
                  with_a("<Connections><Connection startElement='a' startConnector='y' "
                         "endConnector='u'/></Connections>"),
                  "s.ssd:4: connection a.y -> u: there is no 'u'"},
        Malformed{"s.ssd",
                  with_a("<Connections><Connection startElement='a' startConnector='y' "
                         "endElement='a' endConnector='u' suppressUnitConversion='maybe'>"
                         "\n<LinearTransformation factor='two'/></Connection></Connections>"),
                  "s.ssd:5: <LinearTransformation>: attribute 'factor' must be a number, but is "
                  "'two'",
                  "'suppressUnitConversion' must be true or false, but is 'maybe'"},
        Malformed{"s.ssd",
                  with_a("<ParameterBindings><ParameterBinding source='no.ssv'/>"
                         "</ParameterBindings>"),
                  "s.ssd:4: ", "there is no such file"},
        Malformed{"s.ssd", with_parameter("<Parameter name='p'><Real value='x'/></Parameter>"),
                  "s.ssd:5: <Real>: 'x' is not a value of type Float64"},
        Malformed{"s.ssd",
                  with_parameter("<Parameter name='p'><Real value='1 2'/><Dimension size='3'/>"
                                 "</Parameter>"),
                  "s.ssd:5: <Parameter>: 'p' has 2 values, but dimensions of 3"},
        Malformed{"s.ssd", with_parameter("<Parameter name='p'/>"),
                  "s.ssd:5: <Parameter>: 'p' has no value"},
        Malformed{"s.ssd", with_parameter("<Parameter name='p'><Int8 value='999'/></Parameter>"),
                  "s.ssd:5: <Int8>: '999' is not a value of type Int8"},
        Malformed{"s.ssd",
                  with_a("<Annotations><Annotation type='org.tandem-cosim.settings'>\n"
                         "<t>[[functions]]\ntarget = 'a.u'\ntypo = 1</t>"
                         "</Annotation></Annotations>"),
                  "s.ssd:7: [[functions]]: unknown key 'typo'"},
        Malformed{"s.ssd",
                  with_a("<Annotations><Annotation type='org.tandem-cosim.settings'>\n"
                         "<t>functions = </t></Annotation></Annotations>"),
                  "s.ssd:5: is not valid TOML"},
        Malformed{"s.ssp", "not a zip", "s.ssp"}));

TEST(MalformedSystems, connected_in_a_circle_of_system_connectors_are_refused) {
    const Files files;
    files.write("s.toml", R"(connections = ["p.y -> q.u", "q.y -> p.u", "p.y -> a.u"]
[subsystems.a]
source = "a.fmu"
[systems.p]
inputs = ["u"]
outputs = ["y"]
connections = ["u -> y"]
[systems.q]
inputs = ["u"]
outputs = ["y"]
connections = ["u -> y"]
)");
    EXPECT_THAT(files.problems("s.toml"), HasSubstr("is connected to itself in a circle"));
}

TEST(MalformedSystems, with_transformations_that_cannot_follow_one_another_are_refused) {
    const Files files;
    files.write("s.toml", R"(connections = [{ from = "a.y", to = "p.u", factor = 2 }]
[subsystems.a]
source = "a.fmu"
[systems.p]
inputs = ["u"]
connections = [{ from = "u", to = "b.u", map = { 1 = 2 } }]
[systems.p.subsystems.b]
source = "a.fmu"
)");
    EXPECT_THAT(files.problems("s.toml"),
                HasSubstr("s.toml:6: transformations of different types follow one another"));
}

TEST(MalformedSystems, with_a_package_without_a_description_are_refused) {
    const Files files;
    ZipItem item;
    item.name = "Other.ssd";
    item.bytes = "<x/>";
    write_zip(files / "s.ssp", {item});
    EXPECT_THAT(files.problems("s.ssp"), HasSubstr("s.ssp: contains no SystemStructure.ssd"));
}

/// One to eight bytes overwritten, doubled or removed.
std::string damaged(std::string text, std::mt19937& random) {
    for (unsigned i = random() % 8 + 1; i > 0 && !text.empty(); --i) {
        const std::size_t at = random() % text.size();
        const char letters[] = "<>\"'=[]{}.,-#/ \n0a";
        switch (random() % 3) {
            case 0: text[at] = letters[random() % (sizeof letters - 1)]; break;
            case 1: text.insert(at, text.substr(at, random() % 20)); break;
            default: text.erase(at, random() % 10); break;
        }
    }
    return text;
}

TEST(MalformedSystems, damaged_in_any_way_end_in_sentences_not_in_a_crash) {
    const Files files;
    const std::string toml =
        "connections = ['a.y -> s.u', { from = 's.y', to = 'a.u', factor = 2 }]\n" + a +
        "parameters = { m = [1, 2], k.l = { value = 3, unit = 'km' } }\n[systems.s]\n"
        "inputs = ['u']\noutputs = ['y']\nconnections = ['u -> b.u[1:2]', 'b.y -> y']\n"
        "[systems.s.subsystems.b]\nsource = 'b.fmu'\n[[functions]]\ntarget = 'a.f'\n"
        "expression = 'x'\nsignals = { x = 's.b.z' }\n[[events]]\nindicator = 'x'\n"
        "direction = 'rising'\nsignals = { x = 's.b.z' }\nactions = { 'a.v' = '-x' }\n";
    const std::string xml = with_parameter(
        "<Parameter name='a.p'><Real value='1 2' unit='m'/></Parameter>"
        "<Parameter name='a.q'><Enumeration><Value value='x'/></Enumeration></Parameter>");
    std::mt19937 random(7);
    std::size_t problems = 0;
    for (int i = 0; i < 300; ++i) {
        files.write("s.toml", damaged(toml, random));
        files.write("s.ssd", damaged(xml, random));
        problems += files.problems("s.toml").empty() ? 0 : 1;
        problems += files.problems("s.ssd").empty() ? 0 : 1;
    }
    EXPECT_GT(problems, 300U);  // Most damage is noticed; some only changes a name or a value.
}

TEST(MalformedSystems, that_do_not_exist_are_refused) {
    EXPECT_THAT(Files().problems("none.toml"), HasSubstr("none.toml: does not exist"));
}

}  // namespace
}  // namespace tandem::description
