#pragma once

#include <span>
#include <vector>

#include "core/network_model.hpp"
#include "coupling/network_solver.hpp"

namespace tandem::coupling {

/// Where the linear network goes from here: v' = rates + A v + B w + rate_slopes s, v(0) = 0, over
/// 0 <= s <= h, with its mean and first moment.
///
/// Taylor series to rounding, in as many parts as they need to converge fast. Where that would be
/// too many, fast modes have died out long before the end, and an L-stable Runge-Kutta method with
/// sparse factors follows the slow ones.
class NetworkFlow {
public:
    void prepare(const NetworkModel& network);
    void follow(const NetworkModel& network, double h);

    /// v(h); the integrals of v(x h) and x v(x h) over 0 <= x <= 1.
    std::span<const double> end() const { return end_; }
    std::span<const double> mean() const { return mean_; }
    std::span<const double> moment() const { return moment_; }
    /// v' at the end.
    void end_rates(const NetworkModel& network, std::span<double> rates);

private:
    bool follow_in_parts(const NetworkModel& network, double h);
    void rates_at(const NetworkModel& network, double s, std::span<double> rates);
    bool add_series(const NetworkModel& network, double begin, double length);
    void add_moments(double begin, double length);
    void follow_stiffly(const NetworkModel& network);
    void add_stiff_part(const NetworkModel& network, double begin, double length);
    bool is_negligible(double factor);

    NetworkModel::Signals signals_;
    NetworkSolver solver_;  // once a series was too long
    int stiff_runs_ = 0;    // until the series are tried again
    std::vector<std::vector<double>> stages_;
    int parts_ = 1;
    int terms_ = 0;  // of the longest series of the last run
    double h_ = 0.0;
    std::vector<double> end_, mean_, moment_;
    std::vector<double> coefficient_, next_, largest_, part_mean_, part_moment_, start_;
};

}  // namespace tandem::coupling
