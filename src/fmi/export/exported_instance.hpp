#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fmi/description/model_description.hpp"
#include "fmi/input_law.hpp"
#include "fmi/instance.hpp"
#include "tandem/value.hpp"

namespace tandem::fmi {

/// The FMU side of an instance, free of FMI versions. export_fmi1/2/3.cpp translate the C functions
/// to it (names, status, life cycle checks, argument checks); the kit implements it for a model
/// class. Value references are those of the version's ModelDescription (make_description).
/// Any exception that leaves a member becomes the status ExportedModel::status_of says, with its
/// text sent to the logger.
class ExportedInstance {
public:
    virtual ~ExportedInstance() = default;

    virtual void get(ValueType type, std::span<const ValueReference> references,
                     Values& values) = 0;
    virtual void set(ValueType type, std::span<const ValueReference> references,
                     const Values& values) = 0;
    /// The fast path: scalars and arrays of float64.
    virtual void get(std::span<const ValueReference> references, std::span<double> values) = 0;
    virtual void set(std::span<const ValueReference> references,
                     std::span<const double> values) = 0;
    /// Number of values the references stand for (arrays count with all their elements).
    virtual std::size_t value_count(std::span<const ValueReference> references) const = 0;
    /// FMI 3.0: the structural parameters were set; arrays take their new sizes.
    virtual void exit_configuration() = 0;

    virtual void enter_initialization(const ExperimentSetup& setup) = 0;
    virtual void exit_initialization() = 0;
    virtual void terminate() = 0;
    virtual void reset() = 0;

    /// Everything the instance remembers, appended to `state`.
    virtual void save_state(std::vector<std::byte>& state) = 0;
    virtual void restore_state(std::span<const std::byte> state) = 0;

    virtual void directional_derivative(std::span<const ValueReference> unknowns,
                                        std::span<const ValueReference> knowns,
                                        std::span<const double> seed,
                                        std::span<double> sensitivity) = 0;

    // Events
    virtual void enter_event_mode() = 0;
    virtual EventInfo update_discrete_states() = 0;
    // Clocks (FMI 3.0)
    virtual void get_clock(ValueReference clock, bool& active) = 0;
    virtual void set_clock(ValueReference clock, bool active) = 0;
    /// Interval and shift of a periodic clock; nothing for a triggered one.
    struct ClockTiming {
        double interval = 0.0, shift = 0.0;
    };
    virtual std::optional<ClockTiming> clock_timing(ValueReference clock) = 0;

    // Model Exchange
    virtual void set_time(double time) = 0;
    virtual void set_continuous_states(std::span<const double> states) = 0;
    virtual void get_continuous_states(std::span<double> states) = 0;
    virtual void get_derivatives(std::span<double> derivatives) = 0;
    virtual void get_event_indicators(std::span<double> indicators) = 0;
    virtual void get_nominals(std::span<double> nominals) = 0;
    virtual void enter_continuous_time_mode() = 0;
    virtual CompletedStep completed_integrator_step() = 0;
    virtual std::size_t state_count() const = 0;
    virtual std::size_t indicator_count() const = 0;

    // Co-Simulation
    virtual DoStepResult do_step(double begin, double end) = 0;
    virtual void set_input_derivatives(std::span<const ValueReference> references,
                                       std::span<const int> orders,
                                       std::span<const double> values) = 0;
    virtual void get_output_derivatives(std::span<const ValueReference> references,
                                        std::span<const int> orders, std::span<double> values) = 0;
    virtual void enter_step_mode() = 0;
    /// Between steps: laws to come give these inputs and have up to that many states of their own,
    /// of these sizes.
    virtual void expect_input_law(std::span<const ValueReference> inputs,
                                  std::span<const double> own_nominals) = 0;
    /// Between steps: from now on the inputs follow this law; null: they are held. It lives until
    /// it is replaced; restoring a state drops it.
    virtual void set_input_law(const InputLaw* law) = 0;
};

struct ExportSetup {
    Version version = Version::v2;
    Kind kind = Kind::co_simulation;
    /// on_message, event_mode, early_return, on_intermediate and intermediate_variables are those
    /// of the importer.
    InstanceOptions options;
    std::string resources;  ///< folder, without a trailing slash
};

/// Made by the kit, one per model class; linked into the shared library of the model.
struct ExportedModel {
    /// The description as this FMI version shows it (arrays expanded before FMI 3.0, ...), without
    /// an instantiation token.
    std::function<ModelDescription(Version)> make_description;
    std::function<std::unique_ptr<ExportedInstance>(const ExportSetup&)> instantiate;
    /// The status (discard, error or fatal) that an exception thrown by the instance stands for.
    std::function<Status(const std::exception&)> status_of;
};

/// Defined by the kit in the shared library of the model (TANDEM_MODEL).
const ExportedModel& exported_model();

/// The description of the model of this library, with its token: a hash of everything else.
const ModelDescription& exported_description(Version version);

/// modelDescription.xml of a description. FMI 1.0: of the given kind only.
std::string write_model_description(const ModelDescription& description, Kind kind);

}  // namespace tandem::fmi
