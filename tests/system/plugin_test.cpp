// What a shared library outside of Tandem adds: tests/package/consumer/plugin.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command_folder.hpp"
#include "support/result_files.hpp"

namespace tandem {
namespace {

using nlohmann::json;
using test::CommandFolder;
using test::Said;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Two first order lags that feed each other, and a wave of the plug-in.
constexpr const char* loop = R"(
connections = ["A.y -> B.u", "B.y -> A.u"]
[experiment]
stop = 1
step = 0.1
[coupling]
method = "damped_jacobi"
damping = 0.25
[subsystems.A]
source = "fmus/LinearOde_fmi2.fmu"
kind = "cs"
parameters = { a = -1, b = 0.5, x = 2 }
[subsystems.B]
source = "fmus/LinearOde_fmi3.fmu"
kind = "cs"
parameters = { a = -1, b = 0.5, x = 1 }
)";

constexpr const char* wave = R"(
connections = ["W.y -> A.u"]
[experiment]
stop = 1
step = 0.001
[subsystems.W]
type = "wave"
options = { amplitude = 2, frequency = 0.5 }
[subsystems.A]
source = "fmus/LinearOde_fmi2.fmu"
parameters = { a = 0, b = 1 }
)";

class PluginFile : public ::testing::Test {
protected:
    PluginFile() {
        std::filesystem::create_symlink(TANDEM_PLUGIN_FILE, folder_ / "libmine.so");
        folder_.write("loop.toml", std::string("plugins = [\"libmine.so\"]\n") + loop);
        folder_.write("bare.toml", loop);
        folder_.write("wave.toml", std::string("plugins = [\"libmine.so\"]\n") + wave);
    }
    std::vector<double> last_row(const std::string& name) const {
        std::istringstream text(test::read_bytes(folder_ / name));
        std::string line, last;
        while (std::getline(text, line)) last = line;
        std::vector<double> values;
        std::istringstream cells(last);
        for (std::string cell; std::getline(cells, cell, ',');) values.push_back(std::stod(cell));
        return values;
    }

    CommandFolder folder_;
};

/// x' = -x + u / 2 with inputs that are held: u = 3/4 of the new value and 1/4 of the last input.
TEST_F(PluginFile, has_a_coupling_that_a_system_file_names) {
    const Said said = folder_.tandem("run loop.toml --tolerance 1e-10 --output o.csv");
    ASSERT_EQ(said.code, 0) << said.err;
    double a = 2.0, b = 1.0, u_a = b, u_b = a;
    for (int k = 0; k < 10; ++k) {
        u_a = k == 0 ? b : 0.75 * b + 0.25 * u_a;
        u_b = k == 0 ? a : 0.75 * a + 0.25 * u_b;
        const double decay = std::exp(-0.1);
        a = decay * a + (1.0 - decay) * 0.5 * u_a;
        b = decay * b + (1.0 - decay) * 0.5 * u_b;
    }
    const std::vector<double> row = last_row("o.csv");
    ASSERT_EQ(row.size(), 3U);
    EXPECT_NEAR(row[1], a, 1e-7);
    EXPECT_NEAR(row[2], b, 1e-7);
    const json record = json::parse(test::read_bytes(folder_ / "run.json"));
    EXPECT_EQ(record["coupling"]["method"], "damped_jacobi");
    EXPECT_THAT(record["files"].dump(), AllOf(HasSubstr("libmine.so"), HasSubstr("plugin")));
}

TEST_F(PluginFile, may_be_named_on_the_command_line_instead) {
    EXPECT_EQ(folder_.tandem("run bare.toml --plugin libmine.so --output o.csv").code, 0);
    EXPECT_EQ(folder_.tandem("check bare.toml --plugin libmine.so").code, 0);
    EXPECT_EQ(folder_.tandem("graph bare.toml --plugin libmine.so").code, 0);
    const Said without = folder_.tandem("run bare.toml --output o.csv");
    EXPECT_EQ(without.code, 2);
    EXPECT_THAT(without.err, HasSubstr("there is no coupling 'damped_jacobi'"));
}

TEST_F(PluginFile, has_a_type_of_subsystems_with_options) {
    const Said said = folder_.tandem("run wave.toml --output o.csv --coupling iterative");
    ASSERT_EQ(said.code, 0) << said.err;
    // The integral of 2 sin(pi t) from 0 to 1.
    EXPECT_NEAR(last_row("o.csv").back(), 4.0 / M_PI, 1e-4);
    folder_.write("slip.toml", std::string("plugins = [\"libmine.so\"]\n") +
                                   "[subsystems.W]\ntype = \"wave\"\noptions = { frequencie = 1 }\n"
                                   "[experiment]\nstop = 1\n");
    const Said slip = folder_.tandem("run slip.toml");
    EXPECT_EQ(slip.code, 2);
    EXPECT_THAT(slip.err, AllOf(HasSubstr("slip.toml:4"), HasSubstr("no option 'frequencie'"),
                                HasSubstr("did you mean 'frequency'?")));
    const Said exported = folder_.tandem("export wave.toml --output w.ssp");
    EXPECT_EQ(exported.code, 2);
    EXPECT_THAT(exported.err, HasSubstr("needs plug-ins of Tandem"));
}

