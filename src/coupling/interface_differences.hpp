#pragma once

#include <Eigen/Core>

#include "core/system.hpp"
#include "coupling/continuous_model.hpp"
#include "coupling/least_squares.hpp"

namespace tandem::coupling {

/// Finds the model y' = S(y, u) of a subsystem by short steps from where it is, to where it goes
/// back afterwards. Capabilities rollback and variable_step.
///
/// With inputs held, the responses z of outputs to a change du of inputs obey
///   z(j+1) = Phi z(j) + Gamma du
/// if the outputs say all of the subsystem that its inputs can move. What changes at once belongs
/// to the direct feed-through, and z is what comes on top.
class InterfaceDifferences {
public:
    static bool can_be_used(const Capabilities& can) { return can.rollback && can.variable_step; }

    void prepare(const Interface& interface);
    /// Matrices and rates; false if responses do not obey such a model, or a short step does not
    /// complete.
    bool read(System& system, int s, Interval interval, ContinuousModel& model);
    /// Rates alone, by one short step and a model that is known.
    bool read_rates(System& system, int s, Interval interval, ContinuousModel& model);

    const Eigen::VectorXd& rates() const { return rates_; }
    /// All short steps so far, and those of one read().
    long steps() const { return steps_; }
    long steps_of_reading() const { return (inputs_ + 1) * parts_; }

private:
    using Columns = Eigen::Ref<Eigen::MatrixXd>;
    double part_of(Interval interval) const;
    bool follow(System& system, int s, Interval interval, Columns outputs);
    bool perturb(System& system, int s, Interval interval);
    void go_back(System& system, int s);
    void respond(const System& system, int s);
    bool fit();

    Eigen::Index outputs_ = 0, inputs_ = 0;
    Eigen::Index parts_ = 0;  ///< short steps from each start
    bool has_feed_through_ = false;
    std::vector<double> held_;  ///< inputs of short steps
    Eigen::VectorXd change_, rates_;
    Eigen::VectorXd input_changes_, scales_;
    Eigen::MatrixXd free_;       ///< outputs with the inputs as they are, one column each time
    Eigen::MatrixXd responses_;  ///< the same for each input, one behind the other
    Eigen::MatrixXd phi_, gamma_;
    LeastSquares least_squares_;
    std::vector<double> target_, solution_;
    long steps_ = 0;
};

}  // namespace tandem::coupling
