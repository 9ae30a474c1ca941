#pragma once

#include <memory>
#include <string>

#include "fmi/import/call.hpp"
#include "fmi/instance.hpp"

namespace tandem::fmi {

using References = std::span<const ValueReference>;

/// What one step said, in the words of all versions.
struct StepReport {
    bool event_needed = false;
    bool terminate = false;
    bool early_return = false;
    std::optional<double> reached;  ///< unless the FMU does not say
};

/// One communication step.
struct StepCall {
    const StepExchange& exchange;
    double begin = 0.0;
    double length = 0.0;
    bool no_rollback = false;
};

struct ExchangeStatus {
    Status step = Status::ok;
    Status values = Status::ok;  ///< of set or get, the first bad one
};

struct MeSizes {
    std::size_t states = 0;
    std::size_t indicators = 0;
};

/// How one FMI version says things. Each member makes the calls of that version and answers their
/// status; when it needs several, the first bad one. It decides nothing: order of calls, empty
/// lists, failures and waiting are the same for all versions and live in BoundInstance. Members a
/// version does not have throw InputError.
class Binding {
public:
    virtual ~Binding() = default;

    virtual Status get_reals(References references, std::span<double> values) = 0;
    virtual Status set_reals(References references, std::span<const double> values) = 0;
    virtual Status get_values(ValueType type, References references, Values& values) = 0;
    virtual Status set_values(ValueType type, References references, const Values& values) = 0;

    virtual Status set_up_experiment(const ExperimentSetup&) { return Status::ok; }
    virtual Status enter_initialization(const ExperimentSetup& setup) = 0;
    virtual Status exit_initialization() = 0;
    virtual Status terminate() = 0;
    virtual Status reset() = 0;
    virtual void free() = 0;
    virtual Status enter_configuration_mode() = 0;
    virtual Status exit_configuration_mode() = 0;

    virtual Status get_state(FmuState& state) = 0;
    virtual Status set_state(FmuState state) = 0;
    virtual Status free_state(FmuState& state) = 0;
    virtual Status serialized_size(FmuState state, std::size_t& size) = 0;
    virtual Status serialize(FmuState state, std::span<std::byte> bytes) = 0;
    virtual Status deserialize(std::span<const std::byte> bytes, FmuState& state) = 0;

    virtual Status directional_derivative(References unknowns, References knowns,
                                          std::span<const double> seed,
                                          std::span<double> sensitivity) = 0;
    virtual Status adjoint_derivative(References unknowns, References knowns,
                                      std::span<const double> seed,
                                      std::span<double> sensitivity) = 0;

    virtual Status enter_event_mode() = 0;
    virtual Status update_discrete_states(EventInfo& info) = 0;
    virtual Status get_clocks(References clocks, std::span<bool> active) = 0;
    virtual Status set_clocks(References clocks, std::span<const bool> active) = 0;
    virtual Status get_clock_intervals(References clocks,
                                       std::span<std::optional<double>> intervals) = 0;
    virtual Status set_clock_intervals(References clocks, std::span<const double> intervals) = 0;

    // Co-Simulation
    /// Set, step and get, as far as the answers are good.
    virtual ExchangeStatus exchange_step(const StepCall& call, StepReport& report) = 0;
    virtual Status do_step(double begin, double length, bool no_rollback, StepReport& report) = 0;
    /// After `pending`: the status of the step now.
    virtual Status step_status(Status& status) = 0;
    virtual bool has_step_status() const = 0;
    /// After `discard`: fills `report` where the FMU tells.
    virtual void ask_why_discarded(StepReport& report) = 0;
    virtual Status cancel_step() = 0;
    virtual Status set_input_derivatives(References references, std::span<const int> orders,
                                         std::span<const double> values) = 0;
    virtual Status get_output_derivatives(References references, std::span<const int> orders,
                                          std::span<double> values) = 0;
    virtual Status enter_step_mode() = 0;

    // Model Exchange
    virtual Status enter_continuous_time_mode() = 0;
    virtual Status set_time(double time) = 0;
    virtual Status set_continuous_states(std::span<const double> states) = 0;
    virtual Status get_continuous_states(std::span<double> states) = 0;
    virtual Status get_derivatives(std::span<double> derivatives) = 0;
    virtual Status get_event_indicators(std::span<double> indicators) = 0;
    virtual Status get_nominals(std::span<double> nominals) = 0;
    virtual Status completed_integrator_step(bool no_rollback, CompletedStep& completed) = 0;
    virtual Status get_state_references(std::span<ValueReference> references) = 0;
    /// Asks the FMU for its sizes where the version can; leaves `sizes` alone otherwise.
    virtual Status ask_sizes(MeSizes& sizes) = 0;
};

struct BindingSetup {
    Caller& caller;
    const ModelDescription& description;
    Kind kind;
    const InstanceOptions& options;
    std::filesystem::path folder;
};

/// Each instantiates.
std::unique_ptr<Binding> bind_fmi1(const BindingSetup& setup);
std::unique_ptr<Binding> bind_fmi2(const BindingSetup& setup);
std::unique_ptr<Binding> bind_fmi3(const BindingSetup& setup);

}  // namespace tandem::fmi
