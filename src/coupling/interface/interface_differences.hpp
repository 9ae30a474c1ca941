#pragma once

#include <Eigen/Core>

#include "coupling/interface/continuous_model.hpp"
#include "numerics/least_squares.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::coupling {

/// Finds the model y' = S(y, u) of a subsystem by short steps from where it is, to where it goes
/// back afterwards. Capabilities rollback and variable_step.
///
/// With inputs held, the responses z of outputs to a change du of inputs obey
///   z(j+1) = Phi z(j) + Gamma du
/// if the outputs say all of the subsystem that its inputs can move. What changes at once belongs
/// to the direct feed-through, and z is what comes on top.
///
/// A subsystem with internal steps of a fixed length answers nothing to shorter ones. Where
/// responses do not obey the model, that length is looked for, and short steps become multiples.
class InterfaceDifferences {
public:
    /// Why the last reading of matrices that failed did so.
    enum class Failure {
        none,
        does_not_complete,  ///< a short step
        does_not_fit,       ///< responses do not obey the model
        moves_nothing,      ///< inputs move no output within the interval
        takes_too_long,     ///< the interval has too few internal steps
    };

    static bool can_be_used(const Capabilities& can) { return can.rollback && can.variable_step; }

    void prepare(const Interface& interface);
    /// Matrices and rates; false if responses do not obey such a model, or a short step does not
    /// complete.
    bool read(System& system, int s, Interval interval, ContinuousModel& model);
    /// Rates alone, by one short step and a model that is known; false if that moves nothing. With
    /// a model of zeros by two: jumps within the first one do not count.
    bool read_rates(System& system, int s, Interval interval, ContinuousModel& model);

    const Eigen::VectorXd& rates() const { return rates_; }
    /// All short steps so far, and those of one read().
    long steps() const { return steps_; }
    long steps_of_reading() const { return (inputs_ + 1) * parts_; }
    long readings() const { return readings_; }
    long failures() const { return failures_; }
    Failure failure() const { return failure_; }
    /// Internal steps of the subsystem, if there are any; and how long intervals must be for them.
    double internal_step() const { return internal_step_; }
    double shortest_interval() const { return static_cast<double>(parts_) * internal_step_; }

private:
    using Columns = Eigen::Ref<Eigen::MatrixXd>;
    double part_of(Interval interval) const;
    bool follow(System& system, int s, Interval interval, Columns outputs);
    bool perturb(System& system, int s, Interval interval);
    void roll_back(System& system, int s);
    void leave_out_jumps();
    bool respond(const System& system, int s);
    bool fit();
    Failure try_reading(System& system, int s, Interval interval, ContinuousModel& model);
    Failure find_internal_step(System& system, int s, Interval interval);
    int count_moves(System& system, int s, Interval interval, double& first, double& last);

    Eigen::Index outputs_ = 0, inputs_ = 0;
    Eigen::Index parts_ = 0;  ///< short steps from each start
    bool has_feed_through_ = false;
    std::vector<double> held_;  ///< inputs of short steps
    Eigen::VectorXd change_, rates_;
    Eigen::VectorXd input_changes_, scales_, rounding_;
    Eigen::MatrixXd free_;       ///< outputs with the inputs as they are, one column each time
    Eigen::MatrixXd responses_;  ///< the same for each input, one behind the other
    Eigen::MatrixXd search_;     ///< the same for all inputs, in finer steps
    Eigen::MatrixXd phi_, gamma_;
    numerics::LeastSquares least_squares_;
    std::vector<double> target_, solution_;
    long steps_ = 0, readings_ = 0, failures_ = 0;
    int searches_ = 0;
    double internal_step_ = 0.0;  ///< 0: none is known
    Failure failure_ = Failure::none;
};

}  // namespace tandem::coupling
