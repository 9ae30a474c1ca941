#pragma once

#include <span>
#include <vector>

#include "core/network_model.hpp"
#include "coupling/network/network_solver.hpp"

namespace tandem::coupling {

/// How a linear network is followed.
enum class FlowRule {
    exact,           ///< to rounding
    trapezoidal,     ///< one step of the rule
    backward_euler,  ///< linearly implicit steps
};
struct FlowMethod {
    FlowRule rule = FlowRule::exact;
    int steps = 1;  ///< of backward_euler
    /// Of exact: terms below this part of the largest are left out.
    double precision = 1e-17;
};

/// Where the linear network goes: v' = M v + constant + slope s over 0 <= s <= h, with its mean and
/// first moment. M v is what deviations of the states do to their rates.
///
/// `exact` are Taylor series to rounding, in as many parts as they need to converge fast. Where
/// that would be too many, fast modes have died out long before the end, and an L-stable
/// Runge-Kutta method with sparse factors follows the slow ones. Between its ends, the trapezoidal
/// rule is the parabola that goes with it, backward Euler a straight line.
class NetworkFlow {
public:
    void prepare(const NetworkModel& network, FlowMethod method = {});
    /// What drives v, for each state.
    struct Drive {
        std::span<const double> constant, slope;
    };
    /// From v = start (empty: 0) at the time `begin` after the present, with what drives the
    /// network itself: its rates, and what changes with time.
    void follow(const NetworkModel& network, double h, std::span<const double> start = {},
                double begin = 0.0);
    /// From v = start with another drive.
    void follow_driven(const NetworkModel& network, double h, std::span<const double> start,
                       Drive drive);
    /// The matrices of the network are others than in the last run.
    void forget_factors() { factored_ = 0.0; }

    /// v(h); the integrals of v(x h) and x v(x h) over 0 <= x <= 1.
    std::span<const double> end() const { return end_; }
    std::span<const double> mean() const { return mean_; }
    std::span<const double> moment() const { return moment_; }
    /// v' at the start and at the end.
    void begin_rates(const NetworkModel& network, std::span<double> rates);
    void end_rates(const NetworkModel& network, std::span<double> rates);

private:
    void follow_exactly(const NetworkModel& network);
    bool follow_in_parts(const NetworkModel& network);
    void rates_at(const NetworkModel& network, double s, std::span<double> rates) {
        rates_of(network, end_, s, rates);
    }
    void rates_of(const NetworkModel& network, std::span<const double> v, double s,
                  std::span<double> rates);
    bool add_series(const NetworkModel& network, double begin, double length);
    void add_moments(double begin, double length);
    void follow_stiffly(const NetworkModel& network);
    void add_stiff_part(const NetworkModel& network, double begin, double length);
    void follow_by_rule(const NetworkModel& network);
    void add_rule_part(const NetworkModel& network, double begin, double length);
    void factor(const NetworkModel& network, double gamma);
    bool is_negligible(double factor);
    void start_again();

    FlowMethod method_;
    Drive drive_;
    std::span<const double> first_;  // v at s = 0
    NetworkModel::Signals signals_;
    NetworkSolver solver_;   // once a series was too long, and for rules
    double factored_ = 0.0;  // gamma of its factors; 0: those of another network
    int stiff_runs_ = 0;     // until the series are tried again
    std::vector<std::vector<double>> stages_;
    int parts_ = 1;
    int terms_ = 0;  // of the longest series of the last run
    double h_ = 0.0;
    std::vector<double> end_, mean_, moment_;
    std::vector<double> coefficient_, next_, largest_, part_mean_, part_moment_, start_;
    std::vector<double> zero_, own_constant_, own_slope_;
};

}  // namespace tandem::coupling
