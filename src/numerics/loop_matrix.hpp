#pragma once

#include <Eigen/LU>
#include <span>

namespace tandem::numerics {

/// M = I - D L of an algebraic loop y = g(y), or the Jacobian of another residual, and what can be
/// said about solutions with it. Rows and columns may have any units: nothing here depends on them.
class LoopMatrix {
public:
    Eigen::MatrixXd& entries() { return entries_; }
    const Eigen::MatrixXd& entries() const { return entries_; }
    /// Of the entries as they are now. False: they are not finite, or M has no inverse at all.
    [[nodiscard]] bool factorise();
    /// Whether entries that are known to `rounding` of their terms may belong to a singular matrix.
    /// Of a matrix that was factorised.
    bool is_singular(double rounding) const { return !(condition_ * rounding < 1.0); }
    /// The spectral radius of |M^-1| (I + |I - M|): by how much rounding errors of the terms of
    /// y - g(y) are amplified in y (Bauer 1966, Skeel 1979). It is 1 for one variable of any gain.
    double condition() const { return condition_; }
    /// The sum of |terms| of residual i at y: |y_i| and those of I - M.
    double size_of_terms(std::size_t i, std::span<const double> y) const;
    /// Of a matrix that was factorised: 1, -1 or 0.
    int sign_of_determinant() const;
    /// correction = M^-1 r, two different vectors of that size.
    void solve(const Eigen::Ref<const Eigen::VectorXd>& r,
               Eigen::Ref<Eigen::VectorXd> correction) const;

private:
    void find_condition();

    Eigen::MatrixXd entries_, scaled_, inverse_;
    Eigen::VectorXd row_scales_, terms_, direction_;
    Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
    double condition_ = 0.0;
};

/// Rounding of entries that are derivatives, and of those by differences of values.
inline constexpr double exact_rounding = 1e-12, difference_rounding = 1e-7;

}  // namespace tandem::numerics
