#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tandem/extend/interval.hpp"
#include "tandem/extend/linear_model.hpp"
#include "tandem/extend/variables.hpp"

namespace tandem {

enum class Outcome {
    complete,       ///< reached the end of the interval
    early_return,   ///< stopped at `reached`, before the end; going on from there is right
    rejected,       ///< the interval cannot be done; restore and retry shorter
    not_converged,  ///< an iteration did not converge; restore and retry shorter
    terminated,     ///< the subsystem asks to end the run at `reached`
};

struct StepResult {
    Outcome outcome = Outcome::complete;
    double reached = 0.0;  ///< the time every involved subsystem has reached

    explicit operator bool() const { return outcome == Outcome::complete; }
};

/// What a subsystem can do beyond a plain step. Checked once, before the run.
struct Capabilities {
    bool rollback = false;      ///< save() and restore() work; steps after restore() repeat exactly
    bool serialise = false;     ///< its saved state can be turned into bytes
    bool jacobians = false;     ///< jacobian_times() works
    bool linear_model = false;  ///< linearise() works
    bool laws = false;          ///< an InputCourse may carry a law
    bool law_states = false;    ///< which may have states of its own
    bool law_outputs = false;   ///< a law may ask for outputs
    bool traces = false;        ///< keep_trace() and trace() work
    bool dense_traces = false;  ///< their rows are never further apart than an eighth of the step
    bool variable_step = false;  ///< intervals may differ in length
    int input_derivatives = 0;   ///< highest input derivative it takes
    int output_derivatives = 0;  ///< highest output derivative it gives
};

/// A connected real value of a subsystem.
struct Port {
    std::string name;
    std::string unit;
    double nominal = 1.0;
};

/// Output `output` depends directly (within the same instant) on input `input`.
struct FeedThrough {
    int output = 0;
    int input = 0;
};

struct Interface {
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    std::vector<FeedThrough> feed_through;
    Capabilities capabilities;
    bool may_stop_inside = false;  ///< events or early returns inside a step are to be expected
    bool uses_end_inputs = false;  ///< a step computes with inputs of its end, as implicit rules do
};

/// Names of ports. `outputs` may name any real variables: those that are no outputs become ports.
struct PortSelection {
    std::set<std::string> inputs, outputs;
};

class LawOutputs;

/// Where a law is asked.
struct LawPoint {
    double t = 0.0;
    std::span<const double> states;       ///< continuous ones, if it has capability linear_model
    std::span<const double> own = {};     ///< those of the law, and perhaps room behind them
    const LawOutputs* outputs = nullptr;  ///< capability law_outputs: null otherwise
};

/// What a law may ask of the subsystem.
class LawOutputs {
public:
    virtual ~LawOutputs() = default;
    /// The outputs at that point with these inputs. Those that follow inputs directly may be those
    /// of other inputs where the subsystem cannot tell.
    virtual void read(const LawPoint& point, std::span<const double> inputs,
                      std::span<double> outputs) const = 0;
};

/// A course the subsystem asks about while it integrates: inputs as a function of time, of the
/// subsystem's continuous states, and of states of its own that the subsystem integrates with them.
class Law {
public:
    virtual ~Law() = default;
    virtual void evaluate(const LawPoint& point, std::span<double> inputs) const = 0;

    /// How many states of its own it has, and their values where the course begins.
    virtual int state_count() const { return 0; }
    virtual void start(std::span<double> /*own*/) const {}
    /// The derivatives of its own states; `state_rates` are those of the subsystem's.
    virtual void rates(const LawPoint& /*point*/, std::span<const double> /*state_rates*/,
                       std::span<double> /*own_rates*/) const {}
};

/// What the inputs do inside the next interval: a value at its start, a polynomial, or a law.
///   u_i(t) = values[i] + sum over k = 1..order of derivatives[(k-1)*n + i] * (t - begin)^k / k!
struct InputCourse {
    std::span<const double> values;
    std::span<const double> derivatives = {};  ///< order-major, order * inputs entries
    int order = 0;
    const Law* law = nullptr;  ///< when given, it alone decides; `values` is its value at the start

    /// The polynomial of input i, `tau` after the start.
    double at(double tau, std::size_t i) const {
        double value = values[i];
        double power = 1.0;  // tau^k / k!
        for (std::size_t k = 1; k <= static_cast<std::size_t>(order); ++k) {
            power *= tau / static_cast<double>(k);
            value += derivatives[(k - 1) * values.size() + i] * power;
        }
        return value;
    }
};

/// The outputs inside a step, as the subsystem itself went through them.
struct OutputTrace {
    std::vector<double> times;   ///< that of the start first, that of the end last
    std::vector<double> values;  ///< a row of all outputs for each time; two at an event
    bool held = false;           ///< each row holds until the next; otherwise straight lines

