#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "files/zip.hpp"
#include "support/command_folder.hpp"
#include "support/result_files.hpp"

// FMUs that come as sources: support/fmus/source, dx/dt = -k x, k = 1, x(0) = 1.
namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder for commands, with a cache of its own.
class CompileFolder : public CommandFolder {
public:
    CompileFolder() {
        setenv("XDG_CACHE_HOME", (*this / "cache").c_str(), 1);
        fs::create_directory(*this / "cache");
    }
    ~CompileFolder() { unsetenv("XDG_CACHE_HOME"); }

    /// The unpacked FMU of that name, to be changed.
    fs::path unpack(const std::string& name) const {
        const fs::path folder = *this / name;
        fs::copy(fs::path(TANDEM_SOURCE_DIR "/tests/support/fmus/source") / name, folder,
                 fs::copy_options::recursive);
        return folder;
    }
    /// Packs it as `name`.fmu.
    void pack(const std::string& name) const {
        std::vector<ZipItem> items;
        const fs::path folder = *this / name;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file())
                items.push_back(
                    {entry.path().lexically_relative(folder).string(), {}, entry.path()});
        write_zip(*this / (name + ".fmu"), items);
        fs::remove_all(folder);
    }
    /// Puts `to` in the place of `from`, which must be there.
    void edit(const fs::path& file, const std::string& from, const std::string& to) const {
        std::string text = read_bytes(file);
        ASSERT_NE(text.find(from), std::string::npos) << file << " lacks " << from;
        write_bytes(file, text.replace(text.find(from), from.size(), to));
    }
    std::size_t kept_libraries() const {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(*this / "cache/tandem"))
            count += entry.path().extension() == ".so" ? 1 : 0;
        return count;
    }
};

