#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/extend/statistic.hpp"

namespace tandem {

/// A name and a value as the user would write it.
struct Setting {
    std::string name;
    std::string value;
    bool operator==(const Setting&) const = default;
};
using Settings = std::vector<Setting>;

/// Where the wall time went: a part of the work, its calls and seconds.
struct PartRecord {
    std::string name;
    std::uint64_t calls = 0;
    double seconds = 0.0;
    bool operator==(const PartRecord&) const = default;
};

/// A file the run read. `role` says what for: "system", "parameters",
/// "dictionary", "fmu", "library", "plugin", "input", "reference".
struct FileRecord {
    std::string path;
    std::string role;
    std::uint64_t bytes = 0;
    std::string sha256;
    bool operator==(const FileRecord&) const = default;
};

struct ExperimentRecord {
    double start = 0.0;
    double stop = 0.0;
    double step = 0.0;
    std::optional<double> tolerance;
    bool operator==(const ExperimentRecord&) const = default;
};

struct CouplingRecord {
    std::string method;
    std::string explanation;  ///< one sentence for people
    Settings options;
    bool operator==(const CouplingRecord&) const = default;
};

/// What a step control did.
struct StepLengthsRecord {
    double shortest = 0.0, longest = 0.0;
    std::uint64_t repeated = 0;          ///< because their error was too large
    std::uint64_t beyond_tolerance = 0;  ///< counted although it was
    std::uint64_t advances = 0;          ///< all steps of the coupling, counted or not
    bool operator==(const StepLengthsRecord&) const = default;
};

/// On how many threads subsystems stepped together.
struct ThreadsRecord {
    int count = 1;
    double share = 0.0;  ///< of the steps on several threads
    std::string reason;  ///< why there was one; empty: there were more
    bool operator==(const ThreadsRecord&) const = default;
};

struct SubsystemRecord {
    std::string name;
    std::string kind;         ///< "co-simulation", "model exchange", "native", "csv", "function"
    std::string fmi_version;  ///< empty where there is none
    std::string source;
    std::string solver;           ///< empty where it brings its own
    std::optional<int> priority;  ///< in the graph: 0 for those that nothing feeds
    std::vector<std::string> capabilities;
    Settings parameters;            ///< those set by the user
    Settings settings;              ///< likewise, of its solver and the sizes of its variables
    std::vector<PartRecord> parts;  ///< "step": setting, stepping and getting
    std::uint64_t steps = 0;
    std::uint64_t events = 0;
    std::uint64_t retries = 0;
    std::vector<Statistic> solver_statistics;

