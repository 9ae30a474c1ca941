#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

struct SolverResult {
    enum class Reason { step, stop, root, failed } reason = Reason::step;
    double t = 0.0;
};

struct SolverStatistics {
    long steps = 0, rejected = 0, derivative_calls = 0, jacobian_calls = 0, indicator_calls = 0,
         restarts = 0;
};

inline constexpr std::string_view events_accumulate = "its events accumulate (Zeno behaviour)";

/// One integration method on one OdeProblem.
class Solver {
public:
    virtual ~Solver() = default;
    /// (Re)starts at (t, x), forgetting all history. Must come before the first step.
    virtual void restart(double t, std::span<const double> x, std::span<const double> nominals) = 0;
    /// One internal step (from a root on: the rest of it), never beyond `stop`; ends exactly at
    /// `stop` when it gets there, and at the first root of an indicator otherwise (just behind it,
    /// so that the sign has changed).
    virtual SolverResult step(double stop, std::span<double> x) = 0;
    /// x at a time inside the last internal step (dense output). False: not to be had there.
    [[nodiscard]] virtual bool interpolate(double t, std::span<double> x) = 0;
    /// Indicators may have jumped (an event that left the derivatives alone): no root from that.
    virtual void look_again() = 0;
    /// The step size to begin with after the next restart; 0: the solver's own guess.
    virtual void suggest_initial_step(double h) = 0;
    virtual double last_step() const = 0;
    /// A good step size to begin with if the solver were restarted now; 0: its own guess.
    virtual double step_hint() const = 0;
    /// Where the last internal step ends. Behind a root this lies ahead; the next step() without a
    /// restart goes on inside that same internal step.
    virtual double internal_time() const = 0;
    /// Why the last step failed, in words. Or `events_accumulate`: an indicator in roots() turned
    /// back before it came to zero again, from where the last event has sent it there.
    virtual const std::string& failure() const = 0;
    virtual const SolverStatistics& statistics() const = 0;
    /// Which indicators changed sign at the last root: -1, 0, +1 each.
    virtual std::span<const int> roots() const = 0;
};

std::unique_ptr<Solver> make_solver(const SolverOptions& options, OdeProblem& problem);

}  // namespace tandem::ode
