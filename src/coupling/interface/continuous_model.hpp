#pragma once

#include <span>

#include "numerics/matrix_logarithm.hpp"
#include "numerics/step_response.hpp"

namespace tandem::coupling {

/// y' = A y + B u as it is known from steps of one length, in which u is held:
///   y(h) = Phi y(0) + Gamma u.
class ContinuousModel {
public:
    void prepare(Eigen::Index outputs, Eigen::Index inputs);
    /// A and B from Phi and Gamma; false if there are none.
    bool find(const Eigen::MatrixXd& phi, const Eigen::MatrixXd& gamma, double h);
    void set(std::span<const double> a, std::span<const double> b);
    void set_zero();
    bool is_zero() const { return a_.isZero(0.0) && b_.isZero(0.0); }
    const Eigen::MatrixXd& a() const { return a_; }
    const Eigen::MatrixXd& b() const { return b_; }

    /// The rates at the start of a step h after which y has changed by that much, with inputs that
    /// began `jump` off those that the rates are for, and rose by `slope` in each unit of time.
    struct Change {
        const Eigen::VectorXd& y;
        const Eigen::VectorXd& jump;
        const Eigen::VectorXd& slope;
    };
    void find_rates(const Change& change, double h, Eigen::VectorXd& rates);
    /// The same where inputs were held.
    void find_rates(const Eigen::VectorXd& change, double h, Eigen::VectorXd& rates);

private:
    void respond(double h);

    numerics::MatrixLogarithm logarithm_;
    numerics::StepResponse response_;
    double responded_ = 0.0;  ///< step of the response; 0: none
    Eigen::MatrixXd a_, b_, constants_, work_;
    Eigen::VectorXd driven_;
    Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
};

}  // namespace tandem::coupling
