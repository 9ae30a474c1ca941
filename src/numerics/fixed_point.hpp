#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tandem::numerics {

/// Increments of differences, by the size of the value.
inline constexpr double difference_increment = 1e-6;

/// z = G(z).
class FixedPointProblem {
public:
    virtual ~FixedPointProblem() = default;
    virtual std::size_t size() const = 0;
    /// g = G(z). False: cannot be evaluated there.
    [[nodiscard]] virtual bool evaluate(std::span<const double> z, std::span<double> g) = 0;
    /// dG/dz at the z last evaluated, dense and column-major. False: not to be had. `sizes`: by
    /// which increments of differences count.
    [[nodiscard]] virtual bool jacobian(std::span<const double> z, std::span<const double> g,
                                        std::span<const double> sizes,
                                        std::span<double> matrix) = 0;
};

enum class Accelerator { fixed_point, aitken, anderson, broyden, newton };

struct FixedPointOptions {
    Accelerator accelerator = Accelerator::newton;
    double relaxation = 1.0;          ///< of fixed_point; the first step of aitken
    int depth = 4;                    ///< of anderson
    bool starts_by_identity = false;  ///< of broyden: -I instead of a Jacobian
    /// Converged when every correction is at most this part of its value (CorrectionLimits): by
    /// the Jacobian where there is one, otherwise G(z) - z.
    double tolerance = 1e-10;
    int max_evaluations = 50;
};

struct FixedPointResult {
    bool converged = false;
    bool singular = false;  ///< not converged because I - dG/dz has no inverse, up to rounding
    int evaluations = 0;    ///< of G, without those for Jacobians
    int jacobians = 0;
    /// Of newton, and where examine() was asked: the sign of det(I - dG/dz), by the last Jacobian;
    /// 0: not known.
    int orientation = 0;
    /// Likewise: by how much the derivatives on the way from guess to solution differ at its ends,
    /// as a part of the smaller ones. If it is large, the solution may be another one than that
    /// near the guess.
    double bend = 0.0;
};

/// A solution that is nearer to the guess than this, by size, is no other one.
inline constexpr double shortest_way = 1e-3;

/// Solves a sequence of fixed point problems that change little from one to the next. Jacobians are
/// kept from problem to problem and made anew when they do not help any more.
class FixedPointSolver {
public:
    FixedPointSolver(std::size_t size, std::vector<double> nominals, FixedPointOptions options);
    ~FixedPointSolver();

    /// From the guess in `z` to the solution in `z`; `residuals` is G(z) - z there, which is not
    /// finite where G was not. G was last evaluated at `z`.
    FixedPointResult solve(FixedPointProblem& problem, std::span<double> z);
    /// After convergence, with accelerators that know no Jacobian: orientation and bend by one of
    /// the problem. False: G cannot be evaluated. G was last evaluated at the solution.
    [[nodiscard]] bool examine(FixedPointProblem& problem, FixedPointResult& result);
    /// Of a difference from the solution last found: the largest entry, each by what a change of
    /// that value counts (CorrectionLimits).
    double size_of(std::span<const double> difference) const;
    std::span<const double> residuals() const;
    /// After convergence: what is left to be added to z, by the Jacobian; empty if there is none.
    std::span<const double> corrections() const;
    /// The problems to come belong to a step from t on: what was learnt in steps that began then
    /// or later is taken back.
    void begin(double t);
    /// The problem has changed: what is known of it is no guide.
    void reset_history();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::numerics
