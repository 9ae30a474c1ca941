#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ode/solver/integrator.hpp"
#include "tandem/extend/solver.hpp"

namespace tandem::ode {

Registry<SolverRow>& solvers() {
    static Registry<SolverRow> rows("solver",
                                    {{.name = "cvode",
                                      .summary = "CVODE with BDF of order 1 to 5, for stiff models",
                                      .highest_order = 5,
                                      .has_one_step = false,
                                      .make = make_cvode},
                                     {.name = "cvode_adams",
                                      .summary = "CVODE with Adams' methods of order 1 to 12",
                                      .highest_order = 12,
                                      .has_one_step = false,
                                      .make = make_cvode},
                                     {.name = "dopri5",
                                      .summary = "Dormand and Prince's method of order 5(4)",
                                      .make = make_explicit_runge_kutta},
                                     {.name = "rk4",
                                      .summary = "Runge and Kutta's method of order 4, equal steps",
                                      .has_fixed_steps = true,
                                      .make = make_fixed_step},
                                     {.name = "euler",
                                      .summary = "the explicit Euler method, equal steps",
                                      .has_fixed_steps = true,
                                      .make = make_fixed_step}});
    return rows;
}

const SolverRow& row_of(Method method) {
    const SolverRow* row = solvers().find(method.name());
    expects(row != nullptr, "the method is one of the known ones");
    return *row;
}

Method method_from(std::string_view name) {
    if (const SolverRow* row = solvers().find(name)) return Method(row->name);
    throw InputError("solver", fmt::format("'{}' is not known", name),
                     fmt::format("choose one of {}", fmt::join(solvers().names(), ", ")));
}

bool has_fixed_steps(Method method) { return row_of(method).has_fixed_steps; }

}  // namespace tandem::ode
