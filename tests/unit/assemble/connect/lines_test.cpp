// What is checked about transmission lines where their subsystems are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/edited_fmu.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

using test::EditedFmu;
using test::subsystem_text;
using test::SystemFile;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string experiment_text(double step) {
    return fmt::format("[experiment]\nstop = {}\nstep = {}\n[coupling]\nmethod = \"jacobi\"\n",
                       10.0 * step, step);
}

/// What a run says on its way, or why there is none.
std::string words_of(const std::string& text) {
    SystemFile file(text);
    std::string problem;
    ::testing::internal::CaptureStderr();
    try {
        file.run();
    } catch (const std::exception& error) {
        problem = error.what();
    }
    return ::testing::internal::GetCapturedStderr() + problem;
}

/// Two masses of 5 g.
std::string masses_text(double impedance, const std::string& source) {
    return experiment_text(1e-4) +
           fmt::format(
               "[[tlm]]\nname = \"spring\"\ndomain = \"mechanical\"\ndelay = 4e-4\n"
               "impedance = {}\nends = [{{ flow = \"left.v3\", effort = \"left.F3\" }}, "
               "{{ flow = \"right.v1\", effort = \"right.F1\" }}]\n",
               impedance) +
           "[subsystems.left]\n" + source + subsystem_text("right", "TlmRight", "native");
}

TEST(TransmissionLines, that_are_heavy_against_what_they_touch_are_noticed) {
    const std::string left = test::source_of("TlmLeft", "native");
    EXPECT_EQ(words_of(masses_text(0.4, left)), "");
    EXPECT_THAT(words_of(masses_text(4.0, left)),
                AllOf(HasSubstr("warning: tlm 'spring': its own inertia is "
                                "0.0016, that of 'left' which it touches 0.005"),
                      HasSubstr("'right' which it touches 0.005")));
    SystemFile file(masses_text(4.0, left));
    run::SystemRun run(file.options());
    run.initialise();
    EXPECT_EQ(run.record().warnings.size(), 2U) << "one for each end";
}

struct Spatial {
    std::string body = "m = 2, J = [1, 1, 1]";
    double impedance = 100.0, rotational_impedance = 0.1;
    std::string preload = "0, 0, 0, 0, 0, 0";
    std::string position = "body.r1";
    std::string more = "";  ///< of the end of the ground
    std::string kind = "native";
};

/// A body held to the ground at its centre of mass, with a delay of 1 ms.
std::string spatial_words(const Spatial& spatial) {
    return words_of(
        experiment_text(1e-4) +
        fmt::format(
            "[[tlm]]\nname = \"joint\"\ndomain = \"mechanical_3d\"\nimpedance = {}\n"
            "rotational_impedance = {}\ndelay = 1e-3\npreload = [{}]\nends = [\n"
            "{{ position = \"{}\", orientation = \"body.R1\", velocity = \"body.v1\", "
            "angular_velocity = \"body.w1\", force = \"body.F1\", moment = \"body.M1\" }},\n"
            "{{ position = \"ground.r\", orientation = \"ground.R\", velocity = \"ground.v\", "
            "angular_velocity = \"ground.w\", force = \"ground.F\", moment = \"ground.M\"{} }}]\n",
            spatial.impedance, spatial.rotational_impedance, spatial.preload, spatial.position,
            spatial.more) +
        subsystem_text("body", "RigidBody3D", spatial.kind, spatial.body) +
        subsystem_text("ground", "FixedEnd3D", spatial.kind));
}

// 0.1 N.m.s by 1 ms is 1e-4 kg.m2.
TEST(TransmissionLines, in_space_are_weighed_against_the_least_inertia) {
    EXPECT_EQ(spatial_words({}), "");
    EXPECT_THAT(spatial_words({.body = "m = 2, J = [1, 2e-4, 1]"}),
                HasSubstr("is 0.0001, that of 'body' which it touches 0.0002"));
    EXPECT_THAT(spatial_words({.body = "m = 0.2, J = [1, 1, 1]"}),
                HasSubstr("is 0.1, that of 'body' which it touches 0.2"));
}

TEST(TransmissionLines, in_space_are_where_their_force_has_them) {
    // 500 N by 100 N.s/m and 1 ms: 5 mm from the body to the ground.
    const std::string moved = "m = 2, J = [1, 1, 1], r = [-0.005, 0, 0]";
    const std::string preload = "500, 0, 0, 0, 0, 0";
    EXPECT_EQ(spatial_words({.body = moved, .preload = preload}), "");
    EXPECT_THAT(spatial_words({.preload = preload}),
                HasSubstr("tlm 'joint': from its first end to its second it is [0, 0, 0] at the "
                          "start, but [0.005, 0, 0] belongs to the force"));
    EXPECT_THAT(spatial_words({.body = moved}), HasSubstr("it is [0.005, 0, 0] at the start"));
    // In frames of their own.
    EXPECT_EQ(spatial_words({.body = moved, .more = ", origin = [-0.005, 0, 0]"}), "");
    EXPECT_THAT(spatial_words({.more = ", origin = [1, 2, 3]"}), HasSubstr("it is [1, 2, 3] at"));
    for (const std::string kind : {"fmi2_cs", "fmi3_cs"})
        EXPECT_THAT(spatial_words({.body = "m = 2", .more = ", origin = [1, 2, 3]", .kind = kind}),
                    HasSubstr("it is [1, 2, 3] at the start"));
}

