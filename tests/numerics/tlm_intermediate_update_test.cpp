// A transmission line between FMUs of FMI 3.0 that follow it by intermediate update alone, as those
// of other tools do: laws of the model kit are switched off. Figures as in
// tlm_spring_mass_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/edited_fmu.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

const std::string kit_folder = TANDEM_FMU_DIR;
const std::string test_folder = TANDEM_ODD_FMUS;

/// The two sides: FMUs of FMI 3.0.
struct Sides {
    std::string left = kit_folder + "/TlmLeft_fmi3.fmu";
    std::string right = kit_folder + "/TlmRight_fmi3.fmu";
    std::string exchange = "intermediate";
    bool take_waves = false;
};
const Sides in_fixed_steps = {test_folder + "/TlmLeftRk4_fmi3.fmu",
                              test_folder + "/TlmRightRk4_fmi3.fmu"};
const Sides of_waves = {kit_folder + "/TlmLeftWave_fmi3.fmu", kit_folder + "/TlmRightWave_fmi3.fmu",
                        "intermediate", true};

std::string system_text(const Sides& sides, double step, double stop) {
    const std::string ends =
        sides.take_waves
            ? R"({ flow = "left.v3", wave = "left.c", impedance = "left.Zc" },
               { flow = "right.v1", wave = "right.c", impedance = "right.Zc" })"
            : R"({ flow = "left.v3", effort = "left.F3" }, { flow = "right.v1", effort = "right.F1" })";
    return fmt::format(
        "[experiment]\nstop = {}\nstep = {}\ntolerance = 1e-11\n[coupling]\nmethod = \"jacobi\"\n"
        "[record]\nvariables = [\"left.*\", \"right.*\"]\nevents = false\n"
        "[[tlm]]\nname = \"spring\"\ndomain = \"mechanical\"\ndelay = 4e-4\nimpedance = 0.4\n"
        "exchange = \"{}\"\nends = [{}]\n"
        "[subsystems.left]\nsource = \"{}\"\nkind = \"cs\"\n"
        "[subsystems.right]\nsource = \"{}\"\nkind = \"cs\"\n",
        stop, step, sides.exchange, ends, sides.left, sides.right);
}

struct Results {
    Columns columns;
    std::vector<std::string> exchanges;  ///< of both ends
    std::vector<std::string> calls;      ///< of the left FMU
};

Results run(const Sides& sides, double step, double stop, bool logs_calls = false) {
    Results result;
    SystemFile file(system_text(sides, step, stop));
    run::SystemRunOptions options = file.options();
    options.input_laws = false;
    if (logs_calls)
        options.on_call = [&](const std::string& instance, const std::string& call) {
            if (instance == "left") result.calls.push_back(call);
        };
    run::SystemRun system(options);
    system.perform();
    result.columns = numbers_of(read_text_columns(file.in_folder("out.csv")));
    const RunRecord record = system.record();
    for (const LineRecord::End& end : record.lines.at(0).ends)
        result.exchanges.push_back(end.exchange);
    return result;
}

// Runge-Kutta steps of 2e-5 inside the FMUs, all of them sent: with any communication step the
// values of the reference for ten in 2e-4, to what Runge-Kutta leaves of exact integration.
TEST(IntermediateUpdate, gives_the_forces_of_exact_solvers_that_take_and_send_the_same_steps) {
    for (const double step : {2e-4, 4e-4}) {
        const Results done = run(in_fixed_steps, step, 0.5);
        EXPECT_EQ(done.exchanges, (std::vector<std::string>{"law", "law"}));
        for (const auto& [t, force] :
             {std::pair(0.12, 53.1692024), {0.2, 90.0768891}, {0.3, 99.907083}, {0.5, 99.9673321}})
            EXPECT_NEAR(at(done.columns, "left.F3", t), force, 1e-5 * force) << step << " " << t;
    }
}

