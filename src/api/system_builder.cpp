#include "api/system_builder.hpp"

#include <fmt/format.h>

#include "description/read/events.hpp"
#include "description/read/read.hpp"
#include "description/read/read_context.hpp"
#include "description/read/sections.hpp"
#include "description/read/toml_parts.hpp"

namespace tandem {
namespace {

description::Endpoint endpoint(const std::string& text) {
    return {"", text};  // as in a file written by hand
}

using Type = description::Setting::Type;

/// Options as the table of a file.
class OptionTable {
public:
    explicit OptionTable(const description::Place& place) { table_.place = place; }

    template <class Value>
    void add(const char* key, Type type, const std::optional<Value>& value) {
        if (value) table_.entries.push_back({key, table_.place, type, *value, {}});
    }
    void add(const char* key, const std::vector<std::pair<std::string, double>>& sizes) {
        description::Setting group = description::group(key, Type::table, {});
        group.place = table_.place;
        for (const auto& [name, size] : sizes)
            group.entries.push_back({name, table_.place, Type::real, size, {}});
        description::add_group(table_, std::move(group));
    }
    const description::Setting& table() const { return table_; }

private:
    description::Setting table_;
};

void apply(const SubsystemOptions& options, description::SubsystemDescription& subsystem,
           Diagnostics& findings) {
    OptionTable table(subsystem.place);
    if (!options.solver.empty()) table.add("solver", Type::text, std::optional(options.solver));
    table.add("tolerance", Type::real, options.tolerance);
    table.add("step", Type::real, options.step);
    table.add("max_step", Type::real, options.max_step);
    table.add("first_step", Type::real, options.first_step);
    table.add("max_order", Type::integer, options.max_order);
    table.add("max_steps", Type::integer, options.max_steps);
    table.add("step_ratio", Type::integer, options.step_ratio);
    table.add("shares", Type::text, options.shares);
    table.add("nominal", options.nominals);
    table.add("absolute_tolerance", options.absolute_tolerances);
    table.add("absolute_tolerance", Type::real, options.absolute_tolerance);
    if (options.absolute_tolerance && !options.absolute_tolerances.empty())
        findings.push_back({Severity::error, subsystem.place,
                            "there are both absolute_tolerance and absolute_tolerances",
                            "give one for all states, or those of some by their names"});
    description::TableReader reader(table.table(), "options", findings);
    description::read_options(reader, subsystem.options);
}

std::vector<description::NamedSignal> named_signals(const std::vector<std::string>& variables,
                                                    const description::Place& place) {
    std::vector<description::NamedSignal> signals;
    for (std::size_t i = 0; i < variables.size(); ++i)
        signals.push_back({fmt::format("signal{}", i), endpoint(variables[i]), place});
    return signals;
}

description::Direction direction_of(Direction direction) {
    switch (direction) {
        case Direction::rising: return description::Direction::rising;
        case Direction::falling: return description::Direction::falling;
        case Direction::both: break;
    }
    return description::Direction::both;
}

using description::Setting;
using description::text_setting;

Setting table(std::string key, std::vector<Setting> entries) {
    return description::group(std::move(key), Type::table, std::move(entries));
}
Setting list(std::string key, std::vector<Setting> entries) {
    return description::group(std::move(key), Type::list, std::move(entries));
}

Setting numbers(std::string key, const std::vector<double>& values) {
    Setting all = list(std::move(key), {});
    for (const double value : values) all.entries.push_back(description::real_setting({}, value));
    return all;
}

Setting end_of(const LineEnd& end, const description::Place& place) {
    Setting setting = table({}, {});
    for (const auto& [key, variable] : end.ports)
        setting.entries.push_back(text_setting(key, variable));
    if (!end.exchange.empty()) setting.entries.push_back(text_setting("exchange", end.exchange));
    description::add_group(setting, numbers("origin", end.origin));
    description::add_group(setting, numbers("rotation", end.rotation));
    setting.place = place;
    return setting;
}

void set_places(Setting& setting, const description::Place& place) {
    setting.place = place;
    for (Setting& entry : setting.entries) set_places(entry, place);
}

void read_nested(description::SubsystemDescription& subsystem, Diagnostics& findings) {
    try {
        subsystem.nested = std::make_shared<const description::SystemDescription>(
            description::read_system(subsystem.source, findings));
    } catch (const InputError& error) {
        findings.push_back({Severity::error, error.place(), error.problem(), error.hint()});
    }
}

}  // namespace

void SystemBuilder::Parts::read(description::Setting root, const description::Place& place) {
    set_places(root, place);
    description::TableReader reader(root, place, findings);
    description::read_units(reader, description.units);
    description::read_system_sections(reader, description.system);
    reader.finish();
}

std::vector<std::string> option_texts(
    const std::vector<std::pair<std::string, std::string>>& options) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : options) texts.push_back(name + "=" + value);
    return texts;
}

SystemBuilder::SystemBuilder(std::string name) : parts_(std::make_unique<Parts>()) {
    parts_->description.system.name = std::move(name);
}

SystemBuilder::~SystemBuilder() = default;
SystemBuilder::SystemBuilder(const SystemBuilder& other)
    : parts_(std::make_unique<Parts>(*other.parts_)) {}
SystemBuilder& SystemBuilder::operator=(const SystemBuilder& other) {
    parts_ = std::make_unique<Parts>(*other.parts_);
    return *this;
}