/// Runs it to t = 1 with k = 0.5; x at the end.
double last_x(const CompileFolder& folder, const std::string& fmu, const std::string& kind) {
    const Said said = folder.tandem("run " + fmu + " --kind " + kind +
                                    " --set k=0.5 --stop 1 --step 0.1 --tolerance 1e-9 "
                                    "--output x.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    return said.code == 0 ? read_csv_results(folder / "x.csv")["x"].back() : 0.0;
}

struct SourceFmuCase {
    const char* name;
    const char* kind;
};

class SourceFmus : public ::testing::TestWithParam<SourceFmuCase> {};

// fmi2 offers both kinds.
TEST(SourceFmu, with_both_kinds_is_said_to_be_compiled_once) {
    const CompileFolder folder;
    folder.unpack("fmi2");
    const Said said = folder.tandem("check fmi2");
    EXPECT_EQ(said.code, 0) << said.err;
    const std::string words = "no binary for this platform";
    EXPECT_NE(said.err.find(words), std::string::npos) << said.err;
    EXPECT_EQ(said.err.find(words), said.err.rfind(words)) << said.err;
}

TEST_P(SourceFmus, run_without_a_binary) {
    const CompileFolder folder;
    folder.unpack(GetParam().name);
    folder.pack(GetParam().name);
    const double x = last_x(folder, std::string(GetParam().name) + ".fmu", GetParam().kind);
    // Co-Simulation is exact but for rounding, Model Exchange has a tolerance of 1e-9 per step.
    EXPECT_NEAR(x, std::exp(-0.5), 1e-7);
}

TEST_P(SourceFmus, become_fmus_with_a_binary) {
    const CompileFolder folder;
    folder.unpack(GetParam().name);
    folder.pack(GetParam().name);
    const Said said = folder.tandem(std::string("compile ") + GetParam().name + ".fmu -o c.fmu");
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("c.fmu: with binaries/"));
    const Said checked = folder.tandem("check c.fmu");
    EXPECT_THAT(checked.err, Not(HasSubstr("compiled from its sources"))) << checked.out;
    EXPECT_NEAR(last_x(folder, "c.fmu", GetParam().kind), std::exp(-0.5), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(
    Versions, SourceFmus,
    ::testing::Values(SourceFmuCase{"fmi1_cs", "cs"}, SourceFmuCase{"fmi1_me", "me"},
                      SourceFmuCase{"fmi2", "cs"}, SourceFmuCase{"fmi2", "me"},
                      SourceFmuCase{"fmi3", "cs"}, SourceFmuCase{"fmi3", "me"}),
    [](const auto& test) { return std::string(test.param.name) + "_" + test.param.kind; });

TEST(SourceFmu, is_compiled_once_and_each_run_says_so_in_one_line) {
    const CompileFolder folder;
    folder.unpack("fmi2");
    folder.pack("fmi2");
    const Said first = folder.tandem("run fmi2.fmu --stop 1");
    EXPECT_THAT(first.err,
                HasSubstr("fmi2.fmu: no binary for this platform: uses one to be compiled from its "
                          "sources by cc, kept in " +
                          (folder / "cache/tandem").string() + "\n"));
    EXPECT_EQ(folder.kept_libraries(), 1U);
    const Said second = folder.tandem("run fmi2.fmu --stop 1");
    EXPECT_EQ(second.code, 0);
    EXPECT_THAT(second.err, HasSubstr("uses one compiled from its sources"));
    EXPECT_EQ(folder.kept_libraries(), 1U);
}

TEST(SourceFmu, is_compiled_again_when_a_source_changes) {
    const CompileFolder folder;
    const fs::path fmu = folder.unpack("fmi1_cs");
    EXPECT_NEAR(last_x(folder, "fmi1_cs", "cs"), std::exp(-0.5), 1e-9);
    folder.edit(fmu / "sources/decay.c", "exp(-decay", "exp(-2.0 * decay");
    EXPECT_NEAR(last_x(folder, "fmi1_cs", "cs"), std::exp(-1.0), 1e-9);
    EXPECT_EQ(folder.kept_libraries(), 2U);
    EXPECT_FALSE(fs::exists(fmu / "binaries"));
}

TEST(SourceFmu, is_compiled_again_when_a_header_beside_its_sources_changes) {
    const CompileFolder folder;
    const fs::path fmu = folder.unpack("fmi1_cs");
    fs::create_directory(fmu / "resources");
    write_bytes(fmu / "resources/factor.h", "#define FACTOR 1.0\n");
    folder.edit(fmu / "sources/decay.c", "#include",
                "#include \"../resources/factor.h\"\n#include");
    folder.edit(fmu / "sources/decay.c", "exp(-decay", "exp(-FACTOR * decay");
    EXPECT_NEAR(last_x(folder, "fmi1_cs", "cs"), std::exp(-0.5), 1e-9);
    write_bytes(fmu / "resources/factor.h", "#define FACTOR 2.0\n");
    EXPECT_NEAR(last_x(folder, "fmi1_cs", "cs"), std::exp(-1.0), 1e-9);
}

TEST(SourceFmu, runs_where_nothing_can_be_kept) {
    const CompileFolder folder;
    folder.unpack("fmi1_cs");
    fs::create_directory(folder / "cache/tandem");
    // Whoever may write there could let others run code.
    fs::permissions(folder / "cache/tandem", fs::perms::all);
    const Said said = folder.tandem("run fmi1_cs --stop 1");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("and not kept: there is no private cache folder"));
    EXPECT_EQ(folder.kept_libraries(), 0U);
}

TEST(SourceFmu, is_part_of_a_system) {
    const CompileFolder folder;
    folder.unpack("fmi2");
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.a]\nsource = \"fmi2\"\nkind = "
                 "\"cs\"\n[subsystems.b]\nsource = \"fmi2\"\nkind = \"me\"\n");
    const Said said = folder.tandem("run s.toml --output o.csv");
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["a.x"].back(), std::exp(-1.0), 1e-9);
    EXPECT_THAT(said.err, HasSubstr("compiled from its sources"));
    EXPECT_EQ(folder.tandem("check s.toml").code, 0);
}

