// Files of a stranger that would multiply, or never end. Each is refused with one sentence that
// names the limit, with exit code 2, and within little memory.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "files/zip.hpp"
#include "support/command_folder.hpp"
#include "support/odd_fmu.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;

// What the program takes for itself is below 200 MiB, most of it libraries.
constexpr int little_memory = 1024;

MATCHER_P(Says, sentence, "") { return (arg.out + arg.err).find(sentence) != std::string::npos; }

class LimitedFolder : public CommandFolder {
public:
    /// `before` stands in front of the program: variables, limits.
    Said tandem_after(const std::string& before, const std::string& arguments) const {
        const TemporaryFolder answers;
        const std::string out = (answers.path() / "out").string();
        const std::string err = (answers.path() / "err").string();
        const int status =
            std::system(fmt::format("cd '{}' && {} " TANDEM_EXE " {} >{} 2>{}",
                                    (*this / "").string(), before, arguments, out, err)
                            .c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_bytes(out), read_bytes(err)};
    }
    /// With so much memory at most. Sanitizers need more than any limit would leave.
    Said tandem_within(int mebibytes, const std::string& arguments) const {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        static_cast<void>(mebibytes);
        return tandem(arguments);
#else
        return tandem_after(fmt::format("ulimit -v {} &&", mebibytes * 1024), arguments);
#endif
    }
};

class HostileFiles : public testing::Test {
protected:
    /// Verbs that read a system; each must say `sentence` and nothing of a bug.
    void expect_refused(const std::string& file, const std::string& sentence) const {
        for (const std::string& verb :
             {"check " + file, "check --no-binary " + file, "graph " + file,
              "run " + file + " --stop 1", "export " + file + " -o out.ssp"}) {
            const Said said = folder.tandem_within(little_memory, verb);
            EXPECT_EQ(said.code, 2) << verb << "\n" << said.out << said.err;
            EXPECT_THAT(said.out + said.err, HasSubstr(sentence)) << verb;
        }
    }

    /// s0.toml refers `uses` times to s1.toml, and so on; the last is `leaf`.
    void write_chain(int length, int uses, const std::string& leaf) const {
        for (int k = 0; k < length; ++k) {
            std::string text;
            for (int i = 0; i < uses; ++i)
                text += fmt::format("[systems.u{}]\nsource = 's{}.toml'\n", i, k + 1);
            folder.write(fmt::format("s{}.toml", k), text);
        }
        folder.write(fmt::format("s{}.toml", length), leaf);
        folder.write("t.csv", "time,u\n0,1\n1,1\n");
    }

    /// Each system passes its input, at first that of `leaf`, on to the next one three times over.
    void write_ways(int length, const std::string& leaf) const {
        const std::string connector = "connectors = {u = {kind = 'input'}}\n";
        for (int k = 0; k < length; ++k)
            folder.write(fmt::format("s{}.toml", k),
                         (k == 0 ? "" : connector) +
                             repeated("[[connections]]\nfrom = 'u'\nto = 'a.u'\n", k == 0 ? 0 : 3) +
                             (k == 0 ? "[[connections]]\nfrom = 'x.u'\nto = 'a.u'\n" + leaf : "") +
                             fmt::format("[systems.a]\nsource = 's{}.toml'\n", k + 1));
        folder.write(fmt::format("s{}.toml", length),
                     connector +
                         "[subsystems.y]\nsource = 'fmus/Feedthrough_fmi2.fmu'\n"
                         "[[connections]]\nfrom = 'u'\nto = 'y.Float64_continuous_input'\n");
        folder.write("t.csv", "time,u\n0,1\n1,1\n");
    }

    std::string repeated(const std::string& text, int count) const {
        std::string all;
        for (int i = 0; i < count; ++i) all += text;
        return all;
    }

    LimitedFolder folder;
};

ZipItem packed(std::string name, std::string bytes) {
    ZipItem item;
    item.name = std::move(name);
    item.bytes = std::move(bytes);
    return item;
}

const std::string leaf = "[subsystems.x]\nsource = 't.csv'\n";

TEST_F(HostileFiles, references_that_multiply_end_at_a_number_of_subsystems) {
    write_chain(25, 4, leaf);
    expect_refused("s0.toml", "comes to more than 100000 subsystems and nested systems");
}

