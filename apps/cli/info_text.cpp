#include <fmt/format.h>

#include <cstdio>

#include "info.hpp"
#include "terminal.hpp"

namespace tandem::cli {
namespace {

using fmi::Causality;
using fmi::KindInfo;
using fmi::ModelDescription;
using fmi::Variable;

constexpr std::size_t rows_shown = 30;
constexpr std::size_t values_shown = 4;

std::string yes(bool value) { return value ? "yes" : ""; }

std::string number(double value) { return fmt::format("{}", value); }

std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

class Page {
public:
    Page(const fmi::Fmu& fmu, bool all)
        : fmu_(fmu),
          description_(fmu.description()),
          all_(all),
          style_(stdout),
          width_(terminal_width(stdout)) {}

    std::string text() {
        model();
        kinds();
        experiment();
        section(Causality::structural_parameter, "Structural parameters");
        section(Causality::parameter, "Parameters");
        section(Causality::calculated_parameter, "Calculated parameters");
        section(Causality::input, "Inputs");
        section(Causality::output, "Outputs");
        section(Causality::local, "Local variables");
        section(Causality::independent, "Independent variable");
        findings();
        return text_;
    }

private:
    TextTable table() const { return {style_, width_}; }
    void heading(const std::string& title) {
        text_ += (text_.empty() ? "" : "\n") + style_.heading(title) + "\n";
    }
    void model();
    void kinds();
    void experiment();
    void section(Causality causality, const char* title);
    void findings();
    std::string type_of(const Variable& variable) const;
    std::string start_of(const Variable& variable) const;