    std::span<const double> row(std::size_t k) const {
        const std::size_t size = values.size() / times.size();
        return std::span(values).subspan(k * size, size);
    }
};

enum class StateSlot { step_begin, trial };
inline constexpr int state_slot_count = 2;

/// What is known of the experiment when a subsystem is initialised.
struct Experiment {
    double start = 0.0;
    std::optional<double> stop;
    std::optional<double> tolerance;
    std::optional<double> step = {};  ///< between communication points, where that is constant
};

/// Capability rollback: steps after restore() repeat exactly.
class Rollback {
public:
    virtual ~Rollback() = default;
    virtual void save(StateSlot slot) = 0;
    virtual void restore(StateSlot slot) = 0;
    /// It will not be restored any more, unless it is saved again.
    virtual void release(StateSlot /*slot*/) {}
    /// Capability serialise: the state now, as bytes appended to `bytes`, and back from them.
    virtual void serialise(std::vector<std::byte>& bytes);
    virtual void deserialise(std::span<const std::byte> bytes);
};

/// Capability traces: while on, trace() has the outputs of the last step from its start, with the
/// inputs it was given, as far as it came.
class Tracer {
public:
    virtual ~Tracer() = default;
    virtual void keep_trace(bool on) = 0;
    virtual const OutputTrace& trace() const = 0;
};

/// Capability laws.
class LawHost {
public:
    virtual ~LawHost() = default;
    /// Between steps: laws to come have up to that many states of their own, of these sizes; none
    /// without capability law_states. Without this call they have none.
    virtual void expect_law(std::span<const double> nominals) = 0;
    /// The inputs at the time last reached.
    virtual void get_inputs(std::span<double> inputs) = 0;
};

/// What outputs do at the time last reached.
class Linearisable {
public:
    virtual ~Linearisable() = default;
    /// d_outputs = dy/du * d_inputs. Capability jacobians.
    virtual void jacobian_times(std::span<const double> d_inputs, std::span<double> d_outputs);
    /// The linear model with the inputs as they were set. The same sizes every time. Capability
    /// linear_model.
    virtual void linearise(LinearModel& model, LinearParts parts);
    /// Derivative `order` of the outputs. False: it is not known there. Capability
    /// output_derivatives.
    [[nodiscard]] virtual bool get_output_derivatives(int order, std::span<double> derivatives);
};

/// What a subsystem can do beyond steps; null: it cannot. Its capabilities say more exactly what
/// may be called.
struct Facets {
    Rollback* rollback = nullptr;
    Tracer* tracer = nullptr;
    LawHost* laws = nullptr;
    Linearisable* linear = nullptr;
};

/// Those that the subsystem is, by its base classes.
template <class Derived>
Facets facets_of(Derived* subsystem) {
    Facets facets;
    if constexpr (std::is_base_of_v<Rollback, Derived>) facets.rollback = subsystem;
    if constexpr (std::is_base_of_v<Tracer, Derived>) facets.tracer = subsystem;
    if constexpr (std::is_base_of_v<LawHost, Derived>) facets.laws = subsystem;
    if constexpr (std::is_base_of_v<Linearisable, Derived>) facets.linear = subsystem;
    return facets;
}

/// One partner of the coupling: a CS FMU, an ME FMU with its solver, a native model, or a
/// proxy of one in another process. It sees only its own inputs and outputs.
///
/// Life: enter_initialisation -> (set_inputs, get_outputs)* -> exit_initialisation ->
/// (set_inputs, step, get_outputs)* -> finish. save/restore and jacobian_times any time between
/// exit_initialisation and finish.
class Subsystem {
public:
    Subsystem() = default;
    virtual ~Subsystem() = default;
    Subsystem& operator=(const Subsystem&) = delete;

    virtual const std::string& name() const = 0;
    virtual const Interface& interface() const = 0;
    /// All variables of the subsystem, for parameters, recording and values that are not real.
    virtual Variables& variables() = 0;

    /// Before initialisation: only these ports are connected. The subsystem may drop others from
    /// its interface; inputs it drops keep their start values.
    virtual void select_ports(const PortSelection& selection);

    virtual void enter_initialisation(const Experiment& experiment) = 0;
    virtual void exit_initialisation() = 0;
    virtual void finish() = 0;

    virtual void set_inputs(const InputCourse& course) = 0;
    virtual StepResult step(Interval interval) = 0;
    /// set_inputs(), step() and, if that completes, get_outputs(). Here: just that.
    virtual StepResult exchange_step(const InputCourse& course, Interval interval,
                                     std::span<double> outputs);
    /// Writes the outputs at the time last reached.
    virtual void get_outputs(std::span<double> outputs) = 0;

    // What facets do. Asking for one that is not there breaks a promise: capabilities are checked
    // before the run.
    void save(StateSlot slot) { rollback().save(slot); }
    void restore(StateSlot slot) { rollback().restore(slot); }
    void release(StateSlot slot) { rollback().release(slot); }
    void serialise(std::vector<std::byte>& bytes) { rollback().serialise(bytes); }
    void deserialise(std::span<const std::byte> bytes) { rollback().deserialise(bytes); }
    void keep_trace(bool on) {
        if (on || facets_.tracer != nullptr) tracer().keep_trace(on);
    }
    const OutputTrace& trace() const { return tracer().trace(); }
    void expect_law(std::span<const double> nominals) {
        if (!nominals.empty() || facets_.laws != nullptr) laws().expect_law(nominals);
    }
    void get_inputs(std::span<double> inputs) { laws().get_inputs(inputs); }
    void jacobian_times(std::span<const double> d_inputs, std::span<double> d_outputs) {
        linear().jacobian_times(d_inputs, d_outputs);
    }
    void linearise(LinearModel& model, LinearParts parts) { linear().linearise(model, parts); }
    [[nodiscard]] bool get_output_derivatives(int order, std::span<double> derivatives) {
        return linear().get_output_derivatives(order, derivatives);
    }
    const Facets& facets() const { return facets_; }

protected:
    /// A copy has no facets until it says so itself.
    Subsystem(const Subsystem& /*other*/) {}

    /// A constructor says facets_ = facets_of(this).
    Facets facets_;

private:
    Rollback& rollback() const;
    Tracer& tracer() const;
    LawHost& laws() const;
    Linearisable& linear() const;
};

}  // namespace tandem
