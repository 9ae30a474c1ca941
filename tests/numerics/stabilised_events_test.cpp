// Couplings that read the linear model of the network, where an event falls between communication
// points: the step is cut there, Jacobians are read again, and the order stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::SystemFile;

/// Two hydraulic lines; the flow drawn at the end changes at 5.03 ms, between points of every grid.
std::string lines(const std::string& kind) {
    return "connections = [\"s1.p1 -> s2.p1\", \"s2.Q2 -> s1.Q2\"]\n"
           "[experiment]\nstop = 0.01\ntolerance = 1e-9\n" +
           test::subsystem_text("s1", "VielHydraulic1", kind) +
           (kind == "native" ? "solver = \"dopri5\"\n" : "") +
           test::subsystem_text("s2", "VielHydraulic2", kind, "t_step = 5.03e-3") +
           (kind == "native" ? "solver = \"dopri5\"\n" : "") +
           "[record]\nvariables = [\"s1.p1\"]\n";
}

struct Result {
    Columns columns;
    long events = 0;
};

Result run(const std::string& kind, const std::string& coupling,
           const std::vector<std::string>& given, double h) {
    SystemFile file(lines(kind));
    run::SystemRunOptions options = file.options();
    options.coupling = coupling;
    options.options = given;
    options.step = h;
    Result result{test::numbers_of(file.run_text(std::move(options))), 0};
    result.events = static_cast<long>(file.report.events);
    return result;
}

/// The largest error of p1 at the multiples of 100 us.
double error(const Columns& columns, const Columns& exact) {
    const auto at = [](const Columns& all, double t) {
        const std::vector<double>& times = all.at("time");
        const auto row =
            std::ranges::find_if(times, [t](double time) { return std::abs(time - t) < 1e-9; });
        EXPECT_NE(row, times.end()) << t;
        return all.at("s1.p1")[static_cast<std::size_t>(row - times.begin())];
    };
    double largest = 0.0;
    for (int k = 1; k <= 100; ++k)
        largest = std::max(largest, std::abs(at(columns, 1e-4 * k) - at(exact, 1e-4 * k)));
    return largest;
}

TEST(StabilisedEvents, leave_the_order_as_it_is) {
    const Columns exact = run("native", "aggregate", {"tolerance=1e-11"}, 1e-4).columns;
    struct Row {
        std::string coupling;
        std::vector<std::string> options;
        int order;
    };
    for (const Row& row : std::vector<Row>{{"predictor", {}, 4},
                                           {"predictor", {"inputs=mean"}, 2},
                                           {"linear_implicit", {}, 3},
                                           {"linear_implicit", {"form=value"}, 2},
                                           {"pre_step", {}, 3}}) {
        const Result whole = run("native", row.coupling, row.options, 50e-6);
        const Result half = run("native", row.coupling, row.options, 25e-6);
        EXPECT_EQ(whole.events, 1);
        const double gain = error(whole.columns, exact) / error(half.columns, exact);
        EXPECT_NEAR(std::log2(gain), row.order, 0.25) << row.coupling;
    }
}

// FMI 2.0 keeps the events of Co-Simulation FMUs to itself: steps cannot be cut there.
TEST(StabilisedEvents, leave_fmus_as_accurate_as_native_models) {
    const Columns exact = run("native", "aggregate", {"tolerance=1e-11"}, 1e-4).columns;
    for (const std::string coupling : {"predictor", "linear_implicit", "lti"}) {
        const double native = error(run("native", coupling, {}, 50e-6).columns, exact);
        for (const std::string kind : {"fmi3_cs", "fmi2_me", "fmi3_me"})
            EXPECT_LT(error(run(kind, coupling, {}, 50e-6).columns, exact), 1.5 * native + 1e-6)
                << coupling << ' ' << kind << ' ' << native;
    }
}

}  // namespace
}  // namespace tandem
