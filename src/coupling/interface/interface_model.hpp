#pragma once

#include <string>

#include "coupling/interface/interface_differences.hpp"
#include "coupling/interface/interface_identification.hpp"
#include "coupling/interface/interface_source.hpp"
#include "coupling/past_steps.hpp"
#include "tandem/extend/coupling.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::coupling {

/// The linear model of a subsystem that gives none itself, as its interface shows it: its outputs
/// are the states,
///   y' = rates + dS/dy (y - y_now) + dS/du (u - u_now).
/// Without a source for that, the outputs go on with their slope, as they tell it or as it was over
/// the last step. Outputs that follow inputs directly in an algebraic loop are
///   y = (all of the above) + D (u - u_now),
/// where D comes from differences at one instant, without a step.
class InterfaceModel {
public:
    /// The source that is used where `wanted` is asked for; `given` is null if nothing is given.
    static InterfaceSource source_of(const Subsystem& subsystem, InterfaceSource wanted,
                                     const GivenJacobian* given);

    /// `source` can be used. Gives `model` its sizes.
    void prepare(const System& system, int s, InterfaceSource source, LinearModel& model);
    /// Source given: what is given. Wrong names throw InputError.
    void take(const Interface& interface, const GivenJacobian& given);
    /// The subsystem belongs to an algebraic loop. After prepare().
    void join_loop() { reads_feed_through_ = true; }
    /// D alone, at the time last reached, where the subsystem has the inputs of the system.
    void read_feed_through(System& system, LinearModel& model);
    /// The model at interval.begin, where outputs and inputs of the system are; short steps are
    /// parts of the interval.
    void read(System& system, Interval interval, LinearModel& model, LinearParts parts);
    /// After reading the point: whether the matrices would come from elsewhere now.
    bool is_outdated();
    /// What the inputs do in the step that begins where the model was read.
    void keep_course(const InputCourse& course, double length);
    void reset_history();

    int subsystem() const { return subsystem_; }
    InterfaceSource source() const { return source_; }
    /// R, square: R du has the size of what dS/du misses of the response to du over a step, of all
    /// outputs by their nominals. Empty: not known.
    std::span<const double> doubt() const {
        return {doubt_.data(), static_cast<std::size_t>(doubt_.size())};
    }
    long extra_steps() const { return differences_.steps(); }
    /// What is done instead of asking the subsystem, in words; empty if it is what the user says.
    std::string note() const;
    /// In most steps so far the source could not do its part, and slopes took its place.
    bool falls_back() const;
    /// What the source could not do in the steps so far, in words with a hint; empty: nothing.
    std::string warning() const;

private:
    struct Kept {
        double t = 0.0;
        Eigen::VectorXd y, u, slopes;
        bool has_course = false;
        Eigen::VectorXd course, course_slope;  ///< straight
        InterfaceIdentification::Known known;
    };
    void prepare_source(const Interface& interface, Kept& kept);
    void find_feed_through(System& system);
    void remember(System& system, double t);
    void find_slopes(System& system);
    void find_change(const Kept& last, const Kept& now);
    bool read_output_derivatives(System& system);
    void recall_course();
    void learn(const Kept& last, Kept& now);
    void read_given(System& system, Interval interval);
    void read_differences(System& system, Interval interval, LinearParts parts);
    void read_identified(LinearParts parts);
    bool find_identified();
    std::string warning_of_differences() const;
    void find_rates();
    void find_rates_from_last_step();
    void write(LinearModel& model);

    int subsystem_ = 0;
    InterfaceSource source_ = InterfaceSource::slopes;
    bool tells_slopes_ = false, goes_back_ = false;
    Eigen::Index outputs_ = 0, inputs_ = 0;
    bool reads_feed_through_ = false, is_told_ = false;
    Eigen::MatrixXd feed_through_;
    std::vector<double> probed_inputs_, first_outputs_, probed_outputs_, told_;

    ContinuousModel model_;
    InterfaceDifferences differences_;
    InterfaceIdentification identification_;
    PastSteps<Kept> past_;
    const Kept* last_ = nullptr;             ///< the one before the newest, if there is one
    InterfaceIdentification::Known learnt_;  ///< until the last discontinuity
    InterfaceIdentification::Flags used_;    ///< outputs that the model in use is trusted for
    long readings_ = 0, unused_ = 0;         ///< of points; those without an identified model
    Eigen::VectorXd rates_, nominals_, jump_, slope_, means_, change_, input_change_;
    Eigen::MatrixXd phi_, gamma_, doubt_;
};

}  // namespace tandem::coupling
