#pragma once

#include <Eigen/Dense>
#include <functional>
#include <unsupported/Eigen/MatrixFunctions>
#include <utility>
#include <vector>

#include "support/coupled_run.hpp"

namespace tandem::testing {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// dx/dt = A x + B u + f,  y = C x + D u.
struct LinearPart {
    MatrixXd a, b, c, d;
    VectorXd f;
};

/// The part of a run, linear about where it is: exact for linear models, whose f does not depend on
/// that.
inline LinearPart linear_part(ode::HostedOde& host) {
    const auto n = static_cast<Eigen::Index>(host.states().size());
    const auto m = static_cast<Eigen::Index>(host.interface().inputs.size());
    const auto p = static_cast<Eigen::Index>(host.interface().outputs.size());
    LinearPart part{MatrixXd(n, n), MatrixXd(n, m), MatrixXd(p, n), MatrixXd(p, m), VectorXd(n)};
    using Block = ode::HostedOde::Block;
    for (const auto& [block, matrix] : {std::pair{Block::a, &part.a},
                                        {Block::b, &part.b},
                                        {Block::c, &part.c},
                                        {Block::d, &part.d}})
        host.jacobian(block, {matrix->data(), static_cast<std::size_t>(matrix->size())});
    const VectorXd x = Eigen::Map<const VectorXd>(host.states().data(), n);
    const VectorXd u = Eigen::Map<const VectorXd>(host.inputs().data(), m);
    std::vector<double> dx(static_cast<std::size_t>(n));
    EXPECT_TRUE(host.model().set_point({host.time(), host.states(), host.inputs()}));
    EXPECT_TRUE(host.model().derivatives(dx));
    part.f = Eigen::Map<const VectorXd>(dx.data(), n) - part.a * x - part.b * u;
    return part;
}

/// A and B of the model against central differences; a column may differ by `tolerance` of its
/// largest entry.
inline void expect_exact_jacobian(ode::HostedOde& host, double tolerance) {
    ASSERT_TRUE(host.model().shape().exact_jacobian);
    const LinearPart part = linear_part(host);
    std::vector<double> x(host.states().begin(), host.states().end());
    std::vector<double> u(host.inputs().begin(), host.inputs().end());
    const auto rates = [&] {
        VectorXd dx(part.a.rows());
        EXPECT_TRUE(host.model().set_point({host.time(), x, u}));
        EXPECT_TRUE(host.model().derivatives({dx.data(), x.size()}));
        return dx;
    };
    const auto check = [&](double& value, const VectorXd& column, double nominal) {
        const double middle = value, increment = 1e-5 * nominal;
        value = middle + increment;
        const VectorXd above = rates();
        value = middle - increment;
        const VectorXd difference = (above - rates()) / (2.0 * increment);
        value = middle;
        EXPECT_LE((column - difference).cwiseAbs().maxCoeff(),
                  tolerance * column.cwiseAbs().maxCoeff());
    };
    const ode::OdeShape& shape = host.model().shape();
    for (std::size_t i = 0; i < x.size(); ++i)
        check(x[i], part.a.col(static_cast<Eigen::Index>(i)), shape.states[i].nominal);
    for (std::size_t i = 0; i < u.size(); ++i)
        check(u[i], part.b.col(static_cast<Eigen::Index>(i)), shape.inputs[i].nominal);
}

/// Linear parts in one: matrices with blocks on the diagonal, and u = K y.
struct LinearNetwork {
    MatrixXd a, b, c, d, k;
    VectorXd f, start;

    /// All equations as one: dx/dt = A x + f.
    struct Whole {
        MatrixXd a, outputs;  ///< y = outputs x
        VectorXd f;
    };
    Whole whole() const {
        const MatrixXd loop = MatrixXd::Identity(c.rows(), c.rows()) - d * k;
        const MatrixXd y = loop.partialPivLu().solve(c);
        return {a + b * k * y, y, f};
    }
};

inline MatrixXd block_diagonal(const MatrixXd& first, const MatrixXd& second) {
    MatrixXd both = MatrixXd::Zero(first.rows() + second.rows(), first.cols() + second.cols());
    both.topLeftCorner(first.rows(), first.cols()) = first;
    both.bottomRightCorner(second.rows(), second.cols()) = second;
    return both;
}

inline LinearNetwork linear_network(CoupledRun& run) {
    LinearNetwork network;
    System& system = run.system();
    network.start = run.states();
    for (int s = 0; s < system.size(); ++s) {
        const LinearPart part = linear_part(run.host(s));
        network.a = block_diagonal(network.a, part.a);
        network.b = block_diagonal(network.b, part.b);
        network.c = block_diagonal(network.c, part.c);
        network.d = block_diagonal(network.d, part.d);
        VectorXd f(network.f.size() + part.f.size());
        f << network.f, part.f;
        network.f = f;
    }
    network.k = MatrixXd::Zero(network.b.cols(), network.c.rows());
    for (const Link& link : system.links()) network.k(link.input, link.output) = link.gain;
    return network;
}

/// Outputs of the whole at 0, h, ..., steps h, exactly: [x; 1] is multiplied by exp(h [A f; 0 0]).
inline Samples exact_samples(const LinearNetwork& network, double h, long steps) {
    const LinearNetwork::Whole whole = network.whole();
    const Eigen::Index n = whole.a.rows();
    MatrixXd extended = MatrixXd::Zero(n + 1, n + 1);
    extended.topLeftCorner(n, n) = whole.a;
    extended.topRightCorner(n, 1) = whole.f;
    const MatrixXd step = (h * extended).exp();
    VectorXd z(n + 1);
    z << network.start, 1.0;
    Samples samples(whole.outputs.rows(), steps + 1);
    for (long k = 0; k <= steps; ++k, z = step * z) samples.col(k) = whole.outputs * z.head(n);
    return samples;
}

/// What inputs do to the states of all parts over a step h, exactly:
///   x(h) = states x(0) + constants u0 + ramps u1   for u(t) = u0 + u1 t/h.
/// From exp of [A h, B h, 0; 0, 0, I; 0, 0, 0].
struct Propagator {
    MatrixXd states, constants, ramps;
};
inline Propagator propagator(const MatrixXd& a, const MatrixXd& b, double h) {
    const Eigen::Index n = a.rows(), m = b.cols();
    MatrixXd all = MatrixXd::Zero(n + 2 * m, n + 2 * m);
    all.topLeftCorner(n, n) = h * a;
    all.block(0, n, n, m) = h * b;
    all.block(n, n + m, m, m).setIdentity();
    const MatrixXd e = all.exp();
    return {e.topLeftCorner(n, n), e.block(0, n, n, m), e.block(0, n + m, n, m)};
}

inline double spectral_radius(const MatrixXd& step) {
    return step.eigenvalues().cwiseAbs().maxCoeff();
}

/// The smallest step above `begin` from which on motions grow: scanned in steps of half a percent,
/// then halved. `end` if there is none below.
inline double stability_limit(const std::function<double(double h)>& radius, double begin,
                              double end) {
    constexpr double ratio = 1.005;
    double stable = begin;
    while (radius(stable * ratio) < 1.0) {
        stable *= ratio;
        if (stable >= end) return end;
    }
    double unstable = stable * ratio;
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (stable + unstable);
        (radius(middle) < 1.0 ? stable : unstable) = middle;
    }
    return stable;
}

}  // namespace tandem::testing
