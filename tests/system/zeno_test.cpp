#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "support/command_folder.hpp"
#include "support/system_file.hpp"

namespace tandem::test {
namespace {

using test::CommandFolder;
using test::Said;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A ball of restitution 0.8 that falls from 1 m under 9.81 m/s2 has bounced infinitely often at
/// sqrt(2 / g) (1 + e) / (1 - e).
const double accumulation = std::sqrt(2.0 / 9.81) * 1.8 / 0.2;

/// `room`: between the reported time and that one.
void expect_zeno(const CommandFolder& folder, const std::string& arguments, double room = 0.01) {
    const Said said = folder.tandem("run " + arguments + " --output out.csv");
    EXPECT_NE(said.code, 0) << arguments;
    EXPECT_THAT(said.err, AllOf(HasSubstr("Zeno"), HasSubstr("t = 4."),
                                HasSubstr("event indicator 1"), HasSubstr("state of rest")))
        << arguments;
    const Columns columns = numbers_of(read_text_columns(folder / "out.csv"));
    const std::string prefix = arguments.starts_with("system") ? "ball." : "";
    // The last communication step of 0.01 s or 0.016 s has no row.
    EXPECT_NEAR(columns.at("time").back(), accumulation, room + 0.016) << arguments;
    for (const double h : columns.at(prefix + "h")) ASSERT_GT(h, -1e-6) << arguments;
}

class BallWithoutRest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, BallWithoutRest,
                         ::testing::Values("cvode", "cvode_adams", "dopri5", "rk4", "euler"));

// By Euler's method the ball gains speed in each flight, until the steps are refined.
double room_of(const std::string& solver) { return solver == "euler" ? 0.3 : 0.01; }

TEST_P(BallWithoutRest, of_model_exchange_ends_the_run_with_time_and_indicator) {
    for (const std::string version : {"fmi1_me", "fmi2", "fmi3"}) {
        const CommandFolder folder;
        expect_zeno(folder,
                    fmt::format("fmus/BouncingBall_{}.fmu --kind me --stop 8 --step 0.01 --set "
                                "v_min=0 --solver {}",
                                version, GetParam()),
                    room_of(GetParam()));
    }
}

TEST_P(BallWithoutRest, native_and_as_member_of_a_system_ends_the_run) {
    const CommandFolder folder;
    const std::string solver = fmt::format("solver = \"{}\"\n", GetParam());
    for (const std::string coupling : {"aggregate", "jacobi", "gauss_seidel"}) {
        folder.write("system.toml",
                     fmt::format("connections = [\"ball.h -> other.u1\"]\n"
                                 "[experiment]\nstop = 8.0\nstep = 0.01\n"
                                 "[coupling]\nmethod = \"{}\"\n{}"
                                 "[subsystems.ball]\nsource = \"fmus/native/BouncingBall.so\"\n"
                                 "{}parameters = {{ v_min = 0.0 }}\n"
                                 "[subsystems.other]\nsource = \"fmus/native/FirstOrder.so\"\n",
                                 coupling, coupling == "aggregate" ? solver : "",
                                 coupling == "aggregate" ? "" : solver));
        expect_zeno(folder, "system.toml", room_of(GetParam()));
    }
}

TEST_P(BallWithoutRest, is_none_with_a_state_of_rest) {
    const CommandFolder folder;
    const Said said = folder.tandem(
        "run fmus/BouncingBall_fmi2.fmu --kind me --stop 8 --step 0.01 --output out.csv --solver " +
        GetParam());
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_NEAR(numbers_of(read_text_columns(folder / "out.csv")).at("h").back(), 0.0, 1e-6);
}

TEST(BallWithoutRestInside, a_co_simulation_fmu_ends_the_run_with_the_message_of_the_fmu) {
    for (const std::string version : {"fmi1_cs", "fmi2", "fmi3"}) {
        const CommandFolder folder;
        expect_zeno(folder, fmt::format("fmus/BouncingBall_{}.fmu --kind cs --stop 8 --set v_min=0",
                                        version));
    }
}

}  // namespace
}  // namespace tandem::test