SystemBuilder& SystemBuilder::add(const std::string& name, const std::filesystem::path& source,
                                  const SubsystemOptions& options) {
    description::SubsystemDescription subsystem;
    subsystem.name = name;
    subsystem.place = fmt::format("add(\"{}\")", name);
    subsystem.source = std::filesystem::absolute(source);
    const auto type = description::source_type_of(subsystem.source);
    if (!type)
        parts_->findings.push_back({Severity::error, subsystem.place,
                                    fmt::format("'{}' is no kind of model", source.string()),
                                    "give an .fmu, .so, .csv, .toml, .ssd or .ssp"});
    subsystem.type = type.value_or(description::SourceType::none);
    subsystem.source_is_refused = !type;
    if (options.kind == "cs") subsystem.kind = description::PreferredKind::co_simulation;
    if (options.kind == "me") subsystem.kind = description::PreferredKind::model_exchange;
    if (!options.kind.empty() && options.kind != "cs" && options.kind != "me")
        parts_->findings.push_back({Severity::error, subsystem.place,
                                    fmt::format("there is no kind '{}'", options.kind),
                                    "use \"cs\" or \"me\""});
    apply(options, subsystem, parts_->findings);
    if (subsystem.type == description::SourceType::system) read_nested(subsystem, parts_->findings);
    parts_->description.system.subsystems.push_back(std::move(subsystem));
    return *this;
}

SystemBuilder& SystemBuilder::add(const std::string& name, kit::ModelClass model_class,
                                  const SubsystemOptions& options) {
    description::SubsystemDescription subsystem;
    subsystem.name = name;
    subsystem.place = fmt::format("add(\"{}\")", name);
    subsystem.type = description::SourceType::model;
    apply(options, subsystem, parts_->findings);
    parts_->description.system.subsystems.push_back(std::move(subsystem));
    parts_->models.emplace(name, std::move(model_class));
    return *this;
}

SystemBuilder& SystemBuilder::connect(const std::string& output, const std::string& input,
                                      double gain, double offset) {
    description::Connection connection;
    connection.from = endpoint(output);
    connection.to = endpoint(input);
    connection.place = fmt::format("connect(\"{}\", \"{}\")", output, input);
    if (gain != 1.0 || offset != 0.0)
        connection.transformation = {description::Transformation::Type::linear, gain, offset, {}};
    parts_->description.system.connections.push_back(std::move(connection));
    return *this;
}

SystemBuilder& SystemBuilder::connect(const std::vector<std::string>& outputs,
                                      const std::string& input, SignalFunction function) {
    description::CouplingFunction coupling;
    coupling.place = fmt::format("connect(..., \"{}\", function)", input);
    coupling.target = endpoint(input);
    coupling.callable = std::move(function);
    coupling.signals = named_signals(outputs, coupling.place);
    parts_->description.system.functions.push_back(std::move(coupling));
    return *this;
}

SystemBuilder& SystemBuilder::add_event(SystemEvent event) {
    description::SystemEvent described;
    described.place = fmt::format("add_event(\"{}\")", event.name);
    described.name = std::move(event.name);
    described.callable = std::move(event.indicator);
    described.direction = direction_of(event.direction);
    described.times = std::move(event.times);
    described.signals = named_signals(event.signals, described.place);
    for (auto& [variable, function] : event.actions)
        described.actions.push_back({endpoint(variable), {}, std::move(function), described.place});
    description::check_trigger(described, described.place, parts_->findings);
    description::check_actions(described, parts_->findings);
    parts_->description.system.events.push_back(std::move(described));
    return *this;
}

SystemBuilder& SystemBuilder::add_line(const TransmissionLine& line) {
    const description::Place place = fmt::format("add_line(\"{}\")", line.name);
    Setting ends = list("ends", {end_of(line.first, place), end_of(line.second, place)});
    Setting element = table({}, {text_setting("name", line.name)});
    if (!line.domain.empty()) element.entries.push_back(text_setting("domain", line.domain));
    if (!line.exchange.empty()) element.entries.push_back(text_setting("exchange", line.exchange));
    for (const auto& [key, value] : line.values)
        element.entries.push_back(description::real_setting(key, value));
    element.entries.push_back(std::move(ends));
    parts_->read(table({}, {list("tlm", {std::move(element)})}), place);
    return *this;
}

SystemBuilder& SystemBuilder::add_bond(const PowerBond& bond) {
    Setting entry = table({}, {text_setting("name", bond.name), text_setting("effort", bond.effort),
                               text_setting("flow", bond.flow)});
    parts_->read(table({}, {list("bonds", {std::move(entry)})}),
                 fmt::format("add_bond(\"{}\")", bond.name));
    return *this;
}

SystemBuilder& SystemBuilder::add_unit(const UnitDefinition& unit) {
    Setting entry = table(unit.name, {description::real_setting("factor", unit.factor),
                                      description::real_setting("offset", unit.offset)});
    for (const auto& [base, exponent] : unit.exponents)
        entry.entries.push_back({base, {}, Type::integer, std::int64_t{exponent}, {}});
    parts_->read(table({}, {table("units", {std::move(entry)})}),
                 fmt::format("add_unit(\"{}\")", unit.name));
    return *this;
}

SystemBuilder& SystemBuilder::add_plugin(const std::filesystem::path& file) {
    parts_->description.plugins.push_back(
        {std::filesystem::absolute(file), fmt::format("add_plugin(\"{}\")", file.string())});
    return *this;
}

SystemBuilder& SystemBuilder::experiment(double step, std::optional<double> stop, double start) {
    description::Experiment& experiment = parts_->description.experiment;
    experiment.start = start;
    experiment.step = step;
    experiment.stop = stop;
    return *this;
}

SystemBuilder& SystemBuilder::coupling(const std::string& method,
                                       std::vector<std::pair<std::string, std::string>> options) {
    parts_->description.coupling.method = method;
    parts_->description.coupling.place = "coupling()";
    parts_->coupling_options = option_texts(options);
    return *this;
}

}  // namespace tandem
