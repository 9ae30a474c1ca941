#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "description/conversion.hpp"
#include "description/description.hpp"

namespace tandem::description {

/// A variable of a subsystem. `name` is as written and may be "a[2]" or "a[1:3]": see split_slice.
struct FlatVariable {
    std::size_t subsystem = 0;
    std::string name;
    /// What the connector declares, for variables that do not say it themselves.
    std::string unit;
    std::optional<ValueType> type;
    std::string enumeration;

    bool operator==(const FlatVariable&) const = default;
};

struct FlatParameter {
    std::string variable;
    ParameterValue value;
    std::vector<Stage> stages;
    Place place;
};

struct FlatSubsystem {
    std::string name;  ///< with the names of the systems around it: "car.front.wheel"
    SourceType type = SourceType::fmu;
    std::filesystem::path source;
    bool source_is_refused = false;  ///< what is wrong with it is a finding already
    PreferredKind kind = PreferredKind::any;
    std::vector<Setting> options;
    std::vector<Connector> connectors;
    std::vector<FlatParameter> parameters;  ///< in the order in which they must be set
    Place place;

    const Setting* option(std::string_view key) const;
};

/// From variable to variable, through all system connectors and dictionaries in between.
struct FlatConnection {
    FlatVariable from;
    FlatVariable to;
    std::vector<Stage> stages;
    Place place;
    std::string text;  ///< "engine.torque -> shaft.tau"
};

struct FlatSignal {
    std::string name;  ///< in the expression
    FlatVariable variable;
    std::vector<Stage> stages;
};

struct FlatTarget {
    FlatVariable variable;
    std::vector<Stage> stages;
};

struct FlatFunction {
    std::string expression;
    std::function<double(double t, std::span<const double> signals)> callable = {};
    std::string unit;
    std::vector<FlatSignal> signals;
    std::vector<FlatTarget> targets;
    Place place;
};

struct FlatAction {
    FlatTarget target;
    std::string expression;
    std::function<double(double t, std::span<const double> signals)> callable = {};
    Place place;
};

/// See SystemEvent.
struct FlatEvent {
    std::string name;  ///< never empty; with the names of the systems around it
    std::string indicator;
    std::function<double(double t, std::span<const double> signals)> callable = {};
    Direction direction = Direction::both;
    std::vector<double> times;
    std::vector<FlatSignal> signals;
    std::vector<FlatAction> actions;  ///< all happen at once: each sees the values before the event
    Place place;

    bool has_times() const { return !times.empty(); }
};

/// Indices of connections.
struct FlatBond {
    std::string name;
    std::size_t effort = 0;
    std::size_t flow = 0;
    Place place;
};

/// See TlmEnd; the exchange is never empty. The values are those of the variables themselves, in
/// their own units.
struct FlatTlmEnd : LineEndParameters {
    using Port = std::optional<FlatVariable>;  ///< nothing: not given
    std::size_t subsystem = 0;                 ///< that all ports belong to
    Port flow, effort, wave, impedance, slope, times, waves;
    Port position, orientation, velocity, angular_velocity, force, moment;
};

/// See TlmElement. The name has the names of the systems around it.
struct FlatTlm : LineParameters {
    std::array<FlatTlmEnd, 2> ends;
};

struct LineNumbers {
    double delay = 0.0;
    double impedance = 0.0;
};

/// The delay T and the characteristic impedance Zc of an element:
/// Zc as given, or k T, or m / T, or beta T / V; without T: T = sqrt(m / k), Zc = sqrt(m k).
/// What cannot be said is 0, and was found to be an error.
LineNumbers line_numbers(const LineParameters& element);

/// A system without nesting: what is to be loaded and linked.
struct FlatSystem {
    std::string name;
    std::filesystem::path file;
    std::vector<FlatSubsystem> subsystems;
    std::vector<FlatConnection> connections;
    std::vector<FlatFunction> functions;
    std::vector<FlatEvent> events;
    std::vector<FlatBond> bonds;
    std::vector<FlatTlm> tlm;
    std::vector<Unit> units;
    std::vector<Enumeration> enumerations;
    Experiment experiment;
    MethodChoice coupling;
    MethodChoice step_control;
    Recording recording;
    ReportChoice report;
    std::vector<PluginFile> plugins;
    Diagnostics findings;  ///< warnings of reading and flattening
    /// References or connections have multiplied beyond a limit, which is a finding: what is left
    /// out is unknown, and nothing is to be loaded.
    bool is_cut_off = false;
    std::vector<std::shared_ptr<const TemporaryFolder>> folders;  ///< keep the sources alive

    std::optional<std::size_t> find(std::string_view subsystem) const;
    /// A unit defined in the files or, failing that, known by its name.
    std::optional<UnitInBase> unit(const std::string& unit_name) const;
    const Enumeration* enumeration(std::string_view enumeration_name) const;
};

struct FlattenOptions {
    bool sources_must_exist = true;
};

/// Resolves nesting, system connectors, dictionaries and parameters. Everything wrong becomes a
/// finding; the result holds what could be resolved.
FlatSystem flatten(const SystemDescription& description, Diagnostics& findings,
                   const FlattenOptions& options = {});

/// Reads and flattens. Throws InputErrors with all problems if there is any.
FlatSystem load_system(const std::filesystem::path& file);

}  // namespace tandem::description
