// The command: order, cycles and pictures of the examples, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string experiment = "[experiment]\nstop = 1\nstep = 0.1\n";

/// An example with the FMUs of this build, as system.toml.
void write_example(const CommandFolder& folder, const std::string& name) {
    const std::string text =
        read_bytes(std::string(TANDEM_SOURCE_DIR) + "/examples/" + name + "/system.toml");
    folder.write("system.toml", std::regex_replace(text, std::regex("../../build/release/fmus"),
                                                   (folder / "fmus").string()));
}

std::string graph_of(const std::string& example) {
    const CommandFolder folder;
    write_example(folder, example);
    const Said said = folder.tandem("graph system.toml");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, IsEmpty());
    return said.out;
}

TEST(GraphCommand, shows_what_may_run_in_parallel_in_a_chain) {
    EXPECT_EQ(graph_of("chain"),
              "chain: 5 subsystems, 5 connections, 0 cycles, 4 priorities\n\n"
              "  priority  in parallel  subsystems\n"
              "  0         1            a\n"
              "  1         1            b\n"
              "  2         2            c, d\n"
              "  3         1            e\n");
}

TEST(GraphCommand, finds_one_cycle) {
    EXPECT_THAT(graph_of("one_cycle"), HasSubstr("  0         1            s1, s2      cycle of 2 "
                                                 "(through states)\n"));
}

TEST(GraphCommand, finds_cycles_of_two_and_of_one_and_what_is_beside_them) {
    EXPECT_EQ(graph_of("two_cycles"),
              "two cycles: 8 subsystems, 8 connections, 3 cycles, 4 priorities\n\n"
              "  priority  in parallel  subsystems  cycle\n"
              "  0         3            p, v\n"
              "                         w           cycle of 1 (algebraic: w.u1 -> w.y -> w.u1)\n"
              "  1         1            q, r        cycle of 2 (through states)\n"
              "  2         1            s, t        cycle of 2 (through states)\n"
              "  3         1            u\n\n"
              "  cycle  connections in it\n"
              "  w      w.y -> w.u1\n"
              "  q, r   q.y -> r.u1\n"
              "         r.y -> q.u2\n"
              "  s, t   s.y -> t.u1\n"
              "         t.y -> s.u2\n");
}

TEST(GraphCommand, finds_the_algebraic_cycle_of_bspk6) {
    EXPECT_THAT(graph_of("bspk6"),
                AllOf(HasSubstr("  0         1            s3\n"),
                      HasSubstr("  1         1            s0, s1, s2  cycle of 3 (algebraic: s0.u1 "
                                "-> s0.y1 -> s1.u -> s1.y -> s0.u1)\n")));
}

TEST(GraphCommand, counts_discrete_values_and_functions) {
    const CommandFolder folder;
    const auto part = [](const std::string& name) {
        return "[subsystems." + name + "]\nsource = 'fmus/Feedthrough_fmi2.fmu'\n";
    };
    folder.write("s.toml",
                 "connections = ['a.int32_out -> b.int32_in', 'c.boolean_out -> d.boolean_in', "
                 "'d.boolean_out -> c.boolean_in']\n[[functions]]\ntarget = 'c.float64_in'\n"
                 "expression = '2*s'\nsignals = { s = 'b.float64_out' }\n" +
                     part("d") + part("c") + part("b") + part("a") + experiment);
    const Said said = folder.tandem("graph s.toml");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("s: 4 subsystems, 3 connections, 1 function, 1 cycle, "));
    EXPECT_THAT(said.out, HasSubstr("  0         1            a\n  1         1            b\n"));
    EXPECT_THAT(said.out, HasSubstr("  2         1            d, c        cycle of 2 (through "
                                    "discrete values)\n"));
}

TEST(GraphCommand, says_what_becomes_one_equation) {
    EXPECT_THAT(graph_of("quarter_car"), Not(HasSubstr("one differential equation")));
    const CommandFolder folder;
    folder.write("s.toml",
                 "connections = ['a.y -> b.u', 'b.y -> a.u']\n"
                 "[subsystems.a]\nsource = 'fmus/native/LinearOde.so'\n"
                 "[subsystems.b]\nsource = 'fmus/native/LinearOde.so'\n" +
                     experiment);
    EXPECT_THAT(folder.tandem("graph s.toml").out,
                HasSubstr("The coupling aggregate makes one differential equation of\n    a, b\n"));
}

