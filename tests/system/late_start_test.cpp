// Times of 1e7 s and more are rounded to parts of a step that matter. A run that starts there gives
// what it gives from 0, up to the rounding of the times that it shows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/odd_models.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::odd_text;
using test::subsystem_text;
using test::SystemFile;

constexpr double step = 1.0 / 128.0;  // no point of the grid is rounded, not even at 1e12
constexpr int intervals = 64;
const std::vector<double> late_starts = {1e7, 1e9, 1e12};

double spacing(double t) { return std::nextafter(t, std::numeric_limits<double>::max()) - t; }

struct Parts {
    std::string connections, subsystems, table = {};
};
using Scenario = Parts (*)(const std::string& kind, double start);

/// x' = -0.1 x - 3 y, y' = -0.1 y + 3 x
Parts pair(const std::string& kind, double) {
    return {"\"p.y -> q.u\", \"q.y -> p.u\"",
            subsystem_text("p", "LinearOde", kind, "a = -0.1, b = -3, x = 1") +
                subsystem_text("q", "LinearOde", kind, "a = -0.1, b = 3")};
}

Parts algebraic_loop(const std::string& kind, double) {
    return {"\"p.y -> q.u\", \"q.y -> p.u\"",
            subsystem_text("p", "LinearOde", kind, "a = -0.5, b = -3, d = 0.5, x = 1") +
                subsystem_text("q", "LinearOde", kind, "a = -0.3, b = 3, d = -0.7")};
}

const char* const follower = "a11 = -2, b11 = 3, c11 = 1, x1 = 1";

/// Samples what it is fed every 0.125 s.
Parts sampler(const std::string& kind, double start) {
    const std::string first = fmt::format("first = {:.17g}", start + 0.125);
    return {"\"p.y1 -> q.u1\", \"q.y1 -> p.u1\"",
            odd_text("p", "HybridStates", kind,
                     "rule = 3, period = 0.125, height = 1, a11 = -1, f1 = 1, c11 = 1, b11 = 0.5, "
                     "x1 = 0.3, " +
                         first) +
                odd_text("q", "HybridStates", kind, follower)};
}

/// Switches where its state comes to 0.8 and to 0.3.
Parts two_point(const std::string& kind, double) {
    return {"\"p.y1 -> q.u1\", \"q.y1 -> p.u1\"",
            odd_text("p", "HybridStates", kind,
                     "rule = 2, high = 0.8, low = 0.3, height = -3, a11 = 1, f1 = 1, c11 = 1, "
                     "b11 = 0.1, x1 = 0.5") +
                odd_text("q", "HybridStates", kind, follower)};
}

/// A ramp, a jump and a fall, all between communication points.
Parts table(const std::string& kind, double start) {
    std::string rows = "time,y\n";
    for (const auto& [t, y] : std::vector<std::pair<double, double>>{
             {0, 0}, {0.1, 1}, {0.2, 1}, {0.2, -1}, {0.33, 0.5}, {1, 0}})
        rows += fmt::format("{:.17g},{}\n", start + t, y);
    return {"\"table.y -> p.u\", \"p.y -> q.u\"",
            "[subsystems.table]\nsource = \"table.csv\"\n" +
                subsystem_text("p", "LinearOde", kind, "a = -1, b = 2, x = 1") +
                subsystem_text("q", "LinearOde", kind, "a = -1, b = 2"),
            rows};
}

Parts expression(const std::string& kind, double start) {
    return {"\"p.y -> q.u\"",
            subsystem_text("p", "LinearOde", kind, "a = -1, b = 2, x = 1") +
                subsystem_text("q", "LinearOde", kind, "a = -1, b = 2") +
                fmt::format("[[sources]]\ntarget = \"p.u\"\nexpression = \"t - {0:.1f} >= 0.37 ? 1 "
                            ": sin(5*(t - {0:.1f}))\"\n",
                            start)};
}

Parts line(const std::string& kind, double) {
    return {"", subsystem_text("p", "TlmMass", kind, "m = 0.5, k = 20, x = 0.1") +
                    subsystem_text("q", "TlmMass", kind, "m = 0.3, k = 10, d = 0.1") +
                    "[[tlm]]\nname = \"rod\"\ndomain = \"mechanical\"\ndelay = 0.015625\n"
                    "impedance = 0.4\nends = [{ flow = \"p.v\", effort = \"p.F\" }, "
                    "{ flow = \"q.v\", effort = \"q.F\" }]\n"};
}

/// Bounces off the ground: state events that change states.
Parts ball(const std::string& kind, double) {
    return {"\"b.h -> q.u\"", subsystem_text("b", "BouncingBall", kind, "h = 0.3") +
                                  subsystem_text("q", "LinearOde", kind, "a = -1, b = 2")};
}

struct Case {
    friend std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

    std::string name;
    Scenario scenario;
    std::string coupling;
    std::vector<std::string> kinds;
    double events = 0.0;    ///< how many times the spacing of times may be seen
    double solvers = 2e-7;  ///< how much solvers differ that step in another way
};