TEST(TransmissionLines, with_one_position_only_cannot_be_checked) {
    SystemFile file(
        experiment_text(1e-4) +
        "[[tlm]]\nname = \"joint\"\ndomain = \"mechanical_3d\"\nimpedance = 100\n"
        "rotational_impedance = 0\ndelay = 1e-3\nends = [\n"
        "{ position = \"body.r1\", velocity = \"body.v1\", force = \"body.F1\" },\n"
        "{ velocity = \"ground.v\", force = \"ground.F\" }]\n" +
        subsystem_text("body", "RigidBody3D", "native", "m = 2, J = [1, 1, 1], r = [1, 0, 0]") +
        subsystem_text("ground", "FixedEnd3D", "native"));
    file.run();
    EXPECT_THAT(file.findings,
                Contains(HasSubstr("tlm 'joint': only one of its ends says its position")));
}

TEST(TransmissionLines, need_positions_that_exist) {
    EXPECT_THAT(spatial_words({.position = "body.r3"}), HasSubstr("r3"));
    EXPECT_THAT(spatial_words({.position = "body.m"}), HasSubstr("'body.m' is not an array of 3"));
}

// Connections convert, lines do not.
TEST(TransmissionLines, have_the_same_units_at_both_ends) {
    const auto words = [](const std::string& unit) {
        const EditedFmu left(std::string(TANDEM_FMU_DIR) + "/TlmLeft_fmi3.fmu",
                             {{"unit=\"m/s\"", fmt::format("unit=\"{}\"", unit)}});
        return words_of(masses_text(
            0.4, fmt::format("source = \"{}\"\nkind = \"cs\"\n", left.path().string())));
    };
    EXPECT_THAT(words("mm/s"),
                AllOf(HasSubstr("tlm 'spring': 'left.v3' is in mm/s, 'right.v1' in m/s"),
                      HasSubstr("hint: name variables of the same unit at both ends")));
    EXPECT_THAT(words("N"), HasSubstr("'left.v3' is in N, 'right.v1' in m/s"));
    EXPECT_THAT(words("m.rad/s"), Not(HasSubstr("tlm 'spring'"))) << "angles are numbers";
    EXPECT_THAT(words("furlong"), Not(HasSubstr("tlm 'spring'"))) << "nobody knows";
}

TEST(TransmissionLines, have_the_units_of_their_domain) {
    const auto words = [](const std::string& domain, const std::string& flow) {
        return words_of(experiment_text(1e-4) +
                        fmt::format("[[tlm]]\nname = \"spring\"\ndomain = \"{}\"\ndelay = 4e-4\n"
                                    "impedance = 0.4\nends = [{{ flow = \"{}\", effort = "
                                    "\"left.F3\" }}, {{ flow = \"right.v1\", effort = "
                                    "\"right.F1\" }}]\n",
                                    domain, flow) +
                        subsystem_text("left", "TlmLeft", "native") +
                        subsystem_text("right", "TlmRight", "native"));
    };
    EXPECT_EQ(words("mechanical", "left.v3"), "");
    EXPECT_THAT(words("hydraulic", "left.v3"),
                AllOf(HasSubstr("tlm 'spring': 'left.F3' is in N, but the domain 'hydraulic' takes "
                                "Pa there"),
                      HasSubstr("'left.v3' is in m/s"), HasSubstr("or the domain that")));
    EXPECT_THAT(words("mechanical", "left.x3"), HasSubstr("'left.x3' is in m, but"));
}

TEST(TransmissionLines, tell_impedances_where_the_file_says_so) {
    const auto text = [](const std::string& impedance) {
        return experiment_text(1e-4) +
               "[[tlm]]\nname = \"spring\"\ndomain = \"mechanical\"\ndelay = 4e-4\n"
               "impedance = 0.4\nends = [{ flow = \"left.v3\", wave = \"left.c\"" +
               impedance + " }, { flow = \"right.v1\", effort = \"right.F1\" }]\n" +
               subsystem_text("left", "TlmLeftWave", "native") +
               subsystem_text("right", "TlmRight", "native");
    };
    SystemFile told(text(", impedance = \"left.Zc\"")), untold(text(""));
    told.run(), untold.run();
    EXPECT_THAT(told.findings, ::testing::IsEmpty());
    EXPECT_THAT(untold.findings, Contains(HasSubstr("nothing here tells 'left' the impedance")));
    EXPECT_THAT(words_of(text(", impedance = \"left.zz\"")),
                AllOf(HasSubstr(".toml:"), HasSubstr("'zz'"), Not(HasSubstr("--set"))));
}

TEST(TransmissionLines, bring_no_moments_where_they_turn_freely) {
    Spatial spatial;
    spatial.rotational_impedance = 0.0;
    EXPECT_EQ(spatial_words(spatial), "");
    spatial.preload = "0, 0, 0, 1.5, 0, 0";
    EXPECT_THAT(spatial_words(spatial),
                HasSubstr("'preload' has a moment, but its joint turns freely"));
}

TEST(TransmissionLines, that_do_not_say_what_they_are_are_refused) {
    const auto line = [](const std::string& keys) {
        return words_of(experiment_text(1e-4) + subsystem_text("a", "TlmMass", "native") +
                        subsystem_text("b", "TlmMass", "native") +
                        "[[tlm]]\nname = \"rod\"\ndomain = \"mechanical\"\n" + keys +
                        "ends = [{ flow = \"a.v\", effort = \"a.F\" }, "
                        "{ flow = \"b.v\", effort = \"b.F\" }]\n");
    };
    EXPECT_THAT(line("delay = 1e-3\n"),
                HasSubstr("transmission line 'rod': nothing says its impedance"));
    EXPECT_THAT(line("stiffness = 10\n"), HasSubstr("transmission line 'rod': 'delay' is missing"));
    EXPECT_THAT(line("delay = -1e-3\nimpedance = 1\n"),
                AllOf(HasSubstr("must be greater than 0"), Not(HasSubstr("longer than"))));
}

}  // namespace
}  // namespace tandem::assemble