TEST(GraphCommand, stays_readable_for_many_subsystems) {
    const CommandFolder folder;
    // A ring of a hundred, each of which also feeds one beside it.
    std::string connections, parts;
    for (int i = 0; i < 200; ++i) {
        const auto name = [](int number) { return "part_" + std::to_string(number); };
        const int from = i < 100 ? (i + 99) % 100 : i - 100;
        parts += "[subsystems." + name(i) + "]\nsource = 'fmus/Feedthrough_fmi2.fmu'\n";
        connections += "'" + name(from) + ".float64_out -> " + name(i) + ".float64_in', ";
    }
    folder.write("s.toml", "connections = [" + connections + "]\n" + parts + experiment);
    const Said said = folder.tandem("graph s.toml");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("  0         1            part_0, part_1, "));
    EXPECT_THAT(said.out, HasSubstr("cycle of 100 (algebraic: part_0.float64_in -> "));
    EXPECT_THAT(said.out, HasSubstr("  1         100          part_100, part_101, "));
    EXPECT_THAT(said.out,
                HasSubstr("  part_0, part_1, part_2 and 97 more  part_0.float64_out -> "));
    for (std::size_t begin = 0; begin < said.out.size();) {
        const std::size_t end = said.out.find('\n', begin);
        EXPECT_LT(end - begin, 180U) << said.out.substr(begin, end - begin);
        begin = end + 1;
    }
}

TEST(GraphCommand, writes_pictures_by_the_name_of_the_file_or_by_format) {
    const CommandFolder folder;
    write_example(folder, "bspk6");
    EXPECT_EQ(folder.tandem("graph system.toml -o g.svg").out, "g.svg\n");
    EXPECT_THAT(read_bytes(folder / "g.svg"), StartsWith("<svg xmlns="));
    EXPECT_EQ(folder.tandem("graph system.toml -o g.gv").code, 0);
    EXPECT_THAT(read_bytes(folder / "g.gv"), StartsWith("digraph \"BspK6\" {"));
    EXPECT_EQ(folder.tandem("graph system.toml --format svg -o picture").code, 0);
    EXPECT_THAT(read_bytes(folder / "picture"), StartsWith("<svg xmlns="));
    EXPECT_THAT(folder.tandem("graph system.toml --format dot").out, StartsWith("digraph"));
}

TEST(GraphCommand, looks_into_packages) {
    const CommandFolder folder;
    write_example(folder, "chain");
    ASSERT_EQ(folder.tandem("export system.toml -o s.ssp").code, 0);
    EXPECT_THAT(folder.tandem("graph s.ssp").out, HasSubstr("  2         2            c, d\n"));
}

TEST(GraphCommand, refuses_what_it_cannot_do_in_a_sentence) {
    const CommandFolder folder;
    write_example(folder, "chain");
    const auto refused = [&](const std::string& arguments) {
        const Said said = folder.tandem("graph " + arguments);
        EXPECT_EQ(said.code, 2) << arguments;
        EXPECT_THAT(said.out, IsEmpty()) << arguments;
        return said.err;
    };
    EXPECT_THAT(refused("fmus/Ground_fmi2.fmu"), HasSubstr("is not a system"));
    EXPECT_THAT(refused("none.toml"), HasSubstr("none.toml"));
    EXPECT_THAT(refused("system.toml -o graph.pdf"), HasSubstr("'.pdf' says no format"));
    EXPECT_THAT(refused("system.toml --format pdf"), HasSubstr("--format"));
    EXPECT_THAT(refused("system.toml --format svg -o system.toml"),
                HasSubstr("is the system itself"));
    EXPECT_THAT(refused("system.toml -o none/graph.svg"), HasSubstr("cannot be written"));
    folder.write("bad.toml",
                 "connections = ['a.none -> a.nothing']\n[subsystems.a]\n"
                 "source = 'fmus/Ground_fmi2.fmu'\n" +
                     experiment);
    EXPECT_THAT(refused("bad.toml"), HasSubstr("bad.toml:1"));
}

TEST(GraphCommand, a_run_records_priorities_and_cycles_with_their_iterations) {
    const CommandFolder folder;
    write_example(folder, "two_cycles");
    ASSERT_EQ(folder.tandem("run system.toml --stop 0.1 --quiet --report r.html").code, 0);
    const auto record = nlohmann::json::parse(read_bytes(folder / "run.json"));
    std::map<std::string, int> priorities;
    for (const auto& subsystem : record["subsystems"])
        priorities[subsystem["name"]] = subsystem["priority"];
    EXPECT_EQ(priorities,
              (std::map<std::string, int>{
                  {"p", 0}, {"v", 0}, {"w", 0}, {"q", 1}, {"r", 1}, {"s", 2}, {"t", 2}, {"u", 3}}));
    std::vector<std::string> cycles;
    for (const auto& group : record["groups"]) {
        cycles.push_back(group["kind"].get<std::string>() + " " + group["name"].get<std::string>());
        EXPECT_FALSE(group["statistics"].empty());
    }
    EXPECT_EQ(cycles, (std::vector<std::string>{"algebraic cycle w", "cycle q, r", "cycle s, t"}));
    EXPECT_THAT(read_bytes(folder / "r.html"), HasSubstr("<td>q, r</td>"));
}

}  // namespace
}  // namespace tandem::test
