#pragma once

#include <Eigen/LU>

#include "coupling/least_squares.hpp"

namespace tandem::coupling {

/// What a subsystem did in one macro step.
struct StepSeen {
    double length = 0.0;
    const Eigen::VectorXd& begin;   ///< outputs
    const Eigen::VectorXd& end;     ///< outputs
    const Eigen::VectorXd& inputs;  ///< their means
    const Eigen::VectorXd& rises;   ///< of the inputs, in each unit of time
    const Eigen::VectorXd& slopes;  ///< of the outputs at the begin, as expected without any model
};

/// Learns y(k+1) = Phi y(k) + Gamma u + c from steps of one length, by recursive least squares with
/// forgetting. What is known stands outside, to be taken back by whoever keeps it.
class InterfaceIdentification {
public:
    struct Known {
        Eigen::MatrixXd triangle;  ///< R of the weighted rows (y, u, 1) = Q R
        Eigen::MatrixXd rights;    ///< Q^T of the changes of y
        Eigen::MatrixXd solution;  ///< changes of y = solution^T (y, u, 1)
        double length = 0.0;
        int steps = 0;
        int strangers = 0;  ///< steps of another length, one after the other
        /// Mean squares of what the model and the slopes missed lately.
        double error = 0.0, error_of_slopes = 0.0;
        bool is_trusted = false;
    };

    void prepare(const Eigen::VectorXd& output_nominals, const Eigen::VectorXd& input_nominals);
    Known nothing() const;
    static void forget(Known& known) { reset(known, 0.0); }
    /// What is known after that step.
    void learn(const StepSeen& step, Known& known);
    /// Phi, and Gamma with c as its last column.
    void model(const Known& known, Eigen::MatrixXd& phi, Eigen::MatrixXd& gamma) const;

private:
    void level(const StepSeen& step, const Known& known);
    void judge(const StepSeen& step, Known& known);
    void add_row(Known& known);
    void solve(Known& known);
    static void reset(Known& known, double length);

    Eigen::VectorXd output_nominals_, input_nominals_, row_, change_, miss_, work_;
    Eigen::MatrixXd sum_;
    Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
    LeastSquares least_squares_;
};

}  // namespace tandem::coupling
