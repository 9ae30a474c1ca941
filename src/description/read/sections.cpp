#include "description/read/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.hpp"
#include "description/read/events.hpp"
#include "description/read/lines.hpp"
#include "description/read/report_sections.hpp"
#include "description/read/sizes.hpp"

namespace tandem::description {
namespace {

using Type = Setting::Type;

struct OptionKey {
    std::string_view name;
    Type type;
};

/// What a subsystem can be told besides its source, kind and parameters. A number must be positive.
constexpr OptionKey option_keys[] = {
    {"solver", Type::text},       {"tolerance", Type::real},     {"step", Type::real},
    {"max_step", Type::real},     {"first_step", Type::real},    {"max_order", Type::integer},
    {"max_steps", Type::integer}, {"step_ratio", Type::integer}, {"interpolation", Type::text},
    {"shares", Type::text},
};
constexpr std::int64_t largest_integer = 1'000'000'000;

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// A table of numbers for each output.
bool is_jacobian(const Setting& table, TableReader& reader) {
    const std::string hint =
        "write interface_jacobian = { v = { x = -1000, u = 1000 } }: the rate of v by x and by u";
    bool valid = true;
    const auto check = [&](bool is_right, const Setting& setting, const char* what) {
        valid = valid && is_right;
        if (!is_right)
            reader.refuse(setting,
                          fmt::format("'interface_jacobian': '{}' must be {}, but is {}",
                                      setting.key, what, noun(setting.type)),
                          hint);
    };
    for (const Setting& row : table.entries) {
        check(row.type == Type::table, row, "a table of numbers");
        if (row.type != Type::table) continue;
        for (const Setting& entry : row.entries) check(entry.is_number(), entry, "a number");
    }
    return valid;
}

void read_experiment(const Setting& table, SystemDescription& description, Diagnostics& findings) {
    TableReader reader(table, "[experiment]", findings);
    Experiment& experiment = description.experiment;
    experiment.place = table.place;
    if (const auto start = reader.real("start")) experiment.start = start;
    if (const auto stop = reader.real("stop")) experiment.stop = stop;
    if (const auto step = reader.positive("step")) experiment.step = step;
    if (const auto tolerance = reader.positive("tolerance")) experiment.tolerance = tolerance;
    if (const auto threads = reader.integer("threads")) {
        experiment.threads = threads;
        if (*threads < 0 || *threads > most_threads)
            reader.refuse(*table.find("threads"),
                          fmt::format("'threads' must lie between 0 and {}, but is {}",
                                      most_threads, *threads),
                          "0 means as many as the machine has");
    }
    if (const auto expects = reader.boolean("expect_growth")) experiment.expect_growth = expects;
    if (const auto stops = reader.boolean("stop_on_instability"))
        experiment.stop_on_instability = stops;
    if (experiment.stop && *experiment.stop < experiment.start.value_or(0.0))
        report(findings, (table.find("stop") ? *table.find("stop") : table).place,
               fmt::format("[experiment]: stop = {} lies before start = {}", *experiment.stop,
                           experiment.start.value_or(0.0)));
    reader.finish();
}

void read_method(TableReader& sections, const char* name, MethodChoice& choice) {
    const Setting* table = sections.table(name);
    if (table == nullptr) return;
    TableReader reader(*table, fmt::format("[{}]", name), sections.findings());
    choice.place = table->place;
    choice.method = reader.text("method").value_or("");
    for (const Setting& entry : table->entries)
        if (entry.key != "method") choice.options.push_back(entry);
}

void read_recording(const Setting& table, Recording& recording, Diagnostics& findings) {
    TableReader reader(table, "[record]", findings);
    recording.place = table.place;
    recording.variables = reader.texts("variables");
    recording.exclude = reader.texts("exclude");
    recording.decimation = reader.integer("decimation").value_or(1);
    if (recording.decimation < 1)
        reader.refuse(*table.find("decimation"), "'decimation' must be at least 1",
                      "10 records every tenth communication point");
    recording.events = reader.boolean("events").value_or(true);
    for (const std::string& output : reader.texts("output")) recording.outputs.emplace_back(output);
    reader.finish();
}

void read_function(const Setting& entry, bool is_source, NestedSystem& system,
                   Diagnostics& findings) {
    const char* title = is_source ? "[[sources]]" : "[[functions]]";
    if (entry.type != Type::table) {
        report(findings, entry.place, fmt::format("{}: must be a table", title),
               "write { target = \"b.u\", expression = \"sin(t)\" }");
        return;
    }
    TableReader reader(entry, title, findings);
    CouplingFunction function;
    function.place = entry.place;
    function.target.connector = reader.required_text("target");
    function.expression = reader.required_text("expression");
    function.unit = reader.text("unit").value_or("");
    if (!is_source)
        if (const Setting* signals = reader.table("signals"))
            function.signals = read_signals(*signals, reader);
    reader.finish();
    if (!function.target.connector.empty()) system.functions.push_back(std::move(function));
}

void read_bond(const Setting& entry, NestedSystem& system, Diagnostics& findings) {
    if (entry.type != Type::table) {
        report(findings, entry.place, "[[bonds]]: must be a table",
               "write { effort = \"a.F -> b.F\", flow = \"b.v -> a.v\" }");
        return;
    }
    TableReader reader(entry, "[[bonds]]", findings);
    Bond bond;
    bond.place = entry.place;
    bond.name = reader.text("name").value_or("");
    const std::string effort = reader.required_text("effort");
    const std::string flow = reader.required_text("flow");
    reader.finish();
    if (effort.empty() || flow.empty()) return;
    const auto effort_ends = parse_arrow(effort, entry.place, findings);
    const auto flow_ends = parse_arrow(flow, entry.place, findings);
    if (!effort_ends || !flow_ends) return;
    std::tie(bond.effort_from, bond.effort_to) = *effort_ends;
    std::tie(bond.flow_from, bond.flow_to) = *flow_ends;
    system.bonds.push_back(std::move(bond));
}

void check_interpolation(TableReader& reader) {
    const Setting* setting = reader.table().find("interpolation");
    if (setting == nullptr || setting->type != Type::text) return;
    const std::string name = setting->as_text();
    if (name != "linear" && name != "hold")
        reader.refuse(*setting, fmt::format("unknown interpolation '{}'", name),
                      did_you_mean(name, {"linear", "hold"}, "use linear or hold"));
}

Setting experiment_setting(const Experiment& experiment) {
    Setting table = group("experiment", Type::table, {});
    if (experiment.step) table.entries.push_back(real_setting("step", *experiment.step));
    if (experiment.tolerance)
        table.entries.push_back(real_setting("tolerance", *experiment.tolerance));
    if (experiment.threads)
        table.entries.push_back({"threads", {}, Type::integer, *experiment.threads, {}});
    const auto add = [&table](const char* key, const std::optional<bool>& value) {
        if (value) table.entries.push_back({key, {}, Type::boolean, *value, {}});
    };
    add("expect_growth", experiment.expect_growth);
    add("stop_on_instability", experiment.stop_on_instability);
    return table;
}

Setting recording_setting(const Recording& recording) {
    Setting table = group("record", Type::table, {});
    add_group(table, text_list("variables", recording.variables));
    add_group(table, text_list("exclude", recording.exclude));
    if (recording.decimation != 1)
        table.entries.push_back({"decimation", {}, Type::integer, recording.decimation, {}});
    if (!recording.events) table.entries.push_back({"events", {}, Type::boolean, false, {}});
    std::vector<std::string> outputs;
    for (const auto& output : recording.outputs) outputs.push_back(output.string());
    add_group(table, text_list("output", outputs));
    return table;
}

void add_method(Setting& root, const char* name, const MethodChoice& choice) {
    if (choice.place.empty() && choice.method.empty()) return;
    Setting table = group(name, Type::table, {});
    if (!choice.method.empty()) table.entries.push_back(text_setting("method", choice.method));
    for (const Setting& option : choice.options) table.entries.push_back(option);
    root.entries.push_back(std::move(table));
}

Setting function_setting(const CouplingFunction& function) {
    Setting table = group({}, Type::table,
                          {text_setting("target", function.target.text()),
                           text_setting("expression", function.expression)});
    if (!function.unit.empty()) table.entries.push_back(text_setting("unit", function.unit));
    add_group(table, signals_setting(function.signals));
    return table;
}

Setting bond_setting(const Bond& bond) {
    Setting table = group({}, Type::table, {});
    if (!bond.name.empty()) table.entries.push_back(text_setting("name", bond.name));
    table.entries.push_back(
        text_setting("effort", bond.effort_from.text() + " -> " + bond.effort_to.text()));
    table.entries.push_back(
        text_setting("flow", bond.flow_from.text() + " -> " + bond.flow_to.text()));
    return table;
}

}  // namespace

std::optional<std::pair<Endpoint, Endpoint>> parse_arrow(const std::string& text,
                                                         const Place& place,
                                                         Diagnostics& findings) {
    const auto arrow = text.find("->");
    const std::string_view whole = text;
    if (arrow != std::string::npos && text.find("->", arrow + 2) == std::string::npos) {
        const std::string_view from = trimmed(whole.substr(0, arrow));
        const std::string_view to = trimmed(whole.substr(arrow + 2));
        if (!from.empty() && !to.empty())
            return std::pair{Endpoint{{}, std::string(from)}, Endpoint{{}, std::string(to)}};
    }
    report(findings, place, fmt::format("'{}' is not a connection", text),
           "write \"source.output -> target.input\"");
    return std::nullopt;
}

void read_run_sections(TableReader& reader, SystemDescription& description, ReadContext& context) {
    Diagnostics& findings = reader.findings();
    if (const Setting* table = reader.table("experiment"))
        read_experiment(*table, description, findings);
    read_method(reader, "coupling", description.coupling);
    read_method(reader, "step_control", description.step_control);
    if (const Setting* table = reader.table("record"))
        read_recording(*table, description.recording, findings);
    read_report(reader, description, context);
}

void read_system_sections(TableReader& reader, NestedSystem& system) {
    Diagnostics& findings = reader.findings();
    if (const Setting* list = reader.list("functions"))
        for (const Setting& entry : list->entries) read_function(entry, false, system, findings);
    if (const Setting* list = reader.list("sources"))
        for (const Setting& entry : list->entries) read_function(entry, true, system, findings);
    read_events(reader, system.events);
    if (const Setting* list = reader.list("bonds"))
        for (const Setting& entry : list->entries) read_bond(entry, system, findings);
    read_tlm(reader, system.tlm);
}

void read_options(TableReader& reader, std::vector<Setting>& options) {
    check_interpolation(reader);
    read_sizes(reader, options);
    if (const Setting* table = reader.table("interface_jacobian"))
        if (is_jacobian(*table, reader)) options.push_back(*table);
    for (const OptionKey& key : option_keys) {
        const std::string name(key.name);
        bool valid = false;
        if (key.type == Type::text) valid = reader.text(name).has_value();
        if (key.type == Type::boolean) valid = reader.boolean(name).has_value();
        if (key.type == Type::real) valid = reader.positive(name).has_value();
        if (key.type == Type::integer) {
            const auto value = reader.integer(name);
            valid = value && *value >= 1 && *value <= largest_integer;
            if (value && !valid)
                reader.refuse(*reader.table().find(name),
                              fmt::format("'{}' must be at least 1{}, but is {}", name,
                                          *value > 1 ? " and at most a billion" : "", *value));
        }
        if (valid) options.push_back(*reader.table().find(name));
    }
}

Setting run_sections(const SystemDescription& description) {
    Setting root;
    add_group(root, experiment_setting(description.experiment));
    add_method(root, "coupling", description.coupling);
    add_method(root, "step_control", description.step_control);
    add_group(root, recording_setting(description.recording));
    add_group(root, plots_setting(description.report));
    add_group(root, report_setting(description.report));
    return root;
}

Setting system_sections(const NestedSystem& system) {
    Setting root;
    Setting functions = group("functions", Type::list, {});
    for (const CouplingFunction& function : system.functions)
        functions.entries.push_back(function_setting(function));
    add_group(root, std::move(functions));
    add_group(root, events_setting(system.events));
    Setting bonds = group("bonds", Type::list, {});
    for (const Bond& bond : system.bonds) bonds.entries.push_back(bond_setting(bond));
    add_group(root, std::move(bonds));
    add_group(root, tlm_setting(system.tlm));
    return root;
}

Setting option_section(const std::vector<Setting>& options) {
    Setting root;
    root.entries = options;
    return root;
}

}  // namespace tandem::description