    std::uint64_t calls() const;
    double seconds() const;
    bool operator==(const SubsystemRecord&) const = default;
};

struct PortRecord {
    std::string subsystem;
    std::string variable;
    bool operator==(const PortRecord&) const = default;
};

struct ConnectionRecord {
    PortRecord from;
    PortRecord to;
    std::string unit;  ///< at the input
    std::string type;  ///< "Float64", ...
    double gain = 1.0;
    double offset = 0.0;
    bool operator==(const ConnectionRecord&) const = default;
};

/// An input that is an expression of outputs.
struct FunctionRecord {
    std::vector<PortRecord> from;
    PortRecord to;
    std::string expression;  ///< empty for one in C++
    bool operator==(const FunctionRecord&) const = default;
};

/// Two connections, by their index in `RunRecord::connections`, whose product is a power.
struct BondRecord {
    std::string name;
    std::size_t effort = 0;
    std::size_t flow = 0;
    bool operator==(const BondRecord&) const = default;
};

/// A transmission line, and where its energy went until a delay before the end.
struct LineRecord {
    struct End {
        std::string subsystem;
        std::string exchange;  ///< "sampled", "coarse", "fine", "law"
        bool operator==(const End&) const = default;
    };
    std::string name;
    std::vector<End> ends;  ///< two
    double delay = 0.0;
    double impedance = 0.0;
    double put_in = 0.0, taken_out = 0.0;    ///< by the subsystems
    double stored_first = 0.0;               ///< at the start
    double stored = 0.0, most_stored = 0.0;  ///< at the end; whenever it was looked at
    double created = 0.0;                    ///< the most spurious energy, at any time
    double created_at = 0.0;                 ///< that time
    /// More than interpolation and solvers do by the way: of what it stores, and of what goes
    /// through it.
    bool creates_energy() const { return created > 1e-2 * most_stored && created > 1e-4 * put_in; }
    /// More than it ever held: what the subsystems do is mostly the work of that.
    bool is_unstable() const { return created > most_stored && created > 1e-2 * put_in; }
    bool operator==(const LineRecord&) const = default;
};

/// Subsystems that became one ("aggregate"), or that feed each other: "algebraic cycle" if it goes
/// round within an instant, "cycle" if it goes through states, "discrete cycle" if it goes through
/// values that are not real.
struct GroupRecord {
    std::string name;
    std::string kind;
    int priority = 0;
    std::vector<std::string> members;
    std::vector<Statistic> statistics;
    std::vector<std::string> loop =
        {};  ///< inputs and outputs along one way round within an instant
    bool operator==(const GroupRecord&) const = default;
};

struct ColumnRecord {
    std::string name;  ///< as in the file
    std::string unit;
    std::string subsystem;
    std::string variable;
    bool operator==(const ColumnRecord&) const = default;
};

/// A relative path is meant from the folder of the record.
struct ResultsRecord {
    std::string path;
    std::string format;  ///< "csv", "mat", "h5"
    std::uint64_t rows = 0;
    std::vector<ColumnRecord> columns;  ///< without time
    bool operator==(const ResultsRecord&) const = default;
};

/// A plot that the system asks for.
struct PlotRecord {
    std::string title;
    std::string x;               ///< the name of a column; empty: time
    std::vector<std::string> y;  ///< names or patterns of columns
    bool equal = false;          ///< the same scale on both axes
    bool operator==(const PlotRecord&) const = default;
};

/// Values of a cycle grew in a way that the coupling, and not the model, explains.
struct InstabilityRecord {
    std::string connection;  ///< "a.y -> b.u"
    double growth = 0.0;     ///< factor per step
    double time = 0.0;       ///< when it was noticed
    bool operator==(const InstabilityRecord&) const = default;
};

struct TotalsRecord {
    std::uint64_t steps = 0;
    std::uint64_t retries = 0;
    std::uint64_t events = 0;
    double wall_seconds = 0.0;
    double simulated_seconds = 0.0;
    std::vector<PartRecord> parts;  ///< "load", "initialise", "advance", "record", ...

    /// Simulated time per wall time; 0 when no wall time is known.
    double real_time_factor() const;
    bool operator==(const TotalsRecord&) const = default;
};

enum class RunOutcome { complete, failed, interrupted };
std::string_view to_string(RunOutcome outcome);

/// Everything needed to repeat and to judge a run. docs/run_record.md describes its JSON.
struct RunRecord {
    std::string tandem_version;
    std::vector<std::string> command_line;
    std::string working_folder;  ///< where that was given
    std::string date;            ///< ISO 8601 with zone: 2024-05-01T12:00:00Z
    std::string system_name;
    std::string system_file;
    std::vector<FileRecord> files;
    Settings options;
    ExperimentRecord experiment;
    CouplingRecord coupling;
    CouplingRecord step_control;
    StepLengthsRecord step_lengths;
    std::vector<SubsystemRecord> subsystems;
    std::vector<ConnectionRecord> connections;
    std::vector<FunctionRecord> functions;
    std::vector<BondRecord> bonds;
    std::vector<LineRecord> lines;
    std::vector<GroupRecord> groups;
    ThreadsRecord threads;
    std::vector<ResultsRecord> results;
    std::vector<PlotRecord> plots;
    std::string reference;  ///< results to compare with, as in ResultsRecord or inside a package
    TotalsRecord totals;
    Diagnostics warnings;
    RunOutcome outcome = RunOutcome::complete;
    std::string outcome_sentence;                  ///< why it failed or where it stopped
    std::optional<InstabilityRecord> instability;  ///< results are not credible
};

/// The JSON text, indented, with keys in the order of the struct. Numbers read back exactly; those
/// that are not finite become null.
std::string to_json(const RunRecord& record);

/// Reads what to_json writes. Missing keys keep their default, unknown keys are ignored. Throws
/// InputError, `place` being the file's name, for text that is no JSON, that is no run record, or
/// that has a value of the wrong type.
RunRecord run_record_from_json(std::string_view text, const std::string& place);

/// Throw InputError when the file cannot be read or written. Writing is atomic: there is always
/// the old file or the complete new one.
RunRecord read_run_record(const std::string& path);
void write_run_record(const RunRecord& record, const std::string& path);

}  // namespace tandem
