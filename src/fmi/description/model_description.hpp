#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tandem/value.hpp"

namespace tandem::fmi {

enum class Version { v1, v2, v3 };
enum class Kind { co_simulation, model_exchange, scheduled_execution };
enum class Causality {
    parameter,
    calculated_parameter,
    structural_parameter,
    input,
    output,
    local,
    independent
};
enum class Variability { constant, fixed, tunable, discrete, continuous };
enum class Initial { none, exact, approx, calculated };
enum class DependencyKind { dependent, constant, fixed, tunable, discrete };

std::string_view to_string(Version version);  // "1.0", "2.0", "3.0"
std::string_view to_string(Kind kind);        // "Co-Simulation", ...
std::string_view to_string(Causality causality);
std::string_view to_string(Variability variability);
std::string_view to_string(Initial initial);

using ValueReference = std::uint32_t;

/// value_in_base_units = factor * value + offset; exponents of kg m s A K mol cd rad.
struct BaseUnit {
    std::array<int, 8> exponents{};
    double factor = 1.0;
    double offset = 0.0;
};

struct DisplayUnit {
    std::string name;
    double factor = 1.0;
    double offset = 0.0;
    bool inverse = false;
};

struct Unit {
    std::string name;
    std::optional<BaseUnit> base;
    std::vector<DisplayUnit> display_units;
};

struct EnumerationItem {
    std::string name;
    std::int64_t value = 0;
    std::string description;
};

/// What a type definition says and a variable inherits unless it says otherwise.
struct TypeAttributes {
    std::string quantity;
    std::string unit;
    std::string display_unit;
    bool relative_quantity = false;
    bool unbounded = false;
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> nominal;
};

struct TypeDefinition {
    std::string name;
    std::string description;
    ValueType type = ValueType::float64;
    TypeAttributes attributes;
    std::vector<EnumerationItem> items;
};

/// One extent of an array: a number, or the value of a structural parameter.
struct Dimension {
    std::uint64_t size = 1;  ///< the fixed size, or the start value of the parameter
    std::optional<ValueReference> parameter;
};

struct Alias {
    std::string name;
    std::string description;
    std::string display_unit;
    bool negated = false;  ///< FMI 1.0 negatedAlias
};

struct ClockAttributes {
    std::string interval_variability;  ///< constant, fixed, tunable, changing, countdown, triggered
    std::optional<double> interval_decimal;
    std::optional<double> shift_decimal;
    std::optional<std::uint64_t> resolution, interval_counter, shift_counter;
    bool supports_fraction = false;
    bool can_be_deactivated = false;
    std::optional<std::uint32_t> priority;
};

struct Variable {
    std::string name;
    std::string description;
    ValueReference reference = 0;
    ValueType type = ValueType::float64;
    Causality causality = Causality::local;
    Variability variability = Variability::continuous;
    Initial initial = Initial::none;
    std::string declared_type;
    TypeAttributes attributes;  ///< with those of the declared type filled in
    std::optional<Values> start;
    std::vector<Dimension> dimensions;  ///< empty: a scalar
    std::vector<Alias> aliases;  ///< FMI 3.0 <Alias>; FMI 1.0/2.0 alias variables stay variables
    bool negated_alias = false;  ///< FMI 1.0: the reference holds the negated value
    std::optional<std::size_t> derivative_of;  ///< index of the state this is the derivative of
    std::optional<ValueReference> previous;
    bool reinit = false;
    bool intermediate_update = false;
    bool can_handle_multiple_set = false;
    bool shares_name = false;  ///< others had the same name, and got numbers: name#2, name#3
    std::string mime_type;
    std::vector<ValueReference> clocks;
    std::optional<ClockAttributes> clock;
    int line = 0;  ///< in modelDescription.xml

    /// The number of values with the structural parameters at their start values.
    std::size_t size() const;
};

struct Dependency {
    std::size_t variable = 0;
    DependencyKind kind = DependencyKind::dependent;
};

/// A row of the model structure. Without `dependencies` it may depend on everything.
struct Unknown {
    std::size_t variable = 0;
    std::optional<std::vector<Dependency>> dependencies;
};

struct ModelStructure {
    std::vector<Unknown> outputs;
    std::vector<Unknown> derivatives;
    std::vector<Unknown> clocked_states;
    std::vector<Unknown> initial_unknowns;
    std::vector<Unknown> event_indicators;  ///< FMI 3.0 only; older versions only give the number
};

/// What one kind of the FMU can do. Fields a version or kind does not know keep their defaults.
struct KindInfo {
    std::string model_identifier;
    bool needs_execution_tool = false;
    bool only_once_per_process = false;
    bool can_get_and_set_state = false;
    bool can_serialize_state = false;
    bool provides_directional_derivatives = false;
    bool provides_adjoint_derivatives = false;
    bool per_element_dependencies = false;
    // Model Exchange
    bool completed_integrator_step_not_needed = false;
    bool needs_completed_integrator_step = true;
    bool provides_evaluate_discrete_states = false;
    // Co-Simulation
    bool can_handle_variable_step = false;
    bool can_interpolate_inputs = false;
    unsigned max_output_derivative_order = 0;
    bool can_run_asynchronously = false;
    bool provides_intermediate_update = false;
    bool might_return_early_from_step = false;
    bool can_return_early = false;
    bool has_event_mode = false;
    std::optional<double> fixed_internal_step_size;
    std::vector<std::string> source_files;
};

struct DefaultExperiment {
    std::optional<double> start_time, stop_time, tolerance, step_size;
};

struct LogCategory {
    std::string name;
    std::string description;
};

/// modelDescription.xml of any FMI version.
struct ModelDescription {
    Version version = Version::v2;
    std::string version_text;  ///< as written, e.g. "3.0.1"
    std::string model_name;
    std::string description, author, model_version, copyright, license;
    std::string generation_tool, generation_time;
    std::string instantiation_token;  ///< the guid of FMI 1.0 and 2.0
    bool structured_names = false;
    std::optional<KindInfo> co_simulation, model_exchange, scheduled_execution;
    std::vector<Unit> units;
    std::vector<TypeDefinition> types;
    std::vector<LogCategory> log_categories;
    std::vector<std::string> vendor_annotations;
    DefaultExperiment experiment;
    std::vector<Variable> variables;
    ModelStructure structure;
    std::size_t event_indicator_count = 0;
    std::size_t state_count = 0;  ///< FMI 1.0 numberOfContinuousStates, else from the derivatives

    /// The index of the variable (or of the one an FMI 3.0 <Alias> names), if there is one.
    std::optional<std::size_t> find(std::string_view name) const;
    const KindInfo* kind(Kind kind) const;
    const Unit* unit(std::string_view name) const;
    const TypeDefinition* type(std::string_view name) const;

    std::unordered_map<std::string, std::size_t> index_by_name;  ///< filled by the parser
};

}  // namespace tandem::fmi
