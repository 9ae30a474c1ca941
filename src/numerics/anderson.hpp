#pragma once

#include <Eigen/Core>

#include "numerics/least_squares.hpp"

namespace tandem::numerics {

/// Anderson acceleration of z = G(z) by the last differences of z and of r = G(z) - z (Anderson
/// 1965; Walker and Ni 2011). Nothing allocates after the constructor.
class Anderson {
public:
    Anderson(Eigen::Index size, int depth);
    void reset() { count_ = 0; }
    /// The newest differences; beyond `depth` the oldest are dropped.
    void add(const Eigen::VectorXd& d_z, const Eigen::VectorXd& d_r);
    /// step = r - (dZ + dR) gamma, with gamma from min |W (r - dR gamma)| and W of 1 / `sizes`.
    void find_step(const Eigen::VectorXd& r, const Eigen::VectorXd& sizes, Eigen::VectorXd& step);

private:
    Eigen::MatrixXd d_z_, d_r_;  // the newest first
    Eigen::Index count_ = 0;
    LeastSquares squares_;
    Eigen::VectorXd scaled_, lengths_, gamma_;
};

}  // namespace tandem::numerics
