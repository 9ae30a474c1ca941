#include "api/system_builder.hpp"

#include <fmt/format.h>

#include "ssp/read.hpp"
#include "ssp/read_context.hpp"

namespace tandem {
namespace {

ssp::Endpoint endpoint(const std::string& text) {
    return {"", text};  // as in a file written by hand
}

template <class Value>
ssp::Setting setting(const char* key, ssp::Setting::Type type, Value value) {
    return {key, key, type, std::move(value), {}};
}

void apply(const SubsystemOptions& options, ssp::SubsystemDescription& subsystem) {
    using Type = ssp::Setting::Type;
    if (!options.solver.empty())
        subsystem.options.push_back(setting("solver", Type::text, options.solver));
    if (options.tolerance)
        subsystem.options.push_back(setting("tolerance", Type::real, *options.tolerance));
    if (options.step_ratio)
        subsystem.options.push_back(setting("step_ratio", Type::integer, *options.step_ratio));
}

void read_nested(ssp::SubsystemDescription& subsystem, Diagnostics& findings) {
    try {
        subsystem.nested = std::make_shared<const ssp::SystemDescription>(
            ssp::read_system(subsystem.source, findings));
    } catch (const InputError& error) {
        findings.push_back({Severity::error, error.place(), error.problem(), error.hint()});
    }
}

}  // namespace

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
    ssp::SubsystemDescription subsystem;
    subsystem.name = name;
    subsystem.place = fmt::format("add(\"{}\")", name);
    subsystem.source = std::filesystem::absolute(source);
    const auto type = ssp::source_type_of(subsystem.source);
    if (!type)
        parts_->findings.push_back({Severity::error, subsystem.place,
                                    fmt::format("'{}' is no kind of model", source.string()),
                                    "give an .fmu, .so, .csv, .toml, .ssd or .ssp"});
    subsystem.type = type.value_or(ssp::SourceType::none);
    subsystem.source_is_refused = !type;
    if (options.kind == "cs") subsystem.kind = ssp::PreferredKind::co_simulation;
    if (options.kind == "me") subsystem.kind = ssp::PreferredKind::model_exchange;
    if (!options.kind.empty() && options.kind != "cs" && options.kind != "me")
        parts_->findings.push_back({Severity::error, subsystem.place,
                                    fmt::format("there is no kind '{}'", options.kind),
                                    "use \"cs\" or \"me\""});
    apply(options, subsystem);
    if (subsystem.type == ssp::SourceType::system) read_nested(subsystem, parts_->findings);
    parts_->description.system.subsystems.push_back(std::move(subsystem));
    return *this;
}

SystemBuilder& SystemBuilder::add(const std::string& name, kit::ModelClass model_class,
                                  const SubsystemOptions& options) {
    ssp::SubsystemDescription subsystem;
    subsystem.name = name;
    subsystem.place = fmt::format("add(\"{}\")", name);
    subsystem.type = ssp::SourceType::model;
    apply(options, subsystem);
    parts_->description.system.subsystems.push_back(std::move(subsystem));
    parts_->models.emplace(name, std::move(model_class));
    return *this;
}

SystemBuilder& SystemBuilder::connect(const std::string& output, const std::string& input,
                                      double gain, double offset) {
    ssp::Connection connection;
    connection.from = endpoint(output);
    connection.to = endpoint(input);
    connection.place = fmt::format("connect(\"{}\", \"{}\")", output, input);
    if (gain != 1.0 || offset != 0.0)
        connection.transformation = {ssp::Transformation::Type::linear, gain, offset, {}};
    parts_->description.system.connections.push_back(std::move(connection));
    return *this;
}

SystemBuilder& SystemBuilder::connect(const std::vector<std::string>& outputs,
                                      const std::string& input, SignalFunction function) {
    ssp::CouplingFunction coupling;
    coupling.place = fmt::format("connect(..., \"{}\", function)", input);
    coupling.target = endpoint(input);
    coupling.callable = std::move(function);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        coupling.signals.push_back(
            {fmt::format("signal{}", i), endpoint(outputs[i]), coupling.place});
    parts_->description.system.functions.push_back(std::move(coupling));
    return *this;
}

SystemBuilder& SystemBuilder::experiment(double step, std::optional<double> stop, double start) {
    ssp::Experiment& experiment = parts_->description.experiment;
    experiment.start = start;
    experiment.step = step;
    experiment.stop = stop;
    return *this;
}

SystemBuilder& SystemBuilder::coupling(const std::string& method,
                                       std::vector<std::pair<std::string, std::string>> options) {
    parts_->description.coupling.method = method;
    parts_->description.coupling.place = "coupling()";
    parts_->coupling_options.clear();
    for (const auto& [name, value] : options)
        parts_->coupling_options.push_back(name + "=" + value);
    return *this;
}

}  // namespace tandem
