#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace tandem::coupling {

/// What a subsystem did in one macro step.
struct StepSeen {
    double length = 0.0;
    const Eigen::VectorXd& outputs;  ///< at the end
    const Eigen::VectorXd& change;   ///< of the outputs, without direct feed-through
    const Eigen::VectorXd& inputs;   ///< their means
    const Eigen::VectorXd& rises;    ///< of the inputs, in each unit of time
    const Eigen::VectorXd& slopes;   ///< of the outputs at the start, as expected without any model
    const Eigen::VectorXd& next_inputs;  ///< at the end, with which the next step begins
};

/// Learns y(k+1) = Phi y(k) + Gamma u(k) + c from steps of one length. What is known stands
/// outside, to be taken back by whoever keeps it.
///
/// Differences of that rule, with dy(k) = y(k+1) - y(k) and du(k) = u(k+1) - u(k), are
///   dy(k+1) - dy(k) = (Phi - I) dy(k) + Gamma du(k),
/// from which c has gone, and with it what changes slowly. Its coefficients are found by recursive
/// least squares that are
/// - regularised: coefficients are small, as far as noise hides them. Where all are zero, outputs
///   go on with their slope; so they do in directions in which nothing has moved yet. Each variable
///   counts by what it moved.
/// - forgetting only in the direction of the newest row: what was learnt from rich motions is not
///   forgotten over poor ones (Cao and Schwartz, A directional forgetting algorithm based on the
///   decomposition of the information matrix, Automatica 36, 2000).
/// - robust: rows that are missed by far more than slopes usually miss count little.
/// Each output is predicted before it is learnt from, and so by its slope and by a parabola through
/// the past: the model is trusted as long as it predicts better than both, and does not make
/// vibrations stronger or weaker than slopes do. With d the change of an output in a step, a mean
/// value predicted by its slope errs by 5/12 of the second difference, which does no work, and by
/// 1/24 of the third one, in phase with d, which does. Parabolas miss the third difference; a model
/// that misses m at the end of a step errs by m/2 in the mean. So m, or the part of it in phase
/// with d (by the means of m d over many steps), has to be below 1/12 of what parabolas miss.
class InterfaceIdentification {
public:
    using Flags = Eigen::Array<bool, Eigen::Dynamic, 1>;
    struct Known {
        Eigen::MatrixXd information;  ///< sum of row row^T, rows (dy, du)
        Eigen::MatrixXd rights;       ///< sum of row (dy(k+1) - dy(k))^T
        Eigen::MatrixXd solution;     ///< dy(k+1) - dy(k) = solution^T row
        Eigen::MatrixXd doubt;        ///< see InterfaceModel
        Eigen::VectorXd largest;      ///< of outputs and inputs so far
        /// Of the last step: changes of outputs, inputs and their rises, what slopes missed.
        Eigen::VectorXd change, inputs, rises, missed_by_slopes;
        /// Mean squares, of each output: what is noise, what slopes and parabolas missed lately;
        /// and the mean share of the model in the sum of the squares that it and the better one of
        /// these missed.
        Eigen::VectorXd noise, error_of_slopes, error_of_parabolas, share;
        /// Means over many steps of what the model and parabolas missed times the change of the
        /// output.
        Eigen::VectorXd work_of_model, work_of_parabolas;
        Flags is_trusted;  ///< of each output
        bool has_change = false;
        double length = 0.0;
        int steps = 0;
        int other_lengths = 0;  ///< steps of another length, one after the other
    };

    void prepare(const Eigen::VectorXd& output_nominals, const Eigen::VectorXd& input_nominals);
    Known nothing() const;
    /// Something jumped: there is no last step, and what is known must prove itself again.
    static void forget_last_step(Known& known);
    /// What is known after that step.
    void learn(const StepSeen& step, Known& known);
    /// Phi and Gamma; those of slopes for outputs that are not trusted. `part`: of the way from
    /// slopes to what was learnt.
    void model(const Known& known, double part, Eigen::MatrixXd& phi, Eigen::MatrixXd& gamma) const;

private:
    static void start(Known& known, double length);
    bool level(const StepSeen& step, const Known& known);
    void look_back(const StepSeen& step, Known& known);
    void judge(const Eigen::VectorXd& change, Known& known, double part);
    void add_row(Known& known, bool are_held);
    void solve(Known& known);
    void trust(const StepSeen& step, Known& known);
    void find_sizes(const Known& known);
    void factor(const Known& known, double ridge);
    double ridge_of(const Known& known, Eigen::Index k) const;
    double smallest(const Known& known, Eigen::Index i) const;
    double limit(const Known& known, Eigen::Index k) const;
    static double reference(const Known& known, Eigen::Index k);
    static bool does_no_work(const Known& known, Eigen::Index k);

    Eigen::Index outputs_ = 0, inputs_ = 0;
    Eigen::VectorXd output_nominals_, input_nominals_;
    Eigen::VectorXd row_, sizes_, scaled_, target_, miss_, of_slopes_, work_, input_work_;
    Eigen::MatrixXd sum_, matrix_, doubts_, inverse_;
    Eigen::PartialPivLU<Eigen::MatrixXd> level_factors_;
    Eigen::LLT<Eigen::MatrixXd> factors_, doubt_factors_;
    double ridge_ = 0.0;  ///< that is in the factors; 0: none
};

}  // namespace tandem::coupling