TEST_F(HostileFiles, references_that_multiply_what_a_system_holds_end_at_its_size) {
    // 34 times 34 uses of half a megabyte of numbers, which count twice.
    write_chain(2, 34, leaf + "[parameters]\na = [" + repeated("1.0,", 62'500) + "]\n");
    expect_refused("s0.toml", "comes to more than 1 GiB, the limit here");
}

TEST_F(HostileFiles, as_many_references_as_a_real_system_has_are_fine) {
    write_chain(2, 30, leaf);
    const Said said = folder.tandem_within(little_memory, "check s0.toml");
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("subsystems       900 "));
}

TEST_F(HostileFiles, connections_through_systems_that_multiply_end_at_a_number) {
    write_ways(40, leaf);
    expect_refused("s0.toml", "come to more than 500000 ways, the limit here");
}

TEST_F(HostileFiles, keys_of_many_parts_do_not_use_up_the_stack) {
    folder.write("dots.toml", repeated("a.", 20'000) + "a = 1\n" + leaf);
    expect_refused("dots.toml", "dots.toml:1: nests tables and lists deeper than 256 levels");
    folder.write("header.toml", "[" + repeated("systems.a.", 5'000) + "subsystems.x]\n");
    expect_refused("header.toml", "header.toml:1: nests tables and lists deeper than 256 levels");
    folder.write("inline.toml", "a = " + repeated("{b.c.d.e.f.g.h.i.j.k = ", 200) + "1" +
                                    repeated("}", 200) + "\n");
    expect_refused("inline.toml", "nests tables and lists deeper than 256 levels");
    // Quotes in front of the closing ones must not hide what follows.
    folder.write("quotes.toml",
                 "a = [\"\"\"x\"\"\"\", \"\"\"y\"\"\"\"]\n" + repeated("b.", 20'000) + "b = 1\n");
    expect_refused("quotes.toml", "quotes.toml:2: nests tables and lists deeper than 256 levels");
}

TEST_F(HostileFiles, systems_nest_fifty_levels_deep_in_one_file_and_through_files) {
    folder.write("deep.toml",
                 "[" + repeated("systems.a.", 51) + "subsystems.x]\nsource = 't.csv'\n");
    expect_refused("deep.toml", "nests systems deeper than 50 levels, the limit here");
    write_chain(60, 1, leaf);
    expect_refused("s0.toml", "nests systems deeper than 50 levels, the limit here");
    // Files that are known already are no way around it.
    folder.write("known.toml", "[systems.half]\nsource = 's30.toml'\n" + leaf +
                                   "[systems.whole]\nsource = 's0.toml'\n");
    expect_refused("known.toml", "nests systems deeper than 50 levels, the limit here");
    const Said said = folder.tandem("check s15.toml");
    EXPECT_EQ(said.code, 0) << said.out << said.err;
}

TEST_F(HostileFiles, names_have_a_length_with_the_systems_around_them) {
    folder.write("long.toml", "[systems." + std::string(600, 'a') + ".subsystems." +
                                  std::string(600, 'b') + "]\nsource = 't.csv'\n");
    folder.write("t.csv", "time,u\n0,1\n1,1\n");
    expect_refused("long.toml", "is longer than 1000 characters, the limit here");
}

TEST_F(HostileFiles, devices_and_pipes_are_not_read) {
    ASSERT_EQ(mkfifo((folder / "pipe.csv").c_str(), 0600), 0);
    ASSERT_EQ(mkfifo((folder / "pipe.so").c_str(), 0600), 0);
    ASSERT_EQ(mkfifo((folder / "pipe.json").c_str(), 0600), 0);
    const std::string sentence = "is a device or a pipe, not a file";
    for (const char* input : {"/dev/zero", "pipe.csv"}) {
        const Said said = folder.tandem_within(
            little_memory, fmt::format("run fmus/Feedthrough_fmi2.fmu --stop 1 --input {}", input));
        EXPECT_EQ(said.code, 2) << input;
        EXPECT_THAT(said.err, HasSubstr(std::string(input) + ": " + sentence));
        folder.write("s.toml",
                     fmt::format("[subsystems.x]\nsource = '{}'\ntype = 'table'\n", input));
        for (const char* verb : {"check s.toml", "graph s.toml", "run s.toml --stop 1"})
            EXPECT_THAT(folder.tandem_within(little_memory, verb),
                        testing::AllOf(testing::Field(&Said::code, 2), Says(sentence)))
                << verb;
    }
    const Said record = folder.tandem_within(little_memory, "report pipe.json");
    EXPECT_EQ(record.code, 2);
    EXPECT_THAT(record.err, HasSubstr(sentence));
    folder.write("s.toml", "[subsystems.x]\nsource = 'pipe.so'\n");
    const Said library = folder.tandem("check s.toml");
    EXPECT_EQ(library.code, 2);
    EXPECT_THAT(library.out, HasSubstr("is not a file that can be loaded"));
}

TEST_F(HostileFiles, an_archive_that_grows_out_of_proportion_is_not_unpacked) {
    // Zeros shrink to a thousandth; 300 MB are beyond what is unpacked without a look at that.
    std::string description = read_bytes(TANDEM_SOURCE_DIR "/tests/malformed/bomb.xml");
    write_zip(folder / "bomb.fmu", {packed("modelDescription.xml", description),
                                    packed("resources/zeros", std::string(300'000'000, '\0'))});
    for (const char* verb : {"info bomb.fmu", "check bomb.fmu", "run bomb.fmu --stop 1"}) {
        const Said said = folder.tandem_within(little_memory, verb);
        EXPECT_EQ(said.code, 2) << verb;
        EXPECT_THAT(said.out + said.err,
                    HasSubstr("unpacks to more than 256 MiB and more than 200 times its own size"));
    }
}

TEST_F(HostileFiles, info_unpacks_nothing) {
    const Said said = folder.tandem_after("TMPDIR=/nowhere", "info fmus/Feedthrough_fmi2.fmu");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("linux64"));
    const Said json =
        folder.tandem_after("TMPDIR=/nowhere", "info --json fmus/Feedthrough_fmi2.fmu");
    EXPECT_THAT(json.out, HasSubstr("\"linux64\""));
}

TEST_F(HostileFiles, results_of_very_many_columns_are_compared_in_time) {
    // Column by column through all others this would take hours.
    std::string text = "time";
    for (int i = 0; i < 300'000; ++i) text += fmt::format(",c{}", i);
    for (const char* t : {"0", "1"}) text += std::string("\n") + t + repeated(",1", 300'000);
    folder.write("wide.csv", text + "\n");
    const Said said = folder.tandem("compare wide.csv wide.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("300000 variables compared"));
}

TEST_F(HostileFiles, escape_sequences_of_files_do_not_reach_the_terminal) {
    folder.write("s.toml",
                 "[subsystems.\"\\u001b[2J\"]\nsource = \"\\u001b]0;title\\u0007.fmu\"\n");
    for (const char* verb : {"check s.toml", "run s.toml --stop 1", "graph s.toml"}) {
        const Said said = folder.tandem(verb);
        EXPECT_EQ(said.code, 2);
        EXPECT_THAT(said.out + said.err, HasSubstr("\\x1b[2J")) << verb;
        EXPECT_THAT(said.out + said.err, testing::Not(HasSubstr("\x1b"))) << verb;
    }
}

TEST_F(HostileFiles, escape_sequences_of_an_fmu_do_not_reach_the_terminal) {
    const OddFmu odd;
    folder.write("s.toml", fmt::format("[experiment]\nstop = 1.0\nstep = 1.0\n[subsystems.steers]\n"
                                       "source = '{}'\nkind = 'cs'\n",
                                       odd.fmu->path().string()));
    const Said said = folder.tandem("run s.toml");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("warning: steers: \\x1b[2J\\x1b]0;title\\x07 \\x9b 31m "
                                    "\\u202e\n    error: all is lost\n"));
    EXPECT_THAT(said.err, testing::Not(HasSubstr("\x1b")));
}

TEST_F(HostileFiles, errors_that_an_fmu_logs_in_calls_that_succeed_are_seen) {
    const OddFmu odd;
    folder.write("s.toml",
                 fmt::format("[experiment]\nstop = 2.0\nstep = 1.0\n[subsystems.complains]\n"
                             "source = '{}'\nkind = 'cs'\n",
                             odd.fmu->path().string()));
    const Said said = folder.tandem("run s.toml");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("warning: complains: no convergence at 1\n"));
    EXPECT_THAT(said.err, HasSubstr("complains: 1 further warnings"));
}

TEST_F(HostileFiles, very_many_messages_of_an_fmu_are_summarised) {
    const OddFmu odd;
    folder.write("s.toml",
                 fmt::format("[experiment]\nstop = 1.0\nstep = 1.0\n[subsystems.chatters]\n"
                             "source = '{}'\nkind = 'cs'\n",
                             odd.fmu->path().string()));
    // Half of the 100000 messages are warnings that differ in a number only.
    const Said said = folder.tandem("run s.toml");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("warning: chatters: step 0 of 1\n"));
    EXPECT_THAT(said.err, HasSubstr("chatters: 49999 further warnings"));
    EXPECT_LT(std::ranges::count(said.err, '\n'), 30);
    const Said all = folder.tandem("run s.toml --log-level info");
    EXPECT_THAT(all.err, HasSubstr("chatters: 98999 further messages were not shown; the limit is "
                                   "1000 for each FMU"));
    EXPECT_LT(std::ranges::count(all.err, '\n'), 1100);
}

/// An FMU and a library that leave the file `ran` behind when any of their code runs.
class NoBinary : public HostileFiles {
protected:
    NoBinary() {
        const std::string library = read_bytes(TANDEM_ODD_FMUS "/marker.so");
        write_zip(folder / "marker.fmu",
                  {packed("modelDescription.xml",
                          read_bytes(TANDEM_SOURCE_DIR "/tests/malformed/marker.xml")),
                   packed("binaries/linux64/marker.so", library)});
        folder.write("marker.so", library);
        folder.write("s.toml",
                     "[subsystems.a]\nsource = 'marker.fmu'\n[subsystems.b]\nsource = 'marker.so'\n"
                     "[[connections]]\nfrom = 'a.y'\nto = 'b.u'\n"
                     "[[connections]]\nfrom = 'b.y'\nto = 'a.u'\n");
    }
    Said marked(const std::string& arguments) const {
        return folder.tandem_after("TANDEM_MARKER=ran", arguments);
    }
    bool ran() const { return std::filesystem::exists(folder / "ran"); }
};

TEST_F(NoBinary, no_verb_runs_code_of_others_where_it_is_not_to) {
    for (const char* verb :
         {"check --no-binary marker.fmu", "check --no-binary s.toml", "graph --no-binary s.toml",
          "info marker.fmu", "export s.toml -o s.ssp", "check --no-binary s.ssp"}) {
        const Said said = marked(verb);
        EXPECT_EQ(said.code, 0) << verb << "\n" << said.out << said.err;
        EXPECT_FALSE(ran()) << verb;
    }
    marked("check s.toml");
    EXPECT_TRUE(ran()) << "the marker itself does not work";
}

TEST_F(NoBinary, nothing_is_loaded_of_a_system_beyond_the_limits) {
    const auto expect_refused_unloaded = [&](const std::string& sentence) {
        for (const char* verb : {"check s0.toml", "graph s0.toml", "run s0.toml --stop 1",
                                 "linearise s0.toml", "export s0.toml -o s0.ssp"}) {
            const Said said = marked(verb);
            EXPECT_EQ(said.code, 2) << verb;
            EXPECT_THAT(said.out + said.err, HasSubstr(sentence)) << verb;
            EXPECT_FALSE(ran()) << verb;
        }
    };
    const std::string marker = "[subsystems.x]\nsource = 'marker.so'\n";
    write_chain(25, 4, marker);
    expect_refused_unloaded("comes to more than 100000 subsystems and nested systems");
    write_chain(2, 34, marker + "[parameters]\na = [" + repeated("1.0,", 62'500) + "]\n");
    expect_refused_unloaded("comes to more than 1 GiB, the limit here");
    write_ways(40, marker);
    expect_refused_unloaded("come to more than 500000 ways, the limit here");
    write_chain(1, 1, marker);
    marked("check s0.toml");
    EXPECT_TRUE(ran()) << "the marker itself does not work";
}

TEST_F(NoBinary, descriptions_tell_cycles_and_say_what_is_only_assumed) {
    const Said check = marked("check --no-binary s.toml");
    EXPECT_THAT(check.out, HasSubstr("subsystems       2 (1 co-simulation, 1 native), none of them "
                                     "loaded"));
    EXPECT_THAT(check.out, HasSubstr("not looked at    b"));
    EXPECT_THAT(check.out, HasSubstr("algebraic loops  1"));
    const Said graph = marked("graph --no-binary s.toml");
    EXPECT_THAT(graph.out, HasSubstr("2 subsystems, 2 connections, 1 cycle"));
    EXPECT_THAT(graph.err, HasSubstr("b: not loaded, so each output is taken to depend on each "
                                     "input"));
}

TEST_F(NoBinary, a_state_feeds_others_and_closes_no_algebraic_loop) {
    folder.write("s.toml",
                 "[subsystems.a]\nsource = 'marker.fmu'\n[subsystems.b]\nsource = 'marker.so'\n"
                 "[[connections]]\nfrom = 'a.x'\nto = 'b.u'\n"
                 "[[connections]]\nfrom = 'b.y'\nto = 'a.u'\n");
    const Said said = marked("check --no-binary s.toml");
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("cycles           1"));
    EXPECT_THAT(said.out, HasSubstr("algebraic loops  0"));
}

TEST_F(NoBinary, descriptions_tell_wrong_names_and_types) {
    folder.write("s.toml",
                 "[subsystems.a]\nsource = 'marker.fmu'\n[subsystems.b]\nsource = "
                 "'marker.so'\n[[connections]]\nfrom = 'a.why'\nto = 'b.u'\n");
    const Said said = marked("check --no-binary s.toml");
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.out, HasSubstr("subsystem 'a' has no variable 'why'"));
    EXPECT_EQ(marked("check --no-binary --rollback s.toml").code, 2);
}

}  // namespace
}  // namespace tandem::test
