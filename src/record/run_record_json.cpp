#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "record/run_record.hpp"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;
constexpr int format_version = 1;

/// What the JSON says cannot be a value of the record; becomes an InputError with the file's name.
struct WrongValue {
    std::string key;
    std::string problem;
};

// One description per struct serves both directions: `fields` names every member, and a Writer or
// a Reader does the rest. `r` is constant for a Writer.
template <class T, class Record>
concept Is = std::same_as<std::remove_const_t<T>, Record>;

void fields(auto& a, Is<PartRecord> auto& r) {
    a("name", r.name), a("calls", r.calls), a("seconds", r.seconds);
}
void fields(auto& a, Is<FileRecord> auto& r) {
    a("path", r.path), a("role", r.role), a("bytes", r.bytes), a("sha256", r.sha256);
}
void fields(auto& a, Is<ExperimentRecord> auto& r) {
    a("start", r.start), a("stop", r.stop), a("step", r.step), a("tolerance", r.tolerance);
}
void fields(auto& a, Is<CouplingRecord> auto& r) {
    a("method", r.method), a("explanation", r.explanation), a("options", r.options);
}
void fields(auto& a, Is<StepLengthsRecord> auto& r) {
    a("shortest", r.shortest), a("longest", r.longest), a("repeated", r.repeated);
    a("beyond_tolerance", r.beyond_tolerance), a("advances", r.advances);
}
void fields(auto& a, Is<ThreadsRecord> auto& r) {
    a("count", r.count), a("share", r.share), a("reason", r.reason);
}
void fields(auto& a, Is<SubsystemRecord> auto& r) {
    a("name", r.name), a("kind", r.kind), a("fmi_version", r.fmi_version), a("source", r.source);
    a("solver", r.solver), a("priority", r.priority);
    a("capabilities", r.capabilities), a("parameters", r.parameters);
    a("settings", r.settings);
    a("steps", r.steps), a("events", r.events), a("retries", r.retries), a("parts", r.parts);
    a("solver_statistics", r.solver_statistics);
}
void fields(auto& a, Is<PortRecord> auto& r) {
    a("subsystem", r.subsystem), a("variable", r.variable);
}
void fields(auto& a, Is<ConnectionRecord> auto& r) {
    a("from", r.from), a("to", r.to), a("unit", r.unit), a("type", r.type);
    a("gain", r.gain), a("offset", r.offset);
}
void fields(auto& a, Is<FunctionRecord> auto& r) {
    a("from", r.from), a("to", r.to), a("expression", r.expression);
}
void fields(auto& a, Is<BondRecord> auto& r) {
    a("name", r.name), a("effort", r.effort), a("flow", r.flow);
}
void fields(auto& a, Is<LineRecord::End> auto& r) {
    a("subsystem", r.subsystem), a("exchange", r.exchange);
}
void fields(auto& a, Is<LineRecord> auto& r) {
    a("name", r.name), a("ends", r.ends), a("delay", r.delay), a("impedance", r.impedance);
    a("put_in", r.put_in), a("taken_out", r.taken_out), a("stored_first", r.stored_first);
    a("stored", r.stored), a("most_stored", r.most_stored);
    a("created", r.created), a("created_at", r.created_at);
}
void fields(auto& a, Is<GroupRecord> auto& r) {
    a("name", r.name), a("kind", r.kind), a("priority", r.priority), a("members", r.members);
    a("statistics", r.statistics), a("loop", r.loop);
}
void fields(auto& a, Is<ColumnRecord> auto& r) {
    a("name", r.name), a("unit", r.unit), a("subsystem", r.subsystem), a("variable", r.variable);
}
void fields(auto& a, Is<ResultsRecord> auto& r) {
    a("path", r.path), a("format", r.format), a("rows", r.rows), a("columns", r.columns);
}
void fields(auto& a, Is<PlotRecord> auto& r) {
    a("title", r.title), a("x", r.x), a("y", r.y), a("equal", r.equal);
}
void fields(auto& a, Is<TotalsRecord> auto& r) {
    a("steps", r.steps), a("retries", r.retries), a("events", r.events);
    a("wall_seconds", r.wall_seconds), a("simulated_seconds", r.simulated_seconds);
    a("parts", r.parts);
}
void fields(auto& a, Is<InstabilityRecord> auto& r) {
    a("connection", r.connection), a("growth", r.growth), a("time", r.time);
}
void fields(auto& a, Is<Diagnostic> auto& r) {
    a("severity", r.severity), a("place", r.place), a("problem", r.problem), a("hint", r.hint);
}
void fields(auto& a, Is<RunRecord> auto& r) {
    a("tandem_version", r.tandem_version), a("command_line", r.command_line);
    a("working_folder", r.working_folder), a("date", r.date);
    a("system_name", r.system_name), a("system_file", r.system_file);
    a("outcome", r.outcome), a("outcome_sentence", r.outcome_sentence);
    a("instability", r.instability);
    a("experiment", r.experiment), a("coupling", r.coupling);
    a("step_control", r.step_control), a("step_lengths", r.step_lengths), a("options", r.options);
    a("totals", r.totals), a("subsystems", r.subsystems), a("connections", r.connections);
    a("functions", r.functions), a("bonds", r.bonds), a("lines", r.lines);
    a("groups", r.groups);
    a("threads", r.threads), a("results", r.results);
    a("plots", r.plots), a("reference", r.reference), a("files", r.files);
    a("warnings", r.warnings);
}

