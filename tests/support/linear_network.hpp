#pragma once

#include <Eigen/Dense>
#include <complex>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "support/coupled_run.hpp"

namespace tandem::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// dx/dt = A x + B u + f,  y = C x + D u.
struct LinearPart {
    MatrixXd a, b, c, d;
    VectorXd f;
};

MatrixXd block_diagonal(const MatrixXd& first, const MatrixXd& second);

/// The part of a run, linear about where it is: exact for linear models, whose f does not depend on
/// that.
LinearPart linear_part(ode::HostedOde& host);

/// The matrices of the model against central differences; a column of each may differ by
/// `tolerance` of its largest entry.
void expect_exact_jacobian(ode::HostedOde& host, double tolerance);

/// Linear parts in one: matrices with blocks on the diagonal, and u = K y.
struct LinearNetwork {
    MatrixXd a, b, c, d, k;
    VectorXd f, start;

    /// All equations as one: dx/dt = A x + f.
    struct Whole {
        MatrixXd a, outputs;  ///< y = outputs x
        VectorXd f;
    };
    Whole whole() const;
};

LinearNetwork linear_network(CoupledRun& run);
LinearNetwork joined(std::span<const LinearPart> parts, std::span<const Link> links,
                     const VectorXd& start);

MatrixXd exponential(const MatrixXd& matrix);

/// Outputs of the whole at 0, h, ..., steps h, exactly: [x; 1] is multiplied by exp(h [A f; 0 0]).
Samples exact_samples(const LinearNetwork& network, double h, long steps);

/// What inputs do to the states of all parts over a step h, exactly:
///   x(h) = states x(0) + constants u0 + ramps u1   for u(t) = u0 + u1 t/h.
/// From exp of [A h, B h, 0; 0, 0, I; 0, 0, 0].
struct Propagator {
    MatrixXd states, constants, ramps;
};
Propagator propagator(const MatrixXd& a, const MatrixXd& b, double h);

std::vector<std::complex<double>> eigenvalues(const MatrixXd& matrix);
double spectral_radius(const MatrixXd& step);

/// The smallest step above `begin` from which on motions grow: scanned in steps of half a percent,
/// then halved. `end` if there is none below.
double stability_limit(const std::function<double(double h)>& radius, double begin, double end);

/// What measured_radius() looks at.
struct GrowthOptions {
    long settle = 0;      ///< macro steps before it begins to look
    long stride = 1;      ///< about a tenth of the fastest period, in macro steps
    long count = 200;     ///< columns of Z
    long delays = 2;      ///< what the coupling remembers beside the states
    double noise = 1e-7;  ///< relative to the largest motion
};

/// By what |z| is multiplied in a macro step, for the motion that grows most (or decays least):
/// from the run itself, whatever the coupling remembers. For linear systems without sources.
///
/// With Z the states over some steps, each stacked on those of earlier ones, and Z+ the same
/// `stride` steps later, the eigenvalues of Z+ pinv(Z) are those of a step to the power of the
/// stride. Only directions that stand out of the noise of the solvers count.
double measured_radius(CoupledRun& run, double h, const GrowthOptions& options);

}  // namespace tandem::test