TEST_F(PluginFile, has_a_solver_a_step_control_and_a_format) {
    std::string models = std::string("plugins = [\"libmine.so\"]\n") + loop;
    for (std::size_t at = 0; (at = models.find("kind = \"cs\"\n")) != std::string::npos;)
        models.erase(at, 12);
    folder_.write("models.toml", models);
    const Said said = folder_.tandem(
        "run models.toml --coupling aggregate --option solver=heun --option step=0.001 --output "
        "o.tsv");
    ASSERT_EQ(said.code, 0) << said.err;
    std::istringstream text(test::read_bytes(folder_ / "o.tsv"));
    std::string header, line, last;
    std::getline(text, header);
    while (std::getline(text, line)) last = line;
    EXPECT_EQ(header, "time\tA.y\tB.y");
    // a + b = 3 e^(-t/2), a - b = e^(-3t/2)
    const double exact = (3.0 * std::exp(-0.5) + std::exp(-1.5)) / 2.0;
    double t = 0.0, a = 0.0;
    std::istringstream(last) >> t >> a;
    EXPECT_EQ(t, 1.0);
    EXPECT_NEAR(a, exact, 1e-6);
    const Said controlled = folder_.tandem(
        "run loop.toml --step-control output_change --step-option tolerance=0.01 --output o.csv");
    EXPECT_EQ(controlled.code, 0) << controlled.err;
    const json record = json::parse(test::read_bytes(folder_ / "run.json"));
    EXPECT_EQ(record["step_control"]["method"], "output_change");
}

/// What a coupling remembers belongs to the steps that count: a step of 0.1 that is done again in
/// halves, which no tolerance refuses, is two steps of 0.05.
TEST_F(PluginFile, remembers_only_the_steps_that_count) {
    ASSERT_EQ(folder_.tandem("run loop.toml --tolerance 1e-10 --step 0.05 --output o.csv").code, 0);
    const std::vector<double> fixed = last_row("o.csv");
    ASSERT_EQ(folder_
                  .tandem("run loop.toml --tolerance 1e-10 --step-control richardson --step-option "
                          "tolerance=1e6 --step-option max_step=0.1 --output o.csv")
                  .code,
              0);
    const std::vector<double> halves = last_row("o.csv");
    EXPECT_NEAR(halves[1], fixed[1], 1e-8);
    EXPECT_NEAR(halves[2], fixed[2], 1e-8);
}

TEST_F(PluginFile, is_not_loaded_where_no_code_is_to_run) {
    folder_.write("broken.so", "no library");
    folder_.write("broken.toml", std::string("plugins = [\"broken.so\"]\n") + wave);
    EXPECT_EQ(folder_.tandem("check broken.toml").code, 2);
    EXPECT_EQ(folder_.tandem("check broken.toml --no-binary").code, 0);
    EXPECT_EQ(folder_.tandem("graph broken.toml --no-binary").code, 0);
}

TEST_F(PluginFile, refuses_what_it_cannot_do) {
    const auto error_of = [&](const std::string& text) {
        folder_.write("wrong.toml", "plugins = [\"libmine.so\"]\n" + text);
        const Said said = folder_.tandem("run wrong.toml --output o.csv");
        EXPECT_EQ(said.code, 2);
        return said.err;
    };
    std::string ratio = loop, nominal = wave;
    ratio.insert(ratio.find("[subsystems.B]"), "step_ratio = 2\n");
    EXPECT_THAT(error_of(ratio), HasSubstr("in the coupling 'damped_jacobi' all take one step"));
    nominal.insert(nominal.find("[subsystems.A]"), "nominal = { y = 2 }\n");
    EXPECT_THAT(error_of(nominal), HasSubstr("'W' takes no nominals"));
}

TEST_F(PluginFile, shows_its_rows_with_all_others) {
    const Said all = folder_.tandem("couplings --plugin libmine.so --json");
    ASSERT_EQ(all.code, 0) << all.err;
    const json listed = json::parse(all.out);
    const auto has = [&](const char* kind, const char* name) {
        return std::ranges::any_of(listed[kind],
                                   [&](const json& row) { return row["name"] == name; });
    };
    EXPECT_TRUE(has("couplings", "damped_jacobi") && has("couplings", "iterative"));
    EXPECT_TRUE(has("step_controls", "output_change") && has("solvers", "heun"));
    EXPECT_TRUE(has("result_formats", "tsv") && has("subsystem_types", "wave"));
    const Said one = folder_.tandem("couplings damped_jacobi --plugin libmine.so");
    EXPECT_THAT(one.out, AllOf(HasSubstr("damping"), HasSubstr("0.5")));
    EXPECT_EQ(folder_.tandem("couplings nothing").code, 2);
}

TEST_F(PluginFile, is_refused_with_a_reason) {
    const auto error_of = [&](const std::string& file) {
        const Said said = folder_.tandem("run bare.toml --plugin " + file);
        EXPECT_EQ(said.code, 2);
        return said.err;
    };
    EXPECT_THAT(error_of("absent.so"), HasSubstr("there is no plug-in 'absent.so'"));
    EXPECT_THAT(error_of("bare.toml"), HasSubstr("cannot be loaded"));
    EXPECT_THAT(error_of(TANDEM_STALE_PLUGIN), HasSubstr("was built for Tandem 0.0.1"));
    folder_.write("twice.toml",
                  std::string("plugins = [\"libmine.so\", \"libother.so\"]\n") + loop);
    std::filesystem::copy_file(TANDEM_PLUGIN_FILE, folder_ / "libother.so");
    const Said twice = folder_.tandem("run twice.toml");
    EXPECT_EQ(twice.code, 2);
    EXPECT_THAT(twice.err, HasSubstr("there already is a coupling 'damped_jacobi'"));
}

}  // namespace
}  // namespace tandem
