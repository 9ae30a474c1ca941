#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/extend/registry.hpp"

namespace tandem::ode {

struct SparseColumns;

/// dx = f(t, x), z = indicators(t, x): what a solver sees. Inputs are already inside.
class OdeProblem {
public:
    virtual ~OdeProblem() = default;
    virtual int size() const = 0;
    virtual int indicator_count() const = 0;
    /// False: not here; the solver tries a shorter step.
    [[nodiscard]] virtual bool derivatives(double t, std::span<const double> x,
                                           std::span<double> dx) = 0;
    [[nodiscard]] virtual bool indicators(double t, std::span<const double> x,
                                          std::span<double> z) = 0;
    /// The Jacobian df/dx, dense and column-major. Returns false if the point cannot be evaluated.
    [[nodiscard]] virtual bool jacobian(double t, std::span<const double> x,
                                        std::span<const double> dx, std::span<double> matrix) = 0;
    /// Where df/dx can be nonzero, if that is worth a sparse solver now; then sparse_jacobian()
    /// gives these entries. Null: it is not.
    virtual const SparseColumns* sparsity() const { return nullptr; }
    [[nodiscard]] virtual bool sparse_jacobian(double, std::span<const double>, std::span<double>) {
        return false;
    }
};

/// An integration method, by its name in solvers().
class Method {
public:
    static const Method cvode_bdf, cvode_adams, dopri5, rk4, euler;

    constexpr explicit Method(std::string_view name) : name_(name) {}
    constexpr std::string_view name() const { return name_; }
    constexpr bool operator==(const Method&) const = default;

private:
    std::string_view name_;  // that of the row, which stays where it is
};
inline constexpr Method Method::cvode_bdf{"cvode"}, Method::cvode_adams{"cvode_adams"},
    Method::dopri5{"dopri5"}, Method::rk4{"rk4"}, Method::euler{"euler"};

struct SolverOptions {
    Method method = Method::cvode_bdf;
    double relative_tolerance = 1e-6;
    double absolute_tolerance = 0.0;  ///< of each state; 0: relative_tolerance * nominal
    std::vector<double> absolute_tolerances = {};  ///< of single states; 0 or missing: as above
    double fixed_step = 0.0;  ///< of euler and rk4; 0: one hundredth of the first interval
    double max_step = 0.0;    ///< 0: no limit
    int max_order = 0;        ///< of cvode and cvode_adams; 0: that of the method, 5 and 12
    int max_steps = 500000;   ///< between two stops
};

inline std::string_view to_string(Method method) { return method.name(); }
/// A name of solvers(). Throws InputError for another one.
Method method_from(std::string_view name);
/// Equal steps without error control, as those of rk4 and euler.
bool has_fixed_steps(Method method);

struct SolverStatistics {
    long steps = 0, rejected = 0, derivative_calls = 0, jacobian_calls = 0, indicator_calls = 0,
         restarts = 0;
};

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

/// Integrators count rejected steps and evaluations into `statistics`; steps and restarts are
/// counted for them. It must outlive them like `problem`.
struct IntegratorSetup {
    const SolverOptions& options;
    OdeProblem& problem;
    SolverStatistics& statistics;
};

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
