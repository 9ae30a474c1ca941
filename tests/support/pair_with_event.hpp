#pragma once

#include <cmath>
#include <string>

#include "support/system_file.hpp"

namespace tandem::test {

/// a'' = -a + s with a(0) = 1 and s = 1 from 0.5432 on, between two integrators: the error at t = 2
/// against a = cos t + (1 - cos(t - 0.5432)), with those lines under [coupling].
inline double error_behind_event(const std::string& coupling, double h) {
    constexpr double jump = 0.5432;
    const std::string accurate = "solver = \"dopri5\"\ntolerance = 1e-11\n";
    SystemFile file(
        fmt::format("connections = [\"b.y -> a.u\"]\n[experiment]\nstop = 2\nstep = {}\n"
                    "[coupling]\n{}\n[record]\nvariables = [\"a.x\"]\n",
                    h, coupling) +
        subsystem_text("a", "LinearOde", "native", "a = 0, x = 1") + accurate +
        subsystem_text("b", "LinearOde", "native", "a = 0, x = 0") + accurate +
        subsystem_text("s", "StepSource", "native",
                       fmt::format("height = 1, on = {}, off = 100", jump)) +
        "[[functions]]\ntarget = \"b.u\"\nexpression = \"s - a\"\n"
        "signals = { s = \"s.speed\", a = \"a.y\" }\n");
    const auto columns = file.run();
    EXPECT_GE(file.report.events, 1);
    return std::abs(columns.at("a.x").back() - (std::cos(2.0) + 1.0 - std::cos(2.0 - jump)));
}

}  // namespace tandem::test
