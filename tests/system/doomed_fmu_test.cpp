// FMUs that end the process in the middle of any of their functions, from the moment they are
// loaded to the moment they are unloaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/drafts.hpp"
#include "support/program_folder.hpp"
#include "support/result_files.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;
using test::write_small_fmu;

const std::vector<const char*> deeds = {"crash",      "abort",        "exit_0",         "exit_7",
                                        "quick_exit", "exit_at_once", "forget_handlers"};

/// A system of an FMU that behaves and one that ends the process when told so, in a folder with the
/// record and the page of an earlier run. Temporary folders go into it, too.
class DoomedSystem : public test::ProgramFolder {
public:
    /// The source of the doomed subsystem, and its kind; without, the library doomed_fmi2.
    explicit DoomedSystem(std::string source = "", const std::string& kind = "cs") {
        std::ofstream(*this / "page.html") << "an older page";
        std::ofstream(*this / "run.json") << "an older record";
        if (source.empty()) {
            source = "doomed.fmu";
            write_small_fmu(*this / source, "doomed", "doomed_fmi2");
        }
        std::ofstream file(*this / "system.toml");
        file << "[experiment]\nstop = 1.0\nstep = 0.1\n"
             << "[subsystems.before]\nsource = \"" TANDEM_FMU_DIR "/LinearOde_fmi2.fmu\"\n"
             << "kind = \"cs\"\nparameters = { a = 0, u = 1 }\n"
             << "[subsystems.bad]\nsource = \"" << source << "\"\n";
        if (!kind.empty()) file << "kind = \"" << kind << "\"\n";
    }

    /// `doom` as in support/fmus/doom.hpp.
    int tandem(const std::string& doom, const std::vector<std::string>& arguments) {
        setenv("TANDEM_DOOM", doom.c_str(), 1);
        const pid_t child = start(arguments);
        unsetenv("TANDEM_DOOM");
        return test::finish_tandem(child);
    }
    int run(const std::string& doom) {
        return tandem(doom, {"run", "system.toml", "--output", "out.csv", "--report", "page.html"});
    }
};

/// The run has failed in `call` of the doomed FMU, and everything says so.
void expect_failure(const DoomedSystem& system, const std::string& call) {
    EXPECT_THAT(system.said(),
                AllOf(AnyOf(HasSubstr("bad"), HasSubstr("doomed.fmu"), HasSubstr("Unruly")),
                      HasSubstr(call), HasSubstr("hint:")));
    EXPECT_THAT(system.temporary_folders(), IsEmpty());
    EXPECT_FALSE(fs::exists(system / "page.html"));
    EXPECT_THAT(test::drafts_in(system / ""), IsEmpty());
    const Json record = system.record();
    EXPECT_EQ(record["outcome"], "failed");
    const std::string sentence = record["outcome_sentence"];
    EXPECT_THAT(sentence, HasSubstr(call));
    EXPECT_THAT(system.said(), HasSubstr(sentence));
    EXPECT_EQ(record["system_file"], "system.toml");
    EXPECT_EQ(record["subsystems"].size(), 2U);
    EXPECT_EQ(record["files"].size(), 3U);
}

/// Rows at 0, 0.1, ... of x = t.
void expect_rows(const DoomedSystem& system, std::size_t rows) {
    const Json record = system.record();
    if (rows == 0 && record["results"].empty()) return;
    test::Table table = test::read_results(system / "out.csv", {"time", "before.y"});
    ASSERT_EQ(table["time"].size(), rows);
    EXPECT_EQ(record["results"][0]["rows"], rows);
    for (std::size_t k = 0; k < rows; ++k) {
        EXPECT_NEAR(table["time"][k], 0.1 * static_cast<double>(k), 1e-12);
        EXPECT_NEAR(table["before.y"][k], table["time"][k], 1e-9);
    }
}

/// A place in the life of an FMU, the call that is named, and the rows that are there by then.
struct Place {
    const char* name;
    const char* call;
    std::size_t rows;
};

class DoomedFmu : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(
    Places, DoomedFmu,
    ::testing::Values(Place{"load", "dlopen", 0}, Place{"fmi2Instantiate", "fmi2Instantiate", 0},
                      Place{"fmi2SetupExperiment", "fmi2SetupExperiment", 0},
                      Place{"fmi2EnterInitializationMode", "fmi2EnterInitializationMode", 0},
                      Place{"fmi2ExitInitializationMode", "fmi2ExitInitializationMode", 0},
                      Place{"fmi2DoStep", "fmi2DoStep", 1},
                      Place{"fmi2Terminate", "fmi2Terminate", 11},
                      Place{"fmi2FreeInstance", "fmi2FreeInstance", 11},
                      Place{"unload", "dlclose", 11}),
    [](const auto& place) { return std::string(place.param.name); });