TEST(SourceFmu, may_use_names_that_look_like_options) {
    const CompileFolder folder;
    const fs::path fmu = folder.unpack("fmi2");
    fs::rename(fmu / "sources/rate.cpp", fmu / "sources/-o $(touch gone) @\".cpp");
    for (int list = 0; list < 2; ++list)
        folder.edit(fmu / "modelDescription.xml", "rate.cpp", "-o $(touch gone) @&quot;.cpp");
    const fs::path other = folder.unpack("fmi3");
    fs::rename(other / "sources/headers", other / "sources/-I x y");
    folder.edit(other / "sources/buildDescription.xml", "name=\"headers", "name=\"-I x y");
    EXPECT_EQ(folder.tandem("run fmi2 --stop 1").code, 0);
    EXPECT_EQ(folder.tandem("run fmi3 --stop 1").code, 0);
    EXPECT_FALSE(fs::exists(folder / "gone"));
}

/// Changes a source FMU and runs it: what is said.
struct Refusal {
    const char* title;
    const char* fmu;
    const char* file;
    const char* from;
    const char* to;
    const char* problem;
};

class RefusedSources : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedSources, are_refused_with_a_sentence) {
    const CompileFolder folder;
    const Refusal& refusal = GetParam();
    folder.edit(folder.unpack(refusal.fmu) / refusal.file, refusal.from, refusal.to);
    const Said said = folder.tandem(std::string("run ") + refusal.fmu + " --stop 1");
    EXPECT_EQ(said.code, 2) << said.err;
    EXPECT_THAT(said.err, AllOf(HasSubstr(refusal.problem), HasSubstr("hint:")));
    const Said compiled = folder.tandem(std::string("compile ") + refusal.fmu + " -o c.fmu");
    EXPECT_EQ(compiled.code, 2);
    EXPECT_THAT(compiled.err, Not(HasSubstr("/tmp/")));
    EXPECT_FALSE(fs::exists(folder / "c.fmu"));
    // What runs no code needs no compiler either.
    EXPECT_EQ(folder.tandem(std::string("check --no-binary ") + refusal.fmu).code, 0);
    EXPECT_EQ(folder.tandem(std::string("info ") + refusal.fmu).code, 0);
}

constexpr const char* build = "sources/buildDescription.xml";
INSTANTIATE_TEST_SUITE_P(
    Reasons, RefusedSources,
    ::testing::Values(Refusal{"SyntaxError", "fmi1_cs", "sources/decay.c", "fmiDoStep(",
                              "fmiDoStep(nonsense ",
                              "its sources do not compile: sources/decay.c:"},
                      Refusal{"UndeclaredFunction", "fmi1_cs", "sources/decay.c", "exp(-",
                              "unknown(-", "implicit declaration of function"},
                      Refusal{"MissingFile", "fmi2", "modelDescription.xml", "decay.c", "lost.c",
                              "the source file sources/lost.c is missing"},
                      Refusal{"WayOut", "fmi2", "modelDescription.xml", "decay.c", "../../secret.c",
                              "lies outside of the folder sources"},
                      Refusal{"AbsolutePath", "fmi2", "modelDescription.xml", "decay.c",
                              "/etc/secret.c", "lies outside of the folder sources"},
                      Refusal{"NoFmiFunction", "fmi1_cs", "sources/decay.c", "fmiDoStep(",
                              "do_step(", "DecayCs.so lacks the functions fmiDoStep"},
                      Refusal{"OtherLanguage", "fmi3", build, "C99", "Rust", "neither C nor C++"},
                      Refusal{"CompilerOptions", "fmi3", build, "language=\"C99\"",
                              "compilerOptions=\"-fplugin=x.so\"", "sets options of the compiler"},
                      Refusal{"WayOutOfHeaders", "fmi3", build, "name=\"headers", "name=\"../..",
                              "lies outside of the folder sources"},
                      Refusal{"DefinitionOfNoName", "fmi3", build, "name=\"RATE\"",
                              "name=\"RATE -fplugin=x\"", "is no name of a macro"},
                      Refusal{"LibraryOfNoName", "fmi3", build, "name=\"m\"",
                              "name=\"m -fplugin=x\"", "is no name of a library"},
                      Refusal{"UnknownLibrary", "fmi3", build, "name=\"m\"", "name=\"unheard_of\"",
                              "cannot find -lunheard_of"},
                      Refusal{"NoConfiguration", "fmi3", build, "Identifier=\"Decay\">",
                              "Identifier=\"Other\">",
                              "there is no build configuration of Decay for x86_64-linux"}),
    [](const auto& test) { return std::string(test.param.title); });

