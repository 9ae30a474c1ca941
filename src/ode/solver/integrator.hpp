#pragma once

#include <memory>

#include "tandem/extend/solver.hpp"

namespace tandem::ode {

std::unique_ptr<Integrator> make_cvode(const IntegratorSetup& setup);
std::unique_ptr<Integrator> make_explicit_runge_kutta(const IntegratorSetup& setup);
std::unique_ptr<Integrator> make_fixed_step(const IntegratorSetup& setup);
/// For problems without states.
std::unique_ptr<Integrator> make_stateless(const IntegratorSetup& setup);

}  // namespace tandem::ode
