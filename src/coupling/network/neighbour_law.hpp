#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "core/network_model.hpp"
#include "core/rounded_time.hpp"

namespace tandem::coupling {

/// What the inputs follow from the linear models of the neighbours.
enum class NeighbourForm {
    derivative,  ///< inputs are states, their derivative from the implicit rule at the present time
    frozen,      ///< the same, with the matrix of the rule as it is at the end of the step
    value,       ///< inputs are the values that the implicit rule gives at the present time
};

struct NeighbourLawOptions {
    NeighbourForm form = NeighbourForm::derivative;
    double theta = 1.0;  ///< of the rule: 1 backward Euler, 1/2 trapezoidal
};

/// The linearly implicit law of Viel: what the subsystems that feed s will do in answer to s.
///
/// A neighbour o moves on by one step of the implicit rule from the start of the interval, h ago:
///   dx_o = h X_o,  X_o = (I - theta h A_o)^-1 (rates_o + theta B_o w_o)
/// where w_o is what s adds to the inputs of o, known from the states of s, and what others add,
/// continued with its slope at the start. With two subsystems this is the formula of the paper.
/// All that s sees of its neighbours is linear in e, the change of its own outputs:
///   K C X = M(h) e + n(h) + h n'(h),  feed-through: N e
/// and the rows below say what becomes of it in each form.
class NeighbourLaw final : public Law, public RoundedTime {
public:
    NeighbourLaw(const NetworkModel& network, int s, NeighbourLawOptions options);

    /// `output_rates` are the derivatives of all outputs, `inputs` those of s, at the start.
    void begin_step(Interval interval, std::span<const double> output_rates,
                    std::span<const double> inputs);

    int state_count() const override;
    void start(std::span<double> own) const override;
    void evaluate(const LawPoint& point, std::span<double> inputs) const override;
    void rates(const LawPoint& point, std::span<const double> state_rates,
               std::span<double> own_rates) const override;

private:
    using Matrix = Eigen::MatrixXd;
    using Vector = Eigen::VectorXd;
    struct Neighbour {
        int subsystem = 0;
        Matrix to_it;    ///< K: outputs of s -> inputs of o
        Matrix from_it;  ///< K: outputs of o -> inputs of s
        Matrix seen;     ///< K C
        Matrix shifted;  ///< I - theta h A
        Matrix right;    ///< the columns rates, theta (B w' + rate_slopes), theta B K
        Matrix solved;
        Eigen::PartialPivLU<Matrix> factors;
        Vector other_slopes;  ///< w' from all but s
    };
    void find_neighbours();
    void begin_neighbour(Neighbour& neighbour, std::span<const double> output_rates);
    void use_length(double h) const;
    void output_changes(double h, std::span<const double> states) const;

    const NetworkModel& network_;
    int s_;
    NeighbourLawOptions options_;
    Interval interval_;
    Vector inputs_;
    Vector steady_;  ///< what does not depend on h: feed-through of slopes
    Matrix direct_;  ///< N
    bool feeds_through_ = false;

    // For one length h at a time; a law is asked by one subsystem, on one thread.
    mutable std::vector<Neighbour> neighbours_;
    mutable double h_ = -1.0;
    mutable Matrix m_;
    mutable Vector n_, n_slope_;
    mutable Vector e_, change_, result_;
    mutable Matrix square_;
    mutable Eigen::PartialPivLU<Matrix> square_factors_;
};

}  // namespace tandem::coupling
