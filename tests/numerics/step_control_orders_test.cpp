// Step control relies on the order that a coupling claims: with couplings of linear models its
// tolerance is met, for native models and for Co-Simulation FMUs, whose time dependence is hidden.
#include <gtest/gtest.h>

#include <cmath>

#include "support/system_file.hpp"

namespace tandem::test {
namespace {

/// A ring of three lags, BentState of bent_piece.hpp, the second with sin(t) in its output.
std::string ring(const std::string& kind) {
    const auto piece = [&](int number, const std::string& parameters) {
        const std::string solver =
            kind == "native" ? "solver = \"dopri5\"\ntolerance = 1e-12\n" : "";
        return fmt::format("[subsystems.s{}]\n{}{}parameters = {{ {} }}\n", number,
                           source_of("BentState", kind, TANDEM_ODD_FMUS), solver, parameters);
    };
    return "connections = [\"s0.y -> s1.u\", \"s1.y -> s2.u\", \"s2.y -> s0.u\"]\n"
           "[experiment]\nstop = 4\nstep = 0.25\ntolerance = 1e-12\n"
           "[record]\nvariables = [\"*.x\"]\n" +
           piece(0, "a = -0.5, b = 1.5, c = 1, x = 1") +
           piece(1, "a = -0.8, b = -2, c = 1, x = 0.3, swing = 1") +
           piece(2, "a = -1, b = 1, c = 1.5, x = -0.4");
}

Columns run_of(const std::string& kind, const std::string& coupling, double tolerance) {
    SystemFile file(ring(kind));
    run::SystemRunOptions options = file.options();
    options.coupling = coupling;
    if (tolerance > 0.0) {
        options.step_control = "richardson";
        options.step_options = {fmt::format("tolerance={:e}", tolerance)};
    }
    return numbers_of(file.run_text(options));
}

// The tolerance counts relative to 1 + |value|, and outputs here are of size 1.
TEST(StepControlOrders, richardson_meets_its_tolerance_with_linear_models) {
    const Columns exact = run_of("native", "aggregate", 0.0);
    for (const std::string kind : {"native", "fmi2_cs", "fmi3_cs"})
        for (const std::string coupling : {"linear_implicit", "lti", "predictor"})
            for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
                const Columns run = run_of(kind, coupling, tolerance);
                double largest = 0.0;
                for (const auto& [name, values] : exact)
                    for (std::size_t k = 0; k < values.size(); ++k)
                        largest = std::max(largest, std::abs(values[k] - run.at(name)[k]) /
                                                        (1.0 + std::abs(values[k])));
                EXPECT_LT(largest, tolerance) << kind << " " << coupling << " " << tolerance;
            }
}

}  // namespace
}  // namespace tandem::test
