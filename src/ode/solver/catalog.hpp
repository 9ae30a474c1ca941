#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/registry.hpp"
#include "ode/solver/integrator.hpp"

namespace tandem::ode {

struct SolverRow {
    std::string name;
    std::string summary;  ///< one line
    std::vector<std::string> aliases = {};
    int highest_order = 0;         ///< that max_order can allow; 0: the method has one order only
    bool has_fixed_steps = false;  ///< equal ones, without error control
    bool has_one_step = true;      ///< a step needs nothing of the steps before it
    std::function<std::unique_ptr<Integrator>(const IntegratorSetup&)> make = {};
};

/// All integration methods.
Registry<SolverRow>& solvers();
const SolverRow& row_of(Method method);

}  // namespace tandem::ode
