#include "coupling/interface/continuous_model.hpp"

namespace tandem::coupling {
namespace {

/// How near exp(A h) must come to Phi.
constexpr double agreement = 1e-6;

using Matrix = Eigen::Map<const Eigen::MatrixXd>;

}  // namespace

void ContinuousModel::prepare(Eigen::Index outputs, Eigen::Index inputs) {
    logarithm_.prepare(outputs);
    response_.prepare(static_cast<std::size_t>(outputs));
    for (auto* matrix : {&a_, &constants_, &work_}) matrix->setZero(outputs, outputs);
    b_.setZero(outputs, inputs);
    driven_.setZero(outputs);
    factors_ = Eigen::PartialPivLU<Eigen::MatrixXd>(outputs);
    responded_ = 0.0;
}

void ContinuousModel::set_zero() {
    a_.setZero();
    b_.setZero();
    responded_ = 0.0;
}

void ContinuousModel::set(std::span<const double> a, std::span<const double> b) {
    a_ = Matrix(a.data(), a_.rows(), a_.cols());
    b_ = Matrix(b.data(), b_.rows(), b_.cols());
    responded_ = 0.0;
}

/// Phi = exp(A h), Gamma = (integral of exp(A s) over the step) B.
bool ContinuousModel::find(const Eigen::MatrixXd& phi, const Eigen::MatrixXd& gamma, double h) {
    responded_ = 0.0;
    if (!logarithm_.compute(phi)) return false;
    a_ = logarithm_.result() / h;
    respond(h);
    work_ = Matrix(response_.states().data(), a_.rows(), a_.cols());
    work_ -= phi;
    if (!(work_.cwiseAbs().maxCoeff() <= agreement * (1.0 + phi.cwiseAbs().maxCoeff())))
        return false;
    b_ = factors_.solve(gamma);
    return b_.allFinite();
}

void ContinuousModel::respond(double h) {
    if (h == responded_) return;
    response_.compute({a_.data(), static_cast<std::size_t>(a_.size())}, h);
    constants_ = Matrix(response_.constants().data(), a_.rows(), a_.cols());
    factors_.compute(constants_);
    responded_ = h;
}

/// y(h) - y(0) = P1 rates + P1 B jump + P2 B slope, see StepResponse.
void ContinuousModel::find_rates(const Change& change, double h, Eigen::VectorXd& rates) {
    respond(h);
    driven_.noalias() = b_ * change.slope;
    rates = change.y;
    rates.noalias() -= Matrix(response_.ramps().data(), a_.rows(), a_.cols()) * driven_;
    driven_ = factors_.solve(rates);
    rates = driven_;
    rates.noalias() -= b_ * change.jump;
}

void ContinuousModel::find_rates(const Eigen::VectorXd& change, double h, Eigen::VectorXd& rates) {
    respond(h);
    rates = factors_.solve(change);
}

}  // namespace tandem::coupling