const std::vector<std::string> models = {"native", "fmi2_me", "fmi3_me"};
const std::vector<std::string> all = {"native", "fmi2_me", "fmi1_cs", "fmi2_cs", "fmi3_cs"};

/// By the number of the communication point: what is behind its events.
std::vector<std::vector<double>> rows_of(const Columns& columns, double start) {
    std::vector<std::vector<double>> rows(intervals + 1);
    const std::vector<double>& times = columns.at("time");
    for (std::size_t i = 0; i < times.size(); ++i) {
        const double point = std::round((times[i] - start) / step);
        if (times[i] != start + point * step) continue;
        std::vector<double>& row = rows[static_cast<std::size_t>(point)];
        row.clear();
        for (const auto& [name, values] : columns)
            if (name != "time") row.push_back(values[i]);
    }
    return rows;
}

std::vector<std::vector<double>> run(const Case& one, const std::string& kind, double start) {
    const Parts parts = one.scenario(kind, start);
    SystemFile file(fmt::format(
        "connections = [{}]\n[experiment]\nstart = {:.17g}\nstop = {:.17g}\n"
        "step = {}\ntolerance = 1e-9\n[coupling]\n{}\n{}",
        parts.connections, start, start + intervals * step, step, one.coupling, parts.subsystems));
    if (!parts.table.empty()) file.add("table.csv", parts.table);
    return rows_of(file.run(), start);
}

class LateStart : public ::testing::TestWithParam<Case> {};

TEST_P(LateStart, gives_what_a_start_at_zero_gives) {
    for (const std::string& kind : GetParam().kinds) {
        const auto early = run(GetParam(), kind, 0.0);
        double size = 0.0;
        for (const auto& row : early)
            for (const double value : row) size = std::max(size, std::abs(value));
        for (const double start : late_starts) {
            SCOPED_TRACE(fmt::format("{} from {:g}", kind, start));
            const auto late = run(GetParam(), kind, start);
            double error = 0.0;
            for (std::size_t k = 0; k < early.size(); ++k) {
                ASSERT_EQ(late[k].size(), early[k].size()) << "row " << k;
                for (std::size_t i = 0; i < early[k].size(); ++i)
                    error = std::max(error, std::abs(late[k][i] - early[k][i]));
            }
            // Solvers with a tolerance of 1e-9 that step in another way differ by a hundred times
            // that; slopes are differences of rounded times, and events are at rounded times.
            EXPECT_LE(error,
                      size * (GetParam().solvers + (0.1 + GetParam().events) * spacing(start)));
        }
    }
}

std::string method(const std::string& name, const std::string& options = "") {
    return "method = \"" + name + "\"\n" + options;
}

std::vector<Case> cases() {
    std::vector<Case> list;
    const auto add = [&](const std::string& name, Scenario scenario, const std::string& coupling,
                         const std::vector<std::string>& kinds, double events = 0.0) {
        list.push_back({name, scenario, coupling, kinds, events});
    };
    // Where every step restarts the solvers, and times are those of the grid alone.
    for (const char* name :
         {"jacobi", "gauss_seidel", "nepce", "predictor", "linear_implicit", "lti", "pre_step"})
        add(std::string("Pair_") + name, pair, method(name), {"native", "fmi2_me", "fmi3_cs"});
    for (const char* accelerator : {"newton", "broyden", "anderson", "aitken", "fixed_point"})
        add(std::string("Pair_iterative_") + accelerator, pair,
            method("iterative", fmt::format("accelerator = \"{}\"\n", accelerator)),
            {"native", "fmi2_cs"});
    for (const char* solver : {"cvode", "cvode_adams", "dopri5", "rk4"})
        add(std::string("Pair_aggregate_") + solver, pair,
            method("aggregate", fmt::format("solver = \"{}\"\n", solver)), models);
    add("Pair_jacobi_of_order_2", pair, method("jacobi", "order = 2\n"), all);
    add("Pair_jacobi_with_told_slopes", pair, method("jacobi", "order = 1\nslopes = \"told\"\n"),
        {"native", "fmi2_cs", "fmi3_cs"});
    add("Loop_aggregate", algebraic_loop, method("aggregate"), models);
    add("Loop_iterative", algebraic_loop, method("iterative"), {"native", "fmi3_cs"});
    add("Sampler_aggregate", sampler, method("aggregate"), models);
    add("Sampler_jacobi", sampler, method("jacobi"), {"native", "fmi3_cs"}, 100.0);
    add("Sampler_gauss_seidel", sampler, method("gauss_seidel"), {"native", "fmi3_cs"}, 100.0);
    add("TwoPoint_aggregate", two_point, method("aggregate"), models, 20.0);
    add("TwoPoint_jacobi", two_point, method("jacobi"), {"native", "fmi3_cs"}, 100.0);
    add("TwoPoint_iterative", two_point, method("iterative"), {"native", "fmi3_cs"}, 100.0);
    add("Ball_aggregate", ball, method("aggregate"), models, 20.0);
    add("Ball_jacobi", ball, method("jacobi"), {"native", "fmi2_cs"}, 100.0);
    add("Table_aggregate", table, method("aggregate"), models, 20.0);
    add("Table_jacobi", table, method("jacobi"), all, 20.0);
    add("Expression_aggregate", expression, method("aggregate"), models, 20.0);
    add("Expression_jacobi", expression, method("jacobi"), all, 20.0);
    // Waves are polygons, and solvers see their corners. (A law that an FMI 3.0 FMU asks for is at
    // rounded times.)
    add("Line_jacobi", line, method("jacobi"), {"native", "fmi2_me", "fmi1_cs", "fmi2_cs"}, 20.0);
    add("Line_asynchronous", line, method("asynchronous"), {"native", "fmi2_cs"}, 20.0);
    list[list.size() - 2].solvers = list.back().solvers = 1e-6;
    return list;
}

