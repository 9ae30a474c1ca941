#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fmi/description/model_description.hpp"
#include "fmi/input_law.hpp"
#include "tandem/value.hpp"

namespace tandem::fmi {

class Fmu;

enum class Status { ok, warning, discard, error, fatal, pending };
std::string_view to_string(Status status);

/// Reached inside a step of an FMI 3.0 Co-Simulation FMU with intermediate update.
struct IntermediatePoint {
    double time = 0.0;
    bool inputs_may_be_set = false;
    bool outputs_may_be_read = false;
    bool step_finished = false;
    bool can_return_early = false;
};

struct InstanceOptions {
    std::string name = "fmu";
    bool fmu_logging = false;  ///< asks the FMU for its debug log
    /// A message of the FMU: status, category, text. Default: to Tandem's log.
    std::function<void(Status, const std::string&, const std::string&)> on_message;
    /// One line for each FMI call, e.g. "fmi2DoStep(0, 0.01, true) -> OK". Empty: calls not logged.
    std::function<void(const std::string&)> on_call;
    bool event_mode = false;    ///< CS FMI 3.0: the importer handles events
    bool early_return = false;  ///< CS FMI 3.0: the importer accepts early return
    /// CS FMI 3.0: called at intermediate points; returns true to ask for an early return.
    std::function<bool(const IntermediatePoint&)> on_intermediate;
    std::vector<ValueReference> intermediate_variables;
    /// CS: laws for inputs, where the FMU takes them. False: it is as if it did not.
    bool input_laws = true;
    bool rollback = true;  ///< False: it is as if it could not get and set its state.
};

struct ExperimentSetup {
    double start = 0.0;
    std::optional<double> stop;
    std::optional<double> tolerance;
    std::optional<double> step = {};  ///< between communication points, where that is constant
};

/// Opaque handle of a saved FMU state. Freed through the Instance that made it.
using FmuState = void*;

struct EventInfo {
    bool again = false;  ///< another update is needed before time may go on
    bool terminate = false;
    bool nominals_changed = false;
    bool states_changed = false;
    std::optional<double> next_event_time;
};

/// One instance of an FMU: what is common to both kinds and to all FMI versions.
///
/// Life: constructed (instantiated) -> set_up_experiment -> set start values ->
/// enter_initialization -> exit_initialization -> ... -> terminate -> destroyed (freed).
/// Destruction is right in every state, also after errors; after a fatal status nothing of the FMU
/// is called any more. Every function throws FmuError when the FMU answers error or fatal, and
/// InputError when the FMU does not have the function at all. Those that return bool are optional:
/// false says that the FMU did not do it, and the run goes on without. Empty lists are never passed
/// on to the FMU. An instance may live in another process: nothing here assumes shared memory.
class Instance {
public:
    virtual ~Instance() = default;

    virtual const std::string& name() const = 0;
    virtual const Fmu& fmu() const = 0;
    virtual const KindInfo& info() const = 0;
    /// It says that its state can be saved and restored, and that is not switched off.
    virtual bool can_roll_back() const = 0;

    /// Float64 (FMI 3.0) or Real; array variables lie flat. The fast path of every macro step.
    virtual void get(std::span<const ValueReference> references, std::span<double> values) = 0;
    virtual void set(std::span<const ValueReference> references,
                     std::span<const double> values) = 0;
    /// Variables of any one type. `get` fills `values` (its list of that type, sized by the
    /// caller).
    virtual void get(ValueType type, std::span<const ValueReference> references,
                     Values& values) = 0;
    virtual void set(ValueType type, std::span<const ValueReference> references,
                     const Values& values) = 0;
    [[nodiscard]] virtual bool try_get(std::span<const ValueReference> references,
                                       std::span<double> values) = 0;
    [[nodiscard]] virtual bool try_get(ValueType type, std::span<const ValueReference> references,
                                       Values& values) = 0;

    /// Some FMUs forget what was set before they were told of the experiment.
    virtual void set_up_experiment(const ExperimentSetup& setup) = 0;
    /// Sets up the experiment if that was not done.
    virtual void enter_initialization(const ExperimentSetup& setup) = 0;
    virtual void exit_initialization() = 0;
    virtual void terminate() = 0;
    virtual void reset() = 0;

    /// FMI 3.0: structural parameters may be set between these two, before initialization.
    virtual void enter_configuration_mode() = 0;
    virtual void exit_configuration_mode() = 0;

    /// What the FMU does not do here, although it says so, is a RollbackError.
    /// Saves into `state`: reuses the handle it holds, or makes one if it is null.
    virtual void get_state(FmuState& state) = 0;
    virtual void set_state(FmuState state) = 0;
    virtual void free_state(FmuState& state) = 0;
    virtual std::vector<std::byte> serialize(FmuState state) = 0;
    virtual void deserialize(std::span<const std::byte> bytes, FmuState& state) = 0;

