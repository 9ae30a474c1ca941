#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "description/setting.hpp"
#include "files/temporary_folder.hpp"
#include "tandem/error.hpp"
#include "tandem/value.hpp"

/// A system as its file describes it, whatever the format of the file. Everything carries its place
/// for messages. Nothing here is loaded, resolved or checked against an FMU; see ssp/flatten.hpp.
namespace tandem::description {

/// Something of another tool, kept to be written again: the XML of an <Annotation>.
struct Annotation {
    std::string type;
    std::string xml;
};

enum class ConnectorKind {
    input,
    output,
    parameter,
    calculated_parameter,
    structural_parameter,
    constant,
    local,
    inout,
    unspecified,
};

/// One extent of an array: a number, or the value of the connector `size_of`.
struct Extent {
    std::optional<std::uint64_t> size;
    std::string size_of;

    bool operator==(const Extent&) const = default;
};

/// A connector of a system or subsystem, or an entry of a signal dictionary.
struct Connector {
    std::string name;
    ConnectorKind kind = ConnectorKind::unspecified;
    std::optional<ValueType> type;  ///< nothing: as the FMU says
    std::string unit;               ///< empty: as the FMU says
    std::string enumeration;        ///< name of an Enumeration
    std::string mime_type;
    std::vector<Extent> dimensions;
    std::vector<std::string> clocks;
    std::string description;
    std::vector<Annotation> annotations;
    Place place;
};

struct MapEntry {
    std::string source;
    std::string target;

    bool operator==(const MapEntry&) const = default;
};

/// linear: target = factor * source + offset. The others: a table of values as texts.
struct Transformation {
    enum class Type { none, linear, boolean, integer, enumeration };
    Type type = Type::none;
    double factor = 1.0;
    double offset = 0.0;
    std::vector<MapEntry> entries;

    bool operator==(const Transformation&) const = default;
};

/// One end of a connection: `connector` of the subsystem or system `element`, or of the enclosing
/// system if that is empty. A hand-written file gives both in `connector` ("car.wheel.x"). A name
/// like "a[2]" may be a variable of that name or an element of the array a; see split_slice.
struct Endpoint {
    std::string element;
    std::string connector;

    std::string text() const { return element.empty() ? connector : element + "." + connector; }
    bool operator==(const Endpoint&) const = default;
};

struct Connection {
    Endpoint from;
    Endpoint to;
    Transformation transformation;
    bool suppress_unit_conversion = false;
    /// False: SSP does not say which end is the source; the kinds of the connectors do.
    bool directed = true;
    std::string description;
    std::vector<Annotation> annotations;
    Place place;

    std::string text() const { return from.text() + " -> " + to.text(); }
};

/// What a file says a value is. Enumeration values are item names or numbers in `values.strings`;
/// a number of a hand-written file has type int64 or float64 and fits any numeric variable.
struct ParameterValue {
    ValueType type = ValueType::float64;
    Values values;
    std::vector<std::uint64_t> dimensions;  ///< empty: a scalar
    std::string unit;
    std::string enumeration;
    std::string mime_type;

    bool operator==(const ParameterValue&) const = default;
};

struct Parameter {
    std::string name;
    ParameterValue value;
    std::string description;
    Place place;
};

struct Unit {
    std::string name;
    UnitInBase base;
    std::string description;
    Place place;
};

struct EnumerationItem {
    std::string name;
    std::int64_t value = 0;

