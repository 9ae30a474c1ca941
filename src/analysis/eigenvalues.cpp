#include "analysis/eigenvalues.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "tandem/error.hpp"

namespace tandem::analysis {

Mode mode_of(std::complex<double> eigenvalue) {
    Mode mode;
    mode.eigenvalue = eigenvalue;
    mode.frequency = std::abs(eigenvalue.imag()) / (2.0 * std::numbers::pi);
    mode.damping = -eigenvalue.real() / std::abs(eigenvalue);
    mode.time_constant = 1.0 / std::abs(eigenvalue.real());
    return mode;
}

std::vector<Mode> modes_of(const LinearModel& model) {
    std::vector<Mode> modes;
    if (model.states.empty()) return modes;
    const auto size = static_cast<Eigen::Index>(model.states.size());
    const Eigen::Map<const Eigen::MatrixXd> a(model.a.data(), size, size);
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(a, false);
    if (!a.allFinite() || solver.info() != Eigen::Success)
        throw NumericsError(sentence(fmt::format("{}: at t = {}", model.name, model.t),
                                     "the eigenvalues cannot be computed",
                                     "linearise it at another time"));
    // The eigenvalues are those of a matrix that differs from A by this much: below it is zero.
    const double error =
        static_cast<double>(size) * std::numeric_limits<double>::epsilon() * a.norm();
    for (const std::complex<double>& eigenvalue : solver.eigenvalues())
        modes.push_back(mode_of(std::abs(eigenvalue) > error ? eigenvalue : 0.0));
    const auto key = [](const Mode& mode) {
        const std::complex<double>& s = mode.eigenvalue;
        return std::tuple(std::abs(s), -s.real(), -s.imag());
    };
    std::ranges::sort(modes, {}, key);
    return modes;
}

}  // namespace tandem::analysis
