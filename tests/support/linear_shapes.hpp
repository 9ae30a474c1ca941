#pragma once

#include <vector>

#include "support/linear_system.hpp"

namespace tandem::test {

/// Two masses on springs; the spring and damper between them belong to the second, which takes
/// place and speed of the first and gives the force, directly.
inline LinearSystem two_masses() {
    constexpr double k = 1e3, d = 0.2, kc = 1e4, dc = 0.4;
    LinearPart first, second;
    first.a = MatrixXd{{0.0, 1.0}, {-k, -d}};
    first.b = MatrixXd{{0.0}, {1.0}};
    first.c = MatrixXd::Identity(2, 2);
    first.d = MatrixXd::Zero(2, 1);
    first.f = VectorXd::Zero(2);
    second.a = MatrixXd{{0.0, 1.0}, {-k - kc, -d - dc}};
    second.b = MatrixXd{{0.0, 0.0}, {kc, dc}};
    second.c = MatrixXd{{kc, dc}};
    second.d = MatrixXd{{-kc, -dc}};
    second.f = VectorXd::Zero(2);
    return {{first, second},
            {{.output = 0, .input = 1}, {.output = 1, .input = 2}, {.output = 2, .input = 0}}};
}
inline const VectorXd pulled = VectorXd{{0.01, 0.0, 0.0, 0.0}};

/// A mass on a spring, drawn by springs towards the places that its inputs say; its output is its
/// own place.
inline LinearPart drawn_mass(double k, const std::vector<double>& springs) {
    LinearPart part;
    const auto inputs = std::ssize(springs);
    double all = k;
    part.b = MatrixXd::Zero(2, inputs);
    for (Eigen::Index i = 0; i < inputs; ++i) {
        part.b(1, i) = springs[static_cast<std::size_t>(i)];
        all += springs[static_cast<std::size_t>(i)];
    }
    part.a = MatrixXd{{0.0, 1.0}, {-all, -0.5}};
    part.c = MatrixXd{{1.0, 0.0}};
    part.d = MatrixXd::Zero(1, inputs);
    part.f = VectorXd::Zero(2);
    return part;
}

/// Inner outputs feed two others.
inline LinearSystem chain() {
    return {{drawn_mass(100.0, {900.0}), drawn_mass(50.0, {900.0, 400.0}),
             drawn_mass(20.0, {400.0, 2000.0}), drawn_mass(300.0, {2000.0})},
            {{.output = 1, .input = 0},
             {.output = 0, .input = 1},
             {.output = 2, .input = 2},
             {.output = 1, .input = 3},
             {.output = 3, .input = 4},
             {.output = 2, .input = 5}}};
}

/// The output of the first feeds all others, with different gains, which feed it in turn.
inline LinearSystem star() {
    return {{drawn_mass(10.0, {500.0, 800.0, 1100.0}), drawn_mass(100.0, {500.0}),
             drawn_mass(300.0, {400.0}), drawn_mass(50.0, {1100.0})},
            {{.output = 1, .input = 0},
             {.output = 2, .input = 1, .gain = 0.5},
             {.output = 3, .input = 2},
             {.output = 0, .input = 3},
             {.output = 0, .input = 4, .gain = 2.0},
             {.output = 0, .input = 5}}};
}

}  // namespace tandem::test
