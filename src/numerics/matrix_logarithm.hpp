#pragma once

#include <Eigen/LU>

namespace tandem::numerics {

/// The principal logarithm of a real matrix: exp(result) = M, all eigenvalues of the result with
/// imaginary parts between -pi and pi. Nothing allocates after prepare(), beside what Eigen needs
/// for large matrices.
class MatrixLogarithm {
public:
    void prepare(Eigen::Index size);
    /// False where there is no real one: an eigenvalue is zero or negative.
    bool compute(const Eigen::MatrixXd& m);
    const Eigen::MatrixXd& result() const { return result_; }

private:
    bool take_root();
    double distance_from_identity(const Eigen::MatrixXd& m);

    Eigen::MatrixXd root_, ratio_, inverse_, difference_, work_, result_;
    Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
};

}  // namespace tandem::numerics
