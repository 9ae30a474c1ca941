#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/network_model.hpp"
#include "coupling/interface/interface_source.hpp"
#include "coupling/network/time_slopes.hpp"
#include "numerics/correction_limits.hpp"
#include "tandem/extend/coupling.hpp"

namespace tandem::coupling {

class InterfaceModel;

struct LinearisationOptions {
    int every = 1;  ///< macro steps from one reading of the matrices to the next
    /// The matrices are read as soon as a rate is that part of its size off what they say; 0: only
    /// by counting.
    double drift = 0.0;
    InterfaceSource interface = InterfaceSource::automatic;  ///< of what gives no linear model
    std::vector<GivenJacobian> given = {};                   ///< in any order
};

/// Keeps the linear model of a system up to date, step by step.
///
/// Subsystems that give no linear model get one as their interface shows it (InterfaceModel).
class Linearisation {
public:
    Linearisation();
    ~Linearisation();
    Linearisation(Linearisation&&) noexcept;
    Linearisation& operator=(Linearisation&&) noexcept;

    /// Whether the model of subsystem s will have states, its own or as its interface shows it.
    static bool has_states(const Subsystem& subsystem, const LinearisationOptions& options);
    void prepare(System& system, LinearisationOptions options);
    /// The order of what is predicted by the network. 3: signals err by the third power of the step
    /// only, as states do: what feeds inputs is affine in time, states and inputs, as far as that
    /// can be known, and every matrix belongs to the start of its step. 1: a subsystem does not
    /// show its rates at the start of a step.
    int order(System& system, double step) const;
    /// In most steps so far slopes took the place of a model: the order is 1.
    bool falls_back() const;
    /// Those of a coupling by the network, if its order is that while models are found.
    CouplingTraits traits(int order) const;
    /// Whether the outputs of subsystem s are known to be affine.
    bool has_affine_outputs(System& system, int s, double step) const;
    /// Hands all subsystems the inputs that their sources give at the start, then reads the linear
    /// model there. Subsystems may take short steps inside the interval, and go back. Throws
    /// NumericsError if an algebraic loop does not converge.
    void begin_step(System& system, Interval interval);
    /// Outputs that follow inputs directly become those of the inputs that their sources give at
    /// the end. Throws likewise.
    void end_step(System& system, Interval interval);
    /// What the inputs of subsystem s do in that step.
    void keep_course(int s, const InputCourse& course, double length);
    void reset_history();

    /// Of each subsystem, see InterfaceModel; those of the matrices that were read last, until
    /// prepare().
    std::vector<std::span<const double>> doubts() const;
    NetworkModel& network() { return network_; }
    long readings() const { return readings_; }
    /// About subsystems that give no linear model.
    CouplingReport report(const System& system) const;

private:
    /// A subsystem whose outputs are read again with new inputs, or the loop that it belongs to.
    struct LoopPart {
        int subsystem = 0;
        int loop = -1;                                          ///< block of the network
        std::optional<numerics::CorrectionLimits> limits = {};  ///< of a loop
    };
    enum class Accepts { corrections, rounding };
    void prepare_model(System& system, int s, LinearModel& model);
    bool shows_rates(const Subsystem& subsystem) const;
    void prepare_settling(const System& system);
    void solve_feedthrough(System& system, Interval interval, double t);
    bool solve_loops(System& system, double t, int iterations, Accepts accepts);
    bool solve_loop(System& system, LoopPart& part, double t, int iterations);
    bool is_converged(const LoopPart& part, bool are_new, bool was_corrected) const;
    bool is_converged_to_rounding(const LoopPart& part) const;
    void give_all_inputs(System& system, double t);
    void give_inputs(System& system, int s, double t);
    void read(System& system, Interval interval, LinearParts parts);
    void read_feed_through(System& system, Interval interval);
    void read_feed_through_of(System& system, int s);
    bool is_outdated(System& system, double t);
    bool has_drifted(System& system, double t);
    void keep_reference(System& system, double t);

    LinearisationOptions options_;
    NetworkModel network_;
    std::vector<std::string> names_;  // of subsystems
    std::vector<LoopPart> loop_parts_;
    std::vector<int> with_model_;
    std::vector<TimeSlopes> time_slopes_;  // of with_model that do not tell them
    std::vector<std::unique_ptr<InterfaceModel>> black_boxes_;
    std::vector<int> black_box_of_;  // subsystem -> its number among them, or -1
    std::vector<int> drifting_;      // subsystems whose rates are known beside the matrices
    bool wants_matrices_ = true;
    int steps_since_ = 0;
    double begin_ = std::numeric_limits<double>::quiet_NaN();
    long readings_ = 0;

    struct Reference {
        double t = 0.0;
        std::vector<double> states, rates, inputs;
    } reference_;
    std::vector<double> sizes_, expected_;
    struct Work {
        std::vector<double> before, residuals, residuals_before, changes;
        void resize(std::size_t size);
    };
    Work loop_;
    bool has_loops_ = false;
    double feed_through_read_at_ = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> seed_, column_;
    std::vector<double> first_outputs_;
};

}  // namespace tandem::coupling
