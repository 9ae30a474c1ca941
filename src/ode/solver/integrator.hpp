#pragma once

#include <memory>
#include <span>
#include <string>

#include "ode/solver/solver.hpp"

namespace tandem::ode {

/// One integration method without event finding: the part in which the methods differ.
class Integrator {
public:
    virtual ~Integrator() = default;
    /// Begins at (t, x), forgetting all history, with steps of about `initial_step` (0: own guess).
    virtual void restart(double t, std::span<const double> x, double initial_step) = 0;
    /// The absolute tolerance of each state, from the next restart on.
    virtual void set_tolerances(double relative, std::span<const double> absolute) = 0;
    /// One internal step of at most stop - time(); false when the method cannot go on.
    [[nodiscard]] virtual bool advance(double stop, std::span<double> x) = 0;
    /// The time reached; after a step up to the stop exactly the stop.
    virtual double time() const = 0;
    /// x at a time inside the last internal step; false when it cannot be evaluated there.
    [[nodiscard]] virtual bool interpolate(double t, std::span<double> x) = 0;
    virtual double last_step() const = 0;
    /// A good initial_step for a restart here; 0 where the method's own guess is better.
    virtual double step_hint() const = 0;
    virtual const std::string& failure() const = 0;
};

/// The integrators count into `statistics`, which must outlive them like `problem`.
struct IntegratorSetup {
    const SolverOptions& options;
    OdeProblem& problem;
    SolverStatistics& statistics;
};

std::unique_ptr<Integrator> make_cvode(const IntegratorSetup& setup);
std::unique_ptr<Integrator> make_explicit_runge_kutta(const IntegratorSetup& setup);
std::unique_ptr<Integrator> make_fixed_step(const IntegratorSetup& setup);
/// For problems without states.
std::unique_ptr<Integrator> make_stateless(const IntegratorSetup& setup);

}  // namespace tandem::ode