TEST(SourceFmu, without_a_compiler_is_refused_with_the_way_to_one) {
    const CompileFolder folder;
    folder.unpack("fmi1_cs");
    setenv("CC", "no_such_compiler", 1);
    const Said said = folder.tandem("run fmi1_cs --stop 1");
    unsetenv("CC");
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, AllOf(HasSubstr("its sources cannot be compiled: no_such_compiler cannot "
                                          "be started"),
                                HasSubstr("hint: install a compiler")));
}

TEST(SourceFmu, with_functions_that_nothing_provides_is_compiled_with_a_warning) {
    const CompileFolder folder;
    const fs::path fmu = folder.unpack("fmi1_me");
    fs::remove(fmu / "sources/rate.c");
    const Said compiled = folder.tandem("compile fmi1_me -o c.fmu");
    EXPECT_EQ(compiled.code, 0);
    EXPECT_THAT(compiled.err, HasSubstr("calls functions that nothing provides: rate"));
    const Said said = folder.tandem("run c.fmu --stop 1");
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.err, HasSubstr("called the function rate, which no library provides"));
}

TEST(SourceFmu, is_taken_from_its_binary_where_there_is_one) {
    const CompileFolder folder;
    const fs::path fmu = folder.unpack("fmi2");
    ASSERT_EQ(folder.tandem("compile fmi2 -o c.fmu").code, 0);
    fs::remove_all(fmu);
    setenv("CC", "no_such_compiler", 1);
    const Said said = folder.tandem("run c.fmu --stop 1");
    unsetenv("CC");
    EXPECT_EQ(said.code, 0) << said.err;
}

TEST(Compile, names_its_file_after_the_platform_and_overwrites_nothing) {
    const CompileFolder folder;
    folder.unpack("fmi2");
    EXPECT_EQ(folder.tandem("compile fmi2/").code, 0);
    EXPECT_TRUE(fs::exists(folder / "fmi2_linux64.fmu"));
    const Said again = folder.tandem("compile fmi2");
    EXPECT_EQ(again.code, 2);
    EXPECT_THAT(again.err, HasSubstr("fmi2_linux64.fmu: exists already"));
}

TEST(Compile, does_not_replace_the_fmu_with_the_sources) {
    const CompileFolder folder;
    folder.unpack("fmi2");
    folder.pack("fmi2");
    const std::string before = read_bytes(folder / "fmi2.fmu");
    const Said said = folder.tandem("compile fmi2.fmu -o ./fmi2.fmu");
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, HasSubstr("is the FMU with the sources, which would be lost"));
    EXPECT_EQ(read_bytes(folder / "fmi2.fmu"), before);
}

TEST(Compile, of_an_fmu_without_sources_is_refused) {
    const CompileFolder folder;
    const Said said = folder.tandem("compile fmus/BouncingBall_fmi2.fmu -o c.fmu");
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, HasSubstr("the FMU has no sources"));
}

TEST(Info, tells_of_sources) {
    const CompileFolder folder;
    folder.unpack("fmi2");
    EXPECT_THAT(folder.tandem("info fmi2").out, HasSubstr("sources"));
    EXPECT_THAT(folder.tandem("info fmi2 --json").out, HasSubstr("\"rate.cpp\""));
    folder.pack("fmi2");
    EXPECT_THAT(folder.tandem("info fmi2.fmu --json").out, HasSubstr("\"rate.cpp\""));
}

}  // namespace
}  // namespace tandem::test