    const fmi::Fmu& fmu_;
    const ModelDescription& description_;
    bool all_;
    Style style_;
    std::size_t width_;
    std::string text_;
};

void Page::model() {
    heading(printable(description_.model_name));
    TextTable rows = table();
    const auto row = [&rows](const char* key, const std::string& value) {
        if (!value.empty()) rows.row({key, printable(value)});
    };
    row("description", description_.description);
    row("file", fmu_.path().string());
    row("FMI version", description_.version_text);
    row("model version", description_.model_version);
    row("author", description_.author);
    row("made by", description_.generation_tool);
    row("made at", description_.generation_time);
    row("copyright", description_.copyright);
    row("license", description_.license);
    row("token", description_.instantiation_token);
    row("platforms", fmt::format("{}", fmt::join(platforms_of(fmu_), ", ")));
    if (const std::size_t files = sources_of(fmu_).size()) row("sources", counted(files, "file"));
    row("states", std::to_string(description_.state_count));
    row("event indicators", std::to_string(description_.event_indicator_count));
    row("variables", std::to_string(description_.variables.size()));
    text_ += rows.text();
}

struct CapabilityRow {
    const char* name;
    std::string (*value)(const KindInfo& kind);
};

const CapabilityRow capability_rows[] = {
    {"model identifier", [](const KindInfo& k) { return k.model_identifier; }},
    {"variable step", [](const KindInfo& k) { return yes(k.can_handle_variable_step); }},
    {"fixed internal step", [](const KindInfo& k) { return number(k.fixed_internal_step_size); }},
    {"input derivatives", [](const KindInfo& k) { return yes(k.can_interpolate_inputs); }},
    {"output derivatives",
     [](const KindInfo& k) {
         const unsigned order = k.max_output_derivative_order;
         return order == 0 ? std::string() : fmt::format("order {}", order);
     }},
    {"get and set state", [](const KindInfo& k) { return yes(k.can_get_and_set_state); }},
    {"serialise state", [](const KindInfo& k) { return yes(k.can_serialize_state); }},
    {"directional derivatives",
     [](const KindInfo& k) { return yes(k.provides_directional_derivatives); }},
    {"adjoint derivatives", [](const KindInfo& k) { return yes(k.provides_adjoint_derivatives); }},
    {"event mode", [](const KindInfo& k) { return yes(k.has_event_mode); }},
    {"may return early", [](const KindInfo& k) { return yes(k.might_return_early_from_step); }},
    {"accepts early return", [](const KindInfo& k) { return yes(k.can_return_early); }},
    {"intermediate update", [](const KindInfo& k) { return yes(k.provides_intermediate_update); }},
    {"asynchronous steps", [](const KindInfo& k) { return yes(k.can_run_asynchronously); }},
    {"needs its tool", [](const KindInfo& k) { return yes(k.needs_execution_tool); }},
    {"only once per process", [](const KindInfo& k) { return yes(k.only_once_per_process); }},
};

void Page::kinds() {
    heading("Kinds");
    std::vector<const KindInfo*> kinds;
    std::vector<std::string> names{""};
    const auto add = [&](const std::optional<KindInfo>& kind, fmi::Kind which) {
        if (!kind) return;
        kinds.push_back(&*kind);
        names.emplace_back(to_string(which));
    };
    add(description_.co_simulation, fmi::Kind::co_simulation);
    add(description_.model_exchange, fmi::Kind::model_exchange);
    add(description_.scheduled_execution, fmi::Kind::scheduled_execution);
    TextTable rows = table();
    rows.header(names);
    for (const CapabilityRow& capability : capability_rows) {
        std::vector<std::string> cells{capability.name};
        bool any = false;
        for (const KindInfo* kind : kinds) {
            cells.push_back(printable(capability.value(*kind)));
            any = any || !cells.back().empty();
            if (cells.back().empty()) cells.back() = "-";
        }
        if (any) rows.row(cells);
    }
    text_ += rows.text();
}

void Page::experiment() {
    const fmi::DefaultExperiment& experiment = description_.experiment;
    TextTable rows = table();
    const auto row = [&rows](const char* key, const std::optional<double>& value) {
        if (value) rows.row({key, number(*value)});
    };
    row("start", experiment.start_time);
    row("stop", experiment.stop_time);
    row("step", experiment.step_size);
    row("tolerance", experiment.tolerance);
    const std::string lines = rows.text();
    if (lines.empty()) return;
    heading("Default experiment");
    text_ += lines;
}

std::string Page::type_of(const Variable& variable) const {
    std::string text(to_string(variable.type));
    if (variable.type == ValueType::enumeration && !variable.declared_type.empty())
        text = printable(variable.declared_type);
    for (const fmi::Dimension& dimension : variable.dimensions)
        text += fmt::format("[{}]", dimension.size);
    return text;
}

std::string Page::start_of(const Variable& variable) const {
    if (!variable.start) return "";
    const std::size_t count = variable.start->size(variable.type);
    std::string text;
    for (std::size_t i = 0; i < std::min(count, values_shown); ++i) {
        std::string value = to_text(variable.type, *variable.start, i);
        if (const fmi::TypeDefinition* type = description_.type(variable.declared_type))
            for (const fmi::EnumerationItem& item : type->items)
                if (variable.type == ValueType::enumeration &&
                    item.value == variable.start->integers[i])
                    value = item.name;
        if (variable.type == ValueType::string) value = '"' + value + '"';
        text += (i == 0 ? "" : ", ") + printable(value);
    }
    return count > values_shown ? text + ", ..." : text;
}

void Page::section(Causality causality, const char* title) {
    TextTable rows = table();
    rows.header({"name", "type", "variability", "unit", "start", "description"});
    std::size_t count = 0;
    for (const Variable& variable : description_.variables) {
        if (variable.causality != causality || (++count > rows_shown && !all_)) continue;
        rows.row({printable(variable.name), type_of(variable),
                  std::string(to_string(variable.variability)), printable(variable.attributes.unit),
                  start_of(variable), printable(variable.description)});
    }
    if (count == 0) return;
    heading(fmt::format("{} ({})", title, count));
    text_ += rows.text();
    if (count > rows_shown && !all_)
        text_ +=
            style_.faint(fmt::format("  ... and {} more; --all shows them", count - rows_shown)) +
            "\n";
}

void Page::findings() {
    const std::size_t count = fmu_.findings().size();
    if (count == 0) return;
    text_ += fmt::format("\n{} {} in the description; 'tandem check {}' shows {}\n", count,
                         count == 1 ? "finding" : "findings", fmu_.path().string(),
                         count == 1 ? "it" : "them");
}

}  // namespace

std::string info_as_text(const fmi::Fmu& fmu, bool all) { return Page(fmu, all).text(); }

}  // namespace tandem::cli