INSTANTIATE_TEST_SUITE_P(Systems, LateStart, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

/// The sentence with which a run is refused before it begins; empty: it is not.
std::string refusal(const std::string& text) {
    SystemFile file(text);
    try {
        file.run();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

std::string at_1e8(const std::string& experiment, const std::string& more = "") {
    const std::string stop =
        experiment.find("stop") == std::string::npos ? "stop = 100000001.0\n" : "";
    return "[experiment]\nstart = 1e8\n" + stop + experiment + "[subsystems.p]\n" +
           test::source_of("LinearOde", "native") + more;
}

/// A mass that moves at the start, on a line: the wave jumps, and so does every echo of it.
Columns struck_line(double start, double line_step) {
    SystemFile file(fmt::format("[experiment]\nstart = {0:.17g}\nstop = {1:.17g}\nstep = {2}\n"
                                "tolerance = 1e-8\n",
                                start, start + 0.02, line_step) +
                    subsystem_text("a", "TlmMass", "native", "m = 0.01, d = 0.1, v = 1, k = 20") +
                    subsystem_text("b", "TlmMass", "native", "m = 0.02, d = 0.05, k = 50") +
                    "[[tlm]]\nname = \"l\"\ndomain = \"mechanical\"\ndelay = 4e-4\nimpedance = "
                    "0.4\npreload = 0.2\nends = [{ flow = \"a.v\", effort = \"a.F\" }, { flow = "
                    "\"b.v\", effort = \"b.F\" }]\n[record]\nvariables = [\"a.v\", \"b.v\"]\n");
    return file.run();
}

// Whether a jump is at the end of a step must not be decided by rounding.
TEST(JumpsOfWaves, do_not_depend_on_the_start) {
    for (const double line_step : {4e-4, 2e-4, 1e-4, 5e-5}) {
        Columns first = struck_line(0.0, line_step);
        for (const double start : {-5.0, 1.0, 3.0, 1000.0, 1e5, 1e6}) {
            Columns late = struck_line(start, line_step);
            for (const char* v : {"a.v", "b.v"})
                EXPECT_NEAR(late.at(v).back(), first.at(v).back(), 2e-6)
                    << v << " from " << start << ", steps of " << line_step;
        }
    }
}

// Numbers at 1e8 are 1.49e-8 apart.
TEST(LengthsOfTimeBelowTheSpacingOfTimes, are_refused_with_a_sentence) {
    for (const std::string& text :
         {at_1e8("step = 1e-8\n"), at_1e8("step = 0.1\n", "max_step = 1e-8\n"),
          at_1e8("step = 0.1\n", "solver = \"rk4\"\nstep = 1e-8\n"),
          at_1e8("step = 1e-6\n", "step_ratio = 100\n[coupling]\nmethod = \"jacobi\"\n"),
          at_1e8("step = 0.1\n", "[subsystems.q]\n" + test::source_of("LinearOde", "native") +
                                     "[coupling]\nmethod = \"jacobi\"\n[step_control]\n"
                                     "method = \"richardson\"\nmin_step = 1e-8\n"),
          at_1e8("step = 0.1\n", "[coupling]\nmethod = \"aggregate\"\nmax_step = 1e-8\n")}) {
        const std::string sentence = refusal(text);
        EXPECT_NE(sentence.find("1.5e-08 apart"), std::string::npos) << text << sentence;
        EXPECT_NE(sentence.find("start at 0"), std::string::npos) << text << sentence;
    }
}

TEST(LengthsOfTimeBelowTheSpacingOfTimes, are_warned_of_where_a_step_has_few_spacings) {
    const auto warnings_of = [](const std::string& experiment) {
        SystemFile file(at_1e8(experiment));
        file.run();
        return std::ranges::count_if(file.findings, [](const std::string& text) {
            return text.find("times the spacing of numbers") != std::string::npos;
        });
    };
    EXPECT_EQ(warnings_of("step = 1e-5\nstop = 100000000.001\n"), 1);
    EXPECT_EQ(warnings_of("step = 1e-3\nstop = 100000000.01\n"), 0);
    // 2^-17: no time of the grid is rounded.
    EXPECT_EQ(warnings_of("step = 7.62939453125e-06\nstop = 100000000.001\n"), 0);
}

}  // namespace
}  // namespace tandem
