#pragma once

#include <memory>
#include <span>

#include "core/network_model.hpp"

namespace tandem::coupling {

/// Solves (I - gamma M) v = r, where M v is what a network's states do to their derivatives, with
/// sparse factors. The work grows with the links of the network, not with the square of its size.
class NetworkSolver {
public:
    NetworkSolver();
    ~NetworkSolver();
    NetworkSolver(NetworkSolver&&) noexcept;
    NetworkSolver& operator=(NetworkSolver&&) noexcept;

    void prepare(const NetworkModel& network);
    /// Throws NumericsError if the matrix is singular.
    void factor(const NetworkModel& network, double gamma);
    void solve(std::span<const double> r, std::span<double> v);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::coupling