    bool operator==(const EnumerationItem&) const = default;
};

struct Enumeration {
    std::string name;
    std::vector<EnumerationItem> items;
    std::string description;
    Place place;
};

struct MappingEntry {
    std::string source;
    std::string target;
    Transformation transformation;
    bool suppress_unit_conversion = false;
    Place place;
};

/// Values applied to a system or subsystem. `prefix` is put before each name; then, if there is a
/// mapping, only the mapped parameters count, under their new names.
struct ParameterBinding {
    std::string name;
    std::vector<Parameter> parameters;
    std::string prefix;
    std::optional<std::vector<MappingEntry>> mapping;
    std::filesystem::path source;  ///< the .ssv the parameters come from, if any
    std::filesystem::path mapping_source;
    std::vector<Unit> units;
    std::vector<Enumeration> enumerations;
    /// A name nobody has is an error (hand-written values), not a warning (files of a tool).
    bool strict = false;
    bool hand_written = false;  ///< a number has no type of its own: it fits any that takes it
    Place place;
};

struct SignalDictionary {
    std::string name;
    std::vector<Connector> entries;
    std::filesystem::path source;
    std::vector<Unit> units;
    std::vector<Enumeration> enumerations;
    Place place;
};

/// A window on a dictionary: its connectors are entries of the dictionary.
struct DictionaryReference {
    std::string name;
    std::string dictionary;
    std::vector<Connector> connectors;
    Place place;
};

/// `model`: a C++ class of the program itself. `extension`: the option "type" names a type that a
/// plug-in has, its table "options" is for that.
enum class SourceType { fmu, library, table, system, model, extension, none };
enum class PreferredKind { any, co_simulation, model_exchange };

struct SystemDescription;

struct SubsystemDescription {
    std::string name;
    SourceType type = SourceType::fmu;
    std::filesystem::path source;    ///< absolute; empty for a part of the same file
    bool source_is_refused = false;  ///< what is wrong with it is a finding already
    std::string fragment;            ///< of "car.ssp#b.ssd" or "#id": what stands behind the #
    PreferredKind kind = PreferredKind::any;
    /// solver, tolerance, step, step_ratio ...: the keys of docs/system_file.md, types checked.
    std::vector<Setting> options;
    std::vector<Connector> connectors;
    std::vector<ParameterBinding> bindings;
    std::shared_ptr<const SystemDescription> nested;  ///< of type system
    std::string description;
    std::vector<Annotation> annotations;
    Place place;
};

struct NamedSignal {
    std::string name;
    Endpoint signal;
    Place place;
};

/// target = expression(signals, t). Without signals it is an external source.
struct CouplingFunction {
    std::string expression;
    /// Instead of an expression, in systems put together in C++.
    std::function<double(double t, std::span<const double> signals)> callable = {};
    std::vector<NamedSignal> signals;
    Endpoint target;
    std::string unit;  ///< of the result; empty: the unit of the target
    Place place;
};

/// Which change of its sign makes an indicator's zero an event.
enum class Direction { rising, falling, both };

/// target = expression(signals just before the event, t).
struct EventAction {
    Endpoint target;
    std::string expression;
    /// Instead of an expression, in systems put together in C++.
    std::function<double(double t, std::span<const double> signals)> callable = {};
    Place place;
};

/// What happens in the system, not in one of its subsystems: where the indicator changes its sign,
/// or at given times, variables are set.
struct SystemEvent {
    std::string name;       ///< for messages and reports; may be empty
    std::string indicator;  ///< an expression of the signals and t ...
    /// ... or instead of it, in systems put together in C++.
    std::function<double(double t, std::span<const double> signals)> callable = {};
    Direction direction = Direction::both;
    std::vector<double> times;  ///< instead of an indicator, ascending
    std::vector<NamedSignal> signals;
    std::vector<EventAction> actions;
    Place place;
};

/// Two connections whose product is a power, e.g. force one way and velocity the other.
struct Bond {
    std::string name;
    Endpoint effort_from, effort_to;
    Endpoint flow_from, flow_to;
    Place place;
};

/// What is said of one end besides its ports.
struct LineEndParameters {
    /// The frame of the subsystem in the system, mechanical_3d: r_system = origin + rotation * r.
    std::array<double, 3> origin = {};
    std::array<double, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< row by row
    std::string exchange;                                          ///< empty: as the element says
    Place place;
};

/// One end of a transmission line: ports of one subsystem. Those that are not given have an empty
/// connector.
struct TlmEnd : LineEndParameters {
    Endpoint flow, effort, wave, impedance, slope, times, waves;
    Endpoint position, orientation, velocity, angular_velocity, force, moment;  ///< mechanical_3d
};

/// What is said of a transmission line besides its ends. The numbers are as given; line_numbers()
/// says what they come to.
struct LineParameters {
    std::string name, domain;
    std::optional<double> delay, impedance, stiffness, mass, volume, bulk_modulus,
        rotational_impedance;
    double damping = 0.0;
    std::vector<double> preload;  ///< empty: at rest; otherwise one number, mechanical_3d: six
    std::string interpolation = "linear";
    std::int64_t samples = 10;
    bool corotating = true;
    Place place;