    /// sensitivity = d(unknowns)/d(knowns) * seed. False also if that is no finite number.
    [[nodiscard]] virtual bool directional_derivative(std::span<const ValueReference> unknowns,
                                                      std::span<const ValueReference> knowns,
                                                      std::span<const double> seed,
                                                      std::span<double> sensitivity) = 0;
    /// FMI 3.0: sensitivity = seed^T * d(unknowns)/d(knowns)
    virtual void adjoint_derivative(std::span<const ValueReference> unknowns,
                                    std::span<const ValueReference> knowns,
                                    std::span<const double> seed,
                                    std::span<double> sensitivity) = 0;

    /// Event mode: FMI 2.0/3.0 ME, and FMI 3.0 CS with InstanceOptions::event_mode.
    virtual void enter_event_mode() = 0;
    /// One pass of the event iteration. FMI 1.0: the whole iteration.
    virtual EventInfo update_discrete_states() = 0;

    /// Clocks of FMI 3.0.
    virtual void get_clocks(std::span<const ValueReference> clocks, std::span<bool> active) = 0;
    virtual void set_clocks(std::span<const ValueReference> clocks,
                            std::span<const bool> active) = 0;
    /// Interval in seconds of each clock; nullopt where the FMU has not yet (or no longer) one.
    virtual void get_clock_intervals(std::span<const ValueReference> clocks,
                                     std::span<std::optional<double>> intervals) = 0;
    virtual void set_clock_intervals(std::span<const ValueReference> clocks,
                                     std::span<const double> intervals) = 0;
};

enum class DoStepOutcome {
    complete,    ///< reached the end
    early,       ///< FMI 3.0: returned early at `reached`
    discarded,   ///< could not do the step; reached `reached` (FMI 2.0 LastSuccessfulTime)
    terminated,  ///< the FMU wants the simulation to end
};

struct DoStepResult {
    DoStepOutcome outcome = DoStepOutcome::complete;
    double reached = 0.0;
    bool event_needed = false;  ///< FMI 3.0: enter event mode now
};

/// The real values that go in before a step and come out after it.
struct StepExchange {
    std::span<const ValueReference> inputs;
    std::span<const double> values;
    std::span<const ValueReference> outputs;
    std::span<double> results;
};

class CoSimulation : public Instance {
public:
    /// set(), do_step() and, unless the step was discarded or terminates, get(), in one go.
    virtual DoStepResult exchange_step(const StepExchange& exchange, double begin, double end,
                                       bool no_rollback) = 0;
    /// Steps from `begin` to `end`. Waits for an asynchronous FMU (pending). `no_rollback`: the
    /// importer will not go back before `begin`.
    virtual DoStepResult do_step(double begin, double end, bool no_rollback) = 0;
    /// FMI 1.0/2.0: derivative `orders[i]` (>= 1) of input references[i].
    [[nodiscard]] virtual bool set_input_derivatives(std::span<const ValueReference> references,
                                                     std::span<const int> orders,
                                                     std::span<const double> values) = 0;
    [[nodiscard]] virtual bool get_output_derivatives(std::span<const ValueReference> references,
                                                      std::span<const int> orders,
                                                      std::span<double> values) = 0;
    /// FMI 3.0: back to stepping after event mode.
    virtual void enter_step_mode() = 0;

    /// The FMU has the extension for laws; the two functions below are for these only.
    virtual bool takes_input_laws() const = 0;
    /// Between steps: laws to come give these inputs (`input_count` values), and have up to that
    /// many states of their own, of these sizes.
    virtual void expect_input_law(std::span<const ValueReference> inputs, std::size_t input_count,
                                  std::span<const double> own_nominals) = 0;
    /// Between steps: from now on the inputs follow this law, until another or null is set, or a
    /// state. What it throws inside a step leaves do_step().
    virtual void set_input_law(const InputLaw* law) = 0;
};

struct CompletedStep {
    bool enter_event_mode = false;
    bool terminate = false;
};

/// Set time, then states, then inputs; then ask. Evaluations return false when the FMU discards:
/// the point cannot be evaluated, a shorter step may help.
class ModelExchange : public Instance {
public:
    virtual void enter_continuous_time_mode() = 0;
    [[nodiscard]] virtual bool set_time(double time) = 0;
    [[nodiscard]] virtual bool set_continuous_states(std::span<const double> states) = 0;
    [[nodiscard]] virtual bool get_derivatives(std::span<double> derivatives) = 0;
    [[nodiscard]] virtual bool get_event_indicators(std::span<double> indicators) = 0;
    virtual void get_continuous_states(std::span<double> states) = 0;
    /// Nominal values; 0, NaN and entries the FMU did not write become 1.
    virtual void get_nominals(std::span<double> nominals) = 0;
    virtual CompletedStep completed_integrator_step() = 0;
    virtual std::size_t state_count() const = 0;
    virtual std::size_t event_indicator_count() const = 0;
    /// The value reference of each state; nullopt where the FMU has none for it. Array states of
    /// FMI 3.0 appear once for each element.
    virtual std::vector<std::optional<ValueReference>> state_references() = 0;
};

}  // namespace tandem::fmi
