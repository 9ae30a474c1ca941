#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ode/host/hosted_ode.hpp"

namespace tandem::analysis {

/// A state, input or output at the point of linearisation.
struct LinearVariable {
    std::string name;
    std::string unit;
    double value = 0.0;
};

/// Near the point of linearisation, with d meaning "difference from the value there":
///   dx/dt = derivatives + A d_x + B d_u,   d_y = C d_x + D d_u
/// Matrices are column-major.
struct LinearModel {
    std::string name;
    double t = 0.0;
    std::vector<LinearVariable> states, inputs, outputs;
    std::vector<double> derivatives;  ///< of the states; zero where the system is at rest
    std::vector<double> a, b, c, d;
};

/// At the time that it has reached. Exact where the model has exact derivatives, otherwise by
/// differences.
LinearModel linearise(ode::HostedOde& hosted);

struct LineariseOptions {
    std::string file;                  ///< an FMU or a system
    std::optional<double> at = {};     ///< default: the start time
    std::optional<double> start = {};  ///< default: as the file says, or 0
    std::optional<double> tolerance = {};
    std::vector<std::string> set = {};      ///< name=value, of a system subsystem.name=value
    std::vector<std::string> options = {};  ///< name=value of the coupling of a system
};

/// Runs the FMU (as Model Exchange) or the system (as one differential equation) to the time and
/// linearises it there. Throws InputError where something cannot be linearised, FmuError and
/// NumericsError.
LinearModel linearise(const LineariseOptions& options);

}  // namespace tandem::analysis