    bool is_3d() const { return domain == "mechanical_3d"; }
};

/// A connection with a delay: what one end sends arrives at the other `delay` later.
struct TlmElement : LineParameters {
    std::string exchange = "auto";
    std::array<TlmEnd, 2> ends;
};

struct NestedSystem {
    std::string name;
    std::string id;
    std::vector<Connector> connectors;
    std::vector<ParameterBinding> bindings;
    std::vector<SubsystemDescription> subsystems;
    std::vector<NestedSystem> systems;
    std::vector<Connection> connections;
    std::vector<SignalDictionary> dictionaries;
    std::vector<DictionaryReference> references;
    std::vector<CouplingFunction> functions;
    std::vector<SystemEvent> events;
    std::vector<Bond> bonds;
    std::vector<TlmElement> tlm;
    std::string description;
    std::vector<Annotation> annotations;
    Place place;
};

inline constexpr std::int64_t most_threads = 1024;

struct Experiment {
    std::optional<double> start, stop, step, tolerance;
    std::optional<std::int64_t> threads;  ///< 0: as many as the machine has
    /// The model itself grows: cycles are not watched. A cycle that becomes unstable ends the run.
    std::optional<bool> expect_growth, stop_on_instability;
    std::vector<Annotation> annotations;
    Place place;

    bool operator==(const Experiment& other) const {
        return start == other.start && stop == other.stop && step == other.step &&
               tolerance == other.tolerance && threads == other.threads &&
               expect_growth == other.expect_growth &&
               stop_on_instability == other.stop_on_instability;
    }
};

/// An algorithm and its options.
struct MethodChoice {
    std::string method;  ///< empty: not said
    std::vector<Setting> options;
    Place place;
};

struct Recording {
    std::vector<std::string> variables;  ///< patterns; empty: all outputs
    std::vector<std::string> exclude;
    std::int64_t decimation = 1;
    bool events = true;
    std::vector<std::filesystem::path> outputs;
    Place place;
};

/// A plot that the report shows first.
struct PlotRequest {
    std::string title;           ///< may be empty
    std::string x;               ///< a recorded variable; empty: time
    std::vector<std::string> y;  ///< names or patterns of recorded variables
    bool equal = false;          ///< the same scale on both axes
    Place place;
};

/// What the report of a run shows beyond what every report shows.
struct ReportChoice {
    std::vector<PlotRequest> plots;
    std::filesystem::path reference;  ///< results to compare with, absolute; may be empty
    std::string shown_reference;      ///< as messages call it
    Place reference_place;
    Place place;  ///< empty: nothing is said
};

struct NamespaceDeclaration {
    std::string attribute;  ///< "xmlns:oms"
    std::string uri;
};

/// A file that belongs to the description: systems, values, mappings, dictionaries.
struct DescriptionFile {
    std::filesystem::path path;
    std::string shown;  ///< as messages call it; one of a package by its place in the package
};

/// A shared library that adds couplings, types of subsystems and the like.
struct PluginFile {
    std::filesystem::path path;  ///< absolute
    Place place;
};

struct SystemDescription {
    std::filesystem::path file;
    NestedSystem system;
    std::vector<Unit> units;
    std::vector<Enumeration> enumerations;
    Experiment experiment;
    MethodChoice coupling;
    MethodChoice step_control;
    Recording recording;
    ReportChoice report;
    std::vector<Annotation> annotations;
    std::vector<NamespaceDeclaration> namespaces;   ///< that annotations may need
    Diagnostics findings;                           ///< what was ignored
    std::vector<DescriptionFile> files;             ///< of the outermost: all that were read
    std::vector<PluginFile> plugins;                ///< likewise
    std::shared_ptr<const TemporaryFolder> folder;  ///< keeps an unpacked package alive
};

}  // namespace tandem::description
