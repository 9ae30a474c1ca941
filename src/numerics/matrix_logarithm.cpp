#include "numerics/matrix_logarithm.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace tandem::numerics {
namespace {

/// The quadrature is exact to rounding for |M - I| up to this.
constexpr double near = 0.25;
constexpr int most_roots = 40;
constexpr int most_iterations = 40;

struct Node {
    double x, weight;
};
/// Of Gauss and Legendre on [-1, 1], one half of them.
constexpr std::array<Node, 4> nodes = {{{0.1834346424956498, 0.3626837833783620},
                                        {0.5255324099163290, 0.3137066458778873},
                                        {0.7966664774136267, 0.2223810344533745},
                                        {0.9602898564975363, 0.1012285362903763}}};

}  // namespace

void MatrixLogarithm::prepare(Eigen::Index size) {
    for (auto* matrix : {&root_, &ratio_, &inverse_, &difference_, &work_, &result_})
        matrix->setZero(size, size);
    factors_ = Eigen::PartialPivLU<Eigen::MatrixXd>(size);
}

double MatrixLogarithm::distance_from_identity(const Eigen::MatrixXd& m) {
    difference_ = m;
    difference_.diagonal().array() -= 1.0;
    return difference_.cwiseAbs().colwise().sum().maxCoeff();
}

/// log M = 2^k log M^(1/2^k), and near the identity
///   log(I + E) = integral over t from 0 to 1 of E (I + t E)^-1.
bool MatrixLogarithm::compute(const Eigen::MatrixXd& m) {
    result_.setZero();
    if (m.size() == 0) return true;
    if (!m.allFinite()) return false;
    root_ = m;
    int roots = 0;
    while (distance_from_identity(root_) > near) {
        if (++roots > most_roots || !take_root()) return false;
    }
    for (const Node& node : nodes)
        for (const double sign : {-1.0, 1.0}) {
            work_ = (0.5 + 0.5 * sign * node.x) * difference_;
            work_.diagonal().array() += 1.0;
            factors_.compute(work_);
            work_ = factors_.solve(difference_);
            result_ += 0.5 * node.weight * work_;
        }
    result_ *= std::ldexp(1.0, roots);
    return result_.allFinite();
}

/// The iteration of Denman and Beavers in its product form: ratio -> I while root -> M^(1/2).
bool MatrixLogarithm::take_root() {
    const double enough =
        10.0 * static_cast<double>(root_.rows()) * std::numeric_limits<double>::epsilon();
    ratio_ = root_;
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
        factors_.compute(ratio_);
        inverse_.setIdentity();
        work_ = factors_.solve(inverse_);
        inverse_ = work_;
        ratio_ = 0.25 * (ratio_ + inverse_);
        ratio_.diagonal().array() += 0.5;
        inverse_.diagonal().array() += 1.0;
        work_.noalias() = 0.5 * root_ * inverse_;
        root_ = work_;
        if (!root_.allFinite()) return false;
        if (distance_from_identity(ratio_) <= enough) return true;
    }
    return false;
}

}  // namespace tandem::numerics