class Writer {
public:
    template <class T>
    void operator()(const char* key, const T& value) {
        json_[key] = written(value);
    }
    Json take() { return std::move(json_); }

    template <class T>
    static Json written(const T& value) {
        if constexpr (requires(Writer w) { fields(w, value); }) {
            Writer writer;
            fields(writer, value);
            return writer.take();
        } else {
            return value;
        }
    }
    static Json written(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
    template <class T>
    static Json written(const std::optional<T>& value) {
        return value ? written(*value) : Json(nullptr);
    }
    static Json written(RunOutcome outcome) { return to_string(outcome); }
    static Json written(Severity severity) {
        return severity == Severity::error ? "error" : "warning";
    }
    template <class T>
    static Json written(const std::vector<T>& list) {
        constexpr bool named = std::same_as<T, Setting> || std::same_as<T, Statistic>;
        Json json = named ? Json::object() : Json::array();
        for (const T& entry : list)
            if constexpr (named) {
                json[entry.name] = written(entry.value);
            } else {
                json.push_back(written(entry));
            }
        return json;
    }

private:
    Json json_ = Json::object();
};

class Reader {
public:
    Reader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
        if (!json.is_object()) throw WrongValue{path_, "must be an object"};
    }

    template <class T>
    void operator()(const char* key, T& value) {
        const auto found = json_.find(key);
        if (found != json_.end()) read(*found, value, path_.empty() ? key : path_ + "." + key);
    }

private:
    template <class T>
    static void read(const Json& json, T& value, const std::string& path) {
        if constexpr (std::integral<T>) {
            if (!json.is_number_integer() || (std::unsigned_integral<T> && json < 0))
                throw WrongValue{path, "must be a whole number"};
            value = json.get<T>();
        } else {
            Reader reader(json, path);
            fields(reader, value);
        }
    }
    static void read(const Json& json, std::string& value, const std::string& path) {
        if (!json.is_string()) throw WrongValue{path, "must be a text"};
        value = json.get<std::string>();
    }
    static void read(const Json& json, bool& value, const std::string& path) {
        if (!json.is_boolean()) throw WrongValue{path, "must be true or false"};
        value = json.get<bool>();
    }
    static void read(const Json& json, double& value, const std::string& path) {
        if (!json.is_number() && !json.is_null()) throw WrongValue{path, "must be a number"};
        value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
    }
    template <class T>
    static void read(const Json& json, std::optional<T>& value, const std::string& path) {
        value.reset();
        if (!json.is_null()) read(json, value.emplace(), path);
    }
    static void read(const Json& json, RunOutcome& value, const std::string& path) {
        for (const auto o : {RunOutcome::complete, RunOutcome::failed, RunOutcome::interrupted})
            if (json == to_string(o)) {
                value = o;
                return;
            }
        throw WrongValue{path, "must be complete, failed or interrupted"};
    }
    static void read(const Json& json, Severity& value, const std::string& path) {
        if (json != "error" && json != "warning")
            throw WrongValue{path, "must be error or warning"};
        value = json == "error" ? Severity::error : Severity::warning;
    }
    template <class T>
    static void read(const Json& json, std::vector<T>& list, const std::string& path) {
        list.clear();
        if constexpr (std::same_as<T, Setting> || std::same_as<T, Statistic>) {
            if (!json.is_object()) throw WrongValue{path, "must be an object"};
            for (const auto& [name, value] : json.items()) {
                list.emplace_back().name = name;
                read(value, list.back().value, path + "." + name);
            }
        } else {
            if (!json.is_array()) throw WrongValue{path, "must be a list"};
            for (const Json& entry : json) {
                T& value = list.emplace_back();
                read(entry, value, fmt::format("{}[{}]", path, list.size() - 1));
            }
        }
    }

    const Json& json_;
    std::string path_;
};

void check_bonds(const RunRecord& record) {
    for (const BondRecord& bond : record.bonds)
        if (std::max(bond.effort, bond.flow) >= record.connections.size())
            throw WrongValue{"bonds", "'" + bond.name + "' refers to a connection not listed"};
}

}  // namespace

std::string to_json(const RunRecord& record) {
    Json json = {{"format", "tandem run record"}, {"format_version", format_version}};
    json.update(Writer::written(record));
    json["totals"]["real_time_factor"] = Writer::written(record.totals.real_time_factor());
    // Texts come from FMUs and file names, which need not be UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

RunRecord run_record_from_json(std::string_view text, const std::string& place) {
    constexpr const char* hint = "give the run.json that a run of Tandem has written";
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::parse_error& error) {
        throw InputError(place, fmt::format("is not JSON (near byte {})", error.byte), hint);
    } catch (const Json::out_of_range&) {
        throw InputError(place, "holds a number that no double can hold", hint);
    }
    if (!json.is_object() || json.value("format", Json()) != "tandem run record")
        throw InputError(place, "is not the record of a run", hint);
    const Json version = json.value("format_version", Json());
    if (version != format_version)
        throw InputError(
            place,
            fmt::format("is a run record of format version {}, not {}",
                        version.is_primitive() ? version.dump() : "unknown", format_version),
            "use the version of Tandem that made it");
    try {
        RunRecord record;
        Reader reader(json, "");
        fields(reader, record);
        check_bonds(record);
        return record;
    } catch (const WrongValue& wrong) {
        throw InputError(place, fmt::format("'{}' {}", wrong.key, wrong.problem), hint);
    }
}

}  // namespace tandem
