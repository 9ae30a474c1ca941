#pragma once

#include "support/linear_system.hpp"

namespace tandem::test {

/// `parts` of `masses` masses each, one behind the other on springs; the last of a part and the
/// first of the next draw at each other. With `fast` > 0 each mass warms a thing that cools that
/// fast.
inline LinearSystem linear_chain(int parts, int masses, double fast) {
    LinearSystem system;
    const int width = fast > 0.0 ? 3 : 2;
    constexpr double k = 1e3;
    for (int s = 0; s < parts; ++s) {
        LinearPart part;
        const Eigen::Index n = width * masses;
        part.a = MatrixXd::Zero(n, n);
        part.b = MatrixXd::Zero(n, 2);
        part.c = MatrixXd::Zero(2, n);
        part.d = MatrixXd::Zero(2, 2);
        part.f = VectorXd::Zero(n);
        for (int i = 0; i < masses; ++i) {
            const Eigen::Index x = width * i;
            part.a(x, x + 1) = 1.0;
            part.a(x + 1, x) = -2.0 * k;
            part.a(x + 1, x + 1) = -0.5;
            if (i > 0) part.a(x + 1, x - width) = k;
            if (i + 1 < masses) part.a(x + 1, x + width) = k;
            if (width == 3) {
                part.a(x + 2, x) = fast;
                part.a(x + 2, x + 2) = -fast;
            }
        }
        part.b(1, 0) = k;
        part.b(n - width + 1, 1) = k;
        part.c(0, 0) = 1.0;
        // The thing is what the next one feels, if there is one.
        part.c(1, n - width + (width == 3 ? 2 : 0)) = 1.0;
        system.parts.push_back(part);
        if (s == 0) continue;
        system.links.push_back({.output = 2 * (s - 1) + 1, .input = 2 * s});
        system.links.push_back({.output = 2 * s, .input = 2 * (s - 1) + 1});
    }
    return system;
}

/// Something for each state.
inline VectorXd wave(const LinearSystem& linear) {
    Eigen::Index n = 0;
    for (const LinearPart& part : linear.parts) n += part.a.rows();
    return VectorXd::LinSpaced(n, 0.0, 20.0).array().sin();
}

}  // namespace tandem::test
