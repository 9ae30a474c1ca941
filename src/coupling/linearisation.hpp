#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/network_model.hpp"
#include "extrapolate/polynomial.hpp"

namespace tandem::coupling {

struct LinearisationOptions {
    int every = 1;  ///< macro steps from one reading of the matrices to the next
    /// The matrices are read as soon as a rate is that part of its size off what they say; 0: only
    /// by counting.
    double drift = 0.0;
};

/// Keeps the linear model of a system up to date, step by step.
///
/// Subsystems that give no linear model are signals without states: their outputs go on with their
/// slope, as they tell it or as their last two values have it.
class Linearisation {
public:
    void prepare(System& system, LinearisationOptions options);
    /// Hands all subsystems the inputs that their sources give at t, then reads the linear model
    /// there.
    void begin_step(System& system, double t);
    void forget();

    NetworkModel& network() { return network_; }
    long readings() const { return readings_; }

private:
    /// A subsystem whose outputs are read again with new inputs, or the loop that it belongs to.
    struct Settling {
        int subsystem = 0;
        int loop = -1;  ///< block of the network
    };
    struct Outsider {
        int subsystem = 0;
        bool tells_slopes = false;
        extrapolate::History history;
    };
    void prepare_settling(const System& system);
    void settle(System& system, double t);
    void settle_loop(System& system, std::size_t block, double t);
    void give_inputs(System& system, int s, double t);
    void read(System& system, double t, LinearParts parts);
    void read_outsider(System& system, Outsider& outsider, double t);
    bool has_drifted(System& system, double t);
    void keep_reference(System& system, double t);

    LinearisationOptions options_;
    NetworkModel network_;
    std::vector<Settling> settling_;
    std::vector<int> insiders_;
    std::vector<Outsider> outsiders_;
    bool wants_matrices_ = true;
    int steps_since_ = 0;
    double begin_ = std::numeric_limits<double>::quiet_NaN();
    long readings_ = 0;

    struct Reference {
        double t = 0.0;
        std::vector<double> states, rates, inputs;
    } reference_;
    std::vector<double> sizes_, expected_, loop_;
};

}  // namespace tandem::coupling
