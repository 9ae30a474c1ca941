// Working systems with a few random changes: whatever comes out, it is prepared or refused with
// findings, and never a crash or an exception.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "assemble/prepare_system.hpp"
#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

const std::string toml_system = R"(name = "all of it"
connections = [
  "a.matrix_out[2,1:2] -> b.vector_in[2:3]",
  { from = "a.enumeration_out", to = "b.int32_in", map = { slow = 5, fast = 6 } },
  { from = "a.float64_out", to = "b.float64_in", factor = 2, offset = 1 },
  "table.x -> c.u", "c.y -> b.float32_in",
]
[experiment]
stop = 0.2
step = 0.1
[coupling]
method = "aggregate"
outer = "gauss_seidel"
order = 1
[record]
variables = ["a.*", "b.vector_out"]
exclude = ["a.n"]
[subsystems.a]
source = "fmus/Feedthrough_fmi3.fmu"
kind = "cs"
step_ratio = 2
parameters = { fixed_parameter = { value = 3, unit = "N.m" }, enumeration_in = "fast", matrix_in = [[1, 2], [3, 4]] }
[subsystems.b]
source = "fmus/native/Feedthrough.so"
[subsystems.table]
source = "table.csv"
interpolation = "hold"
[systems.c]
inputs = ["u"]
outputs = ["y"]
connections = ["u -> inner.F", "inner.x -> y"]
[systems.c.subsystems.inner]
source = "fmus/Chassis_fmi2.fmu"
[parameters]
c.inner.m = 7
[[functions]]
target = "b.matrix_in[1,2]"
expression = "2*s + t*t"
signals = { s = "a.float64_out" }
[[events]]
indicator = "s - 2"
direction = "falling"
signals = { s = "c.inner.x" }
actions = { "c.inner.v" = "-s" }
[[parameter_sets]]
prefix = "a."
values = { int8_in = 3 }
)";

const std::string ssd_system = R"(<?xml version="1.0"?>
<SystemStructureDescription version="2.0" name="n"><System name="s"><Elements>
<Component name="a" source="fmus/Wheel_fmi2.fmu" implementation="CoSimulation"><Connectors>
<Connector name="F" kind="output"><Real unit="N"/></Connector></Connectors></Component>
<Component name="b" source="fmus/Chassis_fmi2.fmu"><ParameterBindings><ParameterBinding prefix="">
<ParameterValues><ParameterSet version="1.0" name="p"><Parameters>
<Parameter name="m"><Real value="3" unit="kg"/></Parameter></Parameters></ParameterSet>
</ParameterValues></ParameterBinding></ParameterBindings></Component></Elements><Connections>
<Connection startElement="a" startConnector="F" endElement="b" endConnector="F">
<LinearTransformation factor="2" offset="1"/></Connection>
<Connection startElement="b" startConnector="x" endElement="a" endConnector="x_body"/></Connections>
</System><DefaultExperiment startTime="0" stopTime="1"/></SystemStructureDescription>
)";

class Mutation {
public:
    explicit Mutation(unsigned seed) : random_(seed) {}

    std::string of(std::string text) {
        for (int changes = 1 + below(3); changes > 0; --changes) change(text);
        return text;
    }

private:
    int below(std::size_t limit) {
        return static_cast<int>(std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_));
    }
    void change(std::string& text) {
        const auto at = static_cast<std::size_t>(below(text.size()));
        const auto length = static_cast<std::size_t>(1 + below(12));
        const std::string part = text.substr(at, length);
        switch (below(5)) {
            case 0: text.erase(at, length); break;
            case 1: text.insert(static_cast<std::size_t>(below(text.size())), part); break;
            case 2: text[at] = static_cast<char>(32 + below(95)); break;
            case 3: text.insert(at, words_[static_cast<std::size_t>(below(words_.size()))]); break;
            default: swap_lines(text, at);
        }
    }
    void swap_lines(std::string& text, std::size_t at) {
        const auto end = text.find('\n', at);
        const auto next = end == std::string::npos ? end : text.find('\n', end + 1);
        if (next == std::string::npos) return;
        const std::string line = text.substr(end + 1, next - end);
        text.erase(end + 1, line.size());
        const auto other = text.find('\n', static_cast<std::size_t>(below(text.size())));
        text.insert(other == std::string::npos ? 0 : other + 1, line);
    }

    std::mt19937 random_;
    const std::vector<std::string> words_ = {"a.",   "[1:2]", "-1",      "1e400", "[0]",
                                             "true", "''",    "[9,9]",   "nan",   "\"",
                                             "{}",   "[]",    "c.inner", "=",     " -> "};
};

void prepare_all(const std::string& name, const std::string& text) {
    const CommandFolder folder;
    folder.write("table.csv", "time,x\n0,1\n1,2\n");
    int refused = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        const std::string changed = Mutation(seed).of(text);
        folder.write(name, changed);
        try {
            const auto prepared = assemble::prepare_system((folder / name).string(), {});
            const bool has_errors = std::ranges::any_of(prepared.findings, [](const auto& finding) {
                return finding.severity == Severity::error;
            });
            EXPECT_TRUE(has_errors || prepared.assembly.system != nullptr) << changed;
            refused += has_errors ? 1 : 0;
        } catch (const std::exception& error) {
            FAIL() << "seed " << seed << ": " << error.what() << "\n" << changed;
        }
    }
    EXPECT_GT(refused, 100);
}

TEST(MutatedSystems, in_toml_are_prepared_or_refused) { prepare_all("s.toml", toml_system); }
TEST(MutatedSystems, in_ssd_are_prepared_or_refused) { prepare_all("s.ssd", ssd_system); }

TEST(MutatedSystems, start_from_systems_that_are_in_order) {
    const CommandFolder folder;
    folder.write("table.csv", "time,x\n0,1\n1,2\n");
    folder.write("s.toml", toml_system);
    folder.write("s.ssd", ssd_system);
    for (const std::string name : {"s.toml", "s.ssd"}) {
        const Said said = folder.tandem("check " + name);
        EXPECT_EQ(said.code, 0) << said.out;
    }
}

}  // namespace
}  // namespace tandem::test