// Waves on straight lines between points 2e-5 apart: as near as native models with that step.
TEST(IntermediateUpdate, approaches_exact_delays) {
    for (const Sides& sides : {Sides{}, of_waves}) {
        const Columns columns = run(sides, 2e-5, 0.2).columns;
        EXPECT_NEAR(at(columns, "left.x3", 0.12), -1.270488748, 1e-6);
        EXPECT_NEAR(at(columns, "left.F3", 0.12), 53.17014446, 2e-3);
        EXPECT_NEAR(at(columns, "left.x3", 0.2), -1.653265069, 1e-6);
        EXPECT_NEAR(at(columns, "left.F3", 0.2), 90.07568777, 2e-3);
    }
}

TEST(IntermediateUpdate, uses_calls_of_the_standard_alone) {
    const Results done = run({}, 2e-4, 0.01, true);
    EXPECT_GT(done.calls.size(), 200U);
    for (const std::string& call : done.calls) EXPECT_TRUE(call.starts_with("fmi3")) << call;
}

const EditedFmu::Edits no_derivatives = {{"providesDirectionalDerivatives=\"true\"", ""}};

TEST(IntermediateUpdate, needs_no_derivatives_where_outputs_can_be_read_inside) {
    const EditedFmu left(in_fixed_steps.left, no_derivatives);
    const EditedFmu right(in_fixed_steps.right, no_derivatives);
    const Results done = run({left.path(), right.path()}, 2e-4, 0.2);
    EXPECT_EQ(done.exchanges, (std::vector<std::string>{"law", "law"}));
    EXPECT_NEAR(at(done.columns, "left.F3", 0.2), 90.0768891, 1e-5 * 90.0);
}

/// Without the mark that the flow can be read inside.
EditedFmu::Edits without_flow_inside(const std::filesystem::path& fmu, const std::string& flow) {
    const EditedFmu plain(fmu, {});
    const std::string text = test::read_bytes(plain.path() / "modelDescription.xml");
    const std::size_t name = text.find("name=\"" + flow + "\"");
    const std::size_t begin = text.rfind('<', name), end = text.find('>', name);
    const std::string whole = text.substr(begin, end - begin);
    std::string changed = whole;
    test::replace_all(changed, "intermediateUpdate=\"true\"", "");
    EXPECT_NE(changed, whole);
    return {{whole, changed}};
}

// The linear model tells the flow, which is a state: exactly. Waves are not sent from inside, so
// that the step is that of the coarse exchange.
TEST(IntermediateUpdate, takes_the_linear_model_where_flows_cannot_be_read_inside) {
    const EditedFmu left(Sides{}.left, without_flow_inside(Sides{}.left, "v3"));
    const EditedFmu right(Sides{}.right, without_flow_inside(Sides{}.right, "v1"));
    const Results done = run({left.path(), right.path()}, 2e-4, 0.2);
    EXPECT_EQ(done.exchanges, (std::vector<std::string>{"law", "law"}));
    EXPECT_NEAR(at(done.columns, "left.F3", 0.2), 90.380824, 1e-5 * 90.0);
}

TEST(IntermediateUpdate, is_refused_where_flows_cannot_be_known_inside) {
    EditedFmu::Edits edits = without_flow_inside(Sides{}.left, "v3");
    edits.insert(edits.end(), no_derivatives.begin(), no_derivatives.end());
    const EditedFmu left(Sides{}.left, edits);
    try {
        run({left.path()}, 2e-4, 0.2);
        FAIL() << "not refused";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("'left' cannot have the exchange 'intermediate'"));
        EXPECT_THAT(error.what(), HasSubstr("directional derivatives"));
        EXPECT_THAT(error.what(), HasSubstr("exchange = \"auto\""));
    }
    Sides automatic{left.path()};
    automatic.exchange = "auto";
    EXPECT_EQ(run(automatic, 2e-4, 0.01).exchanges, (std::vector<std::string>{"coarse", "law"}));
}

}  // namespace
}  // namespace tandem::test