TEST_P(DoomedFmu, leaves_a_record_and_its_rows_wherever_it_ends_the_process) {
    for (const char* deed : deeds) {
        DoomedSystem system;
        const int code = system.run(GetParam().name + std::string(" ") + deed);
        SCOPED_TRACE(deed + (": " + system.said()));
        EXPECT_EQ(code, 1);
        expect_failure(system, GetParam().call);
        expect_rows(system, GetParam().rows);
    }
}

class DoomedKind : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, DoomedKind,
                         ::testing::Values("fmi1_cs", "fmi1_me", "fmi2_cs", "fmi2_me", "fmi3_cs",
                                           "fmi3_me", "native"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(DoomedKind, leaves_a_record_wherever_it_ends_the_process) {
    const std::string kind = GetParam();
    const bool is_native = kind == "native";
    const std::string version = kind.starts_with("fmi1") ? kind : kind.substr(0, 4);
    const std::string source = is_native ? TANDEM_ODD_FMUS "/native/Unruly.so"
                                         : TANDEM_ODD_FMUS "/Unruly_" + version + ".fmu";
    for (const std::string place : {"load", "instantiate", "initialise", "free", "unload"})
        for (const char* deed : deeds) {
            DoomedSystem system(source, is_native ? "" : kind.substr(5));
            const int code = system.run(place + " " + deed);
            SCOPED_TRACE(place + " " + deed + ": " + system.said());
            EXPECT_EQ(code, 1);
            expect_failure(system, place == "load" ? "dlopen" : place == "unload" ? "dlclose" : "");
            if (place == "unload") expect_rows(system, 11);
        }
}

TEST(NativeModel, that_ends_the_process_in_a_step_is_named_and_rows_are_kept) {
    for (const char* deed : {"exit_0", "exit_7", "quick_exit", "crash_in_thread"}) {
        DoomedSystem system(TANDEM_ODD_FMUS "/native/Unruly.so", "");
        std::ofstream(system / "system.toml", std::ios::app)
            << "parameters = { deed = \"" << deed << "\" }\n";
        EXPECT_EQ(system.run("nowhere"), 1);
        SCOPED_TRACE(deed + (": " + system.said()));
        expect_failure(system, "Unruly.so: ");
        expect_rows(system, 5);
    }
}

/// `check` of an FMU loads it and makes no instance.
TEST(DoomedVerb, says_which_fmu_ended_it_and_is_not_fine) {
    const std::vector<std::pair<std::string, std::string>> verbs = {{"run", "doomed.fmu"},
                                                                    {"check", "doomed.fmu"},
                                                                    {"check", "system.toml"},
                                                                    {"graph", "system.toml"},
                                                                    {"linearise", "system.toml"}};
    const std::vector<std::pair<std::string, std::string>> places = {
        {"load", "dlopen"}, {"unload", "dlclose"}, {"fmi2Instantiate", "fmi2Instantiate"}};
    for (const auto& [verb, file] : verbs)
        for (const auto& [place, call] : places)
            for (const char* deed : deeds) {
                if (verb + file == "checkdoomed.fmu" && place == "fmi2Instantiate") continue;
                DoomedSystem system;
                const int code = system.tandem(place + " " + deed, {verb, file});
                SCOPED_TRACE(verb + " " + file + ", " + place + " " + deed + ": " + system.said());
                EXPECT_EQ(code, 1);
                EXPECT_THAT(system.said(), AllOf(AnyOf(HasSubstr("bad:"), HasSubstr("doomed:"),
                                                       HasSubstr("doomed.fmu:")),
                                                 HasSubstr(call), HasSubstr("hint:")));
                EXPECT_THAT(system.temporary_folders(), IsEmpty());
                EXPECT_EQ(test::read_bytes(system / "run.json"), "an older record");
            }
}

/// Places of an FMU alone that a verb comes to; `check --rollback` takes for findings what happens
/// to the process in which it tries.
TEST(DoomedVerb, says_which_fmu_of_any_version_and_kind_ended_it) {
    const std::vector<std::string> all = {"load", "instantiate", "initialise", "free", "unload"};
    for (const std::string kind :
         {"fmi1_cs", "fmi1_me", "fmi2_cs", "fmi2_me", "fmi3_cs", "fmi3_me"}) {
        const std::string version = kind.starts_with("fmi1") ? kind : kind.substr(0, 4);
        const std::string fmu = TANDEM_ODD_FMUS "/Unruly_" + version + ".fmu";
        const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> verbs = {
            {{"run", fmu, "--kind", kind.substr(5)}, all},
            {{"check", fmu}, {"load", "unload"}},
            {{"check", "--rollback", fmu}, all},
            {{"linearise", fmu}, kind == "fmi1_cs" ? std::vector<std::string>{} : all}};
        for (const auto& [verb, places] : verbs)
            for (const std::string& place : places)
                for (const char* deed : {"crash", "abort", "exit_0"}) {
                    DoomedSystem system;
                    const int code = system.tandem(place + " " + deed, verb);
                    SCOPED_TRACE(kind + " " + verb[0] + " " + verb[1] + ", " + place + " " + deed +
                                 ": " + system.said());
                    EXPECT_THAT(code, AnyOf(1, verb[1] == "--rollback" ? 2 : 1));
                    EXPECT_THAT(system.said(),
                                AllOf(HasSubstr("Unruly"),
                                      HasSubstr(place == "load"     ? "dlopen"
                                                : place == "unload" ? "dlclose"
                                                                    : "fmi"),
                                      HasSubstr("hint:"), Not(HasSubstr("bug in Tandem"))));
                    EXPECT_THAT(system.temporary_folders(), IsEmpty());
                }
    }
}

#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory aside, and finds such writes itself
/// The allocator finds it out at the next large request only, wherever that comes from.
TEST(DoomedVerb, names_the_fmu_that_damages_freed_memory) {
    for (const auto& [place, call] :
         {std::pair{"fmi2FreeInstance", "fmi2FreeInstance"}, std::pair{"unload", "dlclose"}})
        for (const auto& verb : std::vector<std::vector<std::string>>{
                 {"check", "system.toml"}, {"run", "system.toml"}, {"run", "doomed.fmu"}}) {
            DoomedSystem system;
            EXPECT_EQ(system.tandem(std::string(place) + " damage_memory", verb), 1);
            EXPECT_THAT(system.said(), AllOf(AnyOf(HasSubstr("bad: the FMU crashed in "),
                                                   HasSubstr("doomed: the FMU crashed in "),
                                                   HasSubstr("doomed.fmu: the FMU crashed in ")),
                                             HasSubstr(call), Not(HasSubstr("bug in Tandem"))))
                << verb[0] << " " << verb[1] << ", " << place;
        }
}
#endif

TEST(DoomedVerb, that_runs_no_foreign_code_is_fine) {
    DoomedSystem system;
    for (const auto& verb :
         std::vector<std::vector<std::string>>{{"info", "doomed.fmu"},
                                               {"check", "--no-binary", "doomed.fmu"},
                                               {"check", "--no-binary", "system.toml"},
                                               {"graph", "--no-binary", "system.toml"},
                                               {"export", "system.toml", "-o", "x.ssp"}})
        EXPECT_EQ(system.tandem("load crash", verb), 0) << verb[0] << ": " << system.said();
}

TEST(RefusedSystem, leaves_the_files_of_an_earlier_run) {
    DoomedSystem system;
    EXPECT_EQ(system.tandem("", {"run", "system.toml", "--output", "out.csv", "--report",
                                 "page.html", "--set", "bad.nothing=1"}),
              2);
    EXPECT_EQ(test::read_bytes(system / "run.json"), "an older record");
    EXPECT_EQ(test::read_bytes(system / "page.html"), "an older page");
}

/// The destructor of a library that stays loaded runs when everything else is done: exit code,
/// record and results are those of the work.
TEST(LibraryThatStaysLoaded, changes_no_exit_code_and_no_record) {
    for (const char* deed : {"exit_0", "exit_7", "exit_at_once", "crash", "forget_handlers"}) {
        DoomedSystem system;
        write_small_fmu(system / "doomed.fmu", "doomed", "doomed_at_exit");
        const std::string doom = std::string("unload ") + deed;
        EXPECT_EQ(system.tandem(doom, {"run", "system.toml", "--set", "bad.nothing=1"}), 2)
            << deed << ": " << system.said();
        EXPECT_EQ(system.run(doom), 0);
        SCOPED_TRACE(deed + (": " + system.said()));
        EXPECT_EQ(system.record()["outcome"], "complete");
        expect_rows(system, 11);
        EXPECT_THAT(system.temporary_folders(), IsEmpty());
        if (deed == std::string("exit_0") || deed == std::string("exit_at_once")) continue;
        EXPECT_THAT(system.said(), AllOf(HasSubstr("doomed.fmu"),
                                         HasSubstr("hint: everything was complete and written")));
    }
}

TEST(LibraryThatStaysLoaded, loses_nothing_that_was_printed) {
    DoomedSystem system;
    write_small_fmu(system / "doomed.fmu", "doomed", "doomed_at_exit");
    EXPECT_EQ(system.tandem("unload exit_at_once", {"check", "system.toml"}), 0);
    EXPECT_THAT(system.said(), HasSubstr("subsystems       2 (2 co-simulation)"));
}

}  // namespace
}  // namespace tandem
