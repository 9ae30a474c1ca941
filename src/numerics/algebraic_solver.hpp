#pragma once

#include <memory>
#include <span>
#include <string>

namespace tandem::numerics {

/// r(x) = 0, with residuals of the kind of the unknowns: mostly x - g(x).
class AlgebraicProblem {
public:
    virtual ~AlgebraicProblem() = default;
    virtual int size() const = 0;
    /// False: cannot be evaluated here; the solver tries a shorter way.
    [[nodiscard]] virtual bool residual(std::span<const double> x, std::span<double> r) = 0;
    /// dr/dx, dense and column-major. False: by differences of residual().
    [[nodiscard]] virtual bool jacobian(std::span<const double>, std::span<double>) {
        return false;
    }
};

struct AlgebraicOptions {
    /// Converged when every correction J^-1 r is below this part of its variable, which is then
    /// corrected once more. The residual itself says little: a gain multiplies it.
    double tolerance = 1e-10;
    int max_iterations = 50;
};

struct AlgebraicResult {
    bool converged = false;
    bool singular = false;  ///< the Jacobian has no inverse, up to rounding
    int iterations = 0;
    int evaluations = 0;
    double residual = 0.0;  ///< the largest |r_i| / max(nominal_i, |x_i|), if not converged
};

/// Newton's method, damped so that the corrections shrink (natural monotonicity test, Deuflhard
/// 2004), dense. Neither the scaling of residuals nor the units of unknowns change what it does.
class AlgebraicSolver {
public:
    AlgebraicSolver(AlgebraicProblem& problem, std::span<const double> nominals,
                    AlgebraicOptions options = {});
    ~AlgebraicSolver();

    /// From the guess in `x` to the solution in `x`. The problem was last evaluated within the
    /// tolerance of it.
    AlgebraicResult solve(std::span<double> x);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::numerics
