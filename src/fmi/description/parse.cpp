#include "fmi/description/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fmi/description/parse_parts.hpp"

namespace tandem::fmi {
namespace {

constexpr std::string_view experiment_hint = "the value is ignored; give --start, --stop or --step";

/// FMI versions by what the text starts with; "2.0.4" and "3.0-rc.1" are read as 2.0 and 3.0.
std::optional<Version> version_of(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, Version>, 3> known = {
        {{"1.0", Version::v1}, {"2.0", Version::v2}, {"3.0", Version::v3}}};
    for (const auto& [start, version] : known)
        if (text == start || text.starts_with(std::string(start) + ".") ||
            text.starts_with(std::string(start) + "-"))
            return version;
    return std::nullopt;
}

void read_version(ParseContext& context, XmlElement root, Attributes& attributes) {
    if (root.name() != "fmiModelDescription")
        context.refuse(
            root.line(),
            fmt::format("the root element is <{}>, not <fmiModelDescription>", quoted(root.name())),
            "is this really the description of an FMU?");
    context.model.version_text = attributes.required("fmiVersion");
    const auto version = version_of(context.model.version_text);
    if (!version)
        context.refuse(
            root.line(),
            fmt::format("the FMI version {} is not known", quoted(context.model.version_text)),
            "Tandem reads FMI 1.0, 2.0 and 3.0");
    context.model.version = *version;
    if (context.model.version_text.find('-') != std::string::npos)
        context.warn(root.line(),
                     fmt::format("{} is a draft of FMI", quoted(context.model.version_text)),
                     "it is read as the final version");
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Starts like 2020-03-11T19:14:58
bool is_date(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00";
    if (text.size() < form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i)
        if (form[i] == '0' ? !is_digit(text[i]) : text[i] != form[i]) return false;
    return true;
}

void read_identity(ParseContext& context, Attributes& attributes) {
    ModelDescription& model = context.model;
    model.model_name = attributes.required("modelName");
    const char* token = model.version == Version::v3 ? "instantiationToken" : "guid";
    model.instantiation_token = attributes.required(token);
    model.description = attributes.text("description");
    model.author = attributes.text("author");
    model.model_version = attributes.text("version");
    model.copyright = attributes.text("copyright");
    model.license = attributes.text("license");
    model.generation_tool = attributes.text("generationTool");
    model.generation_time = attributes.text("generationDateAndTime");
    if (!model.generation_time.empty() && !is_date(model.generation_time))
        context.warn(attributes.line(),
                     fmt::format("generationDateAndTime {} is not a date and time",
                                 quoted(model.generation_time)),
                     "write it like 2026-01-31T12:00:00Z");
    constexpr std::array<std::pair<std::string_view, bool>, 2> conventions = {
        {{"flat", false}, {"structured", true}}};
    model.structured_names =
        attributes.choice<bool>("variableNamingConvention", conventions).value_or(false);
}

void read_counts(ParseContext& context, Attributes& attributes) {
    ModelDescription& model = context.model;
    constexpr std::uint32_t most = 100'000'000;
    const auto count = [&](const char* name) -> std::size_t {
        const auto value = attributes.strict_number<std::uint32_t>(name);
        if (value && *value > most)
            context.refuse(attributes.line(), fmt::format("'{}' is {}", name, *value),
                           "no real FMU is that large");
        return value.value_or(0);
    };
    if (model.version == Version::v1) model.state_count = count("numberOfContinuousStates");
    if (model.version != Version::v3)
        model.event_indicator_count = count("numberOfEventIndicators");
}

void read_log_categories(ParseContext& context, XmlElement root) {
    for (const XmlElement category : root.child("LogCategories").children()) {
        Attributes attributes(context, category);
        context.model.log_categories.push_back(
            {attributes.required("name"), attributes.text("description")});
        attributes.finish();
    }
}

void read_experiment(ParseContext& context, XmlElement root) {
    const XmlElement element = root.child("DefaultExperiment");
    if (!element) return;
    Attributes attributes(context, element);
    DefaultExperiment& experiment = context.model.experiment;
    experiment.start_time = attributes.number<double>("startTime");
    experiment.stop_time = attributes.number<double>("stopTime");
    experiment.tolerance = attributes.number<double>("tolerance");
    experiment.step_size = attributes.number<double>("stepSize");
    attributes.finish();
    const auto drop_unless = [&](bool good, std::optional<double>& value, const char* problem) {
        if (!value || good) return;
        context.warn(element.line(), problem, std::string(experiment_hint));
        value.reset();
    };
    const double start = experiment.start_time.value_or(0.0);
    drop_unless(experiment.stop_time >= start, experiment.stop_time,
                "the default experiment stops before it starts");
    drop_unless(experiment.tolerance > 0.0, experiment.tolerance,
                "the tolerance of the default experiment is not positive");
    drop_unless(experiment.step_size > 0.0, experiment.step_size,
                "the step size of the default experiment is not positive");
}

void read_annotations(ParseContext& context, XmlElement root) {
    const bool v3 = context.model.version == Version::v3;
    for (const XmlElement note : root.child(v3 ? "Annotations" : "VendorAnnotations").children())
        if (const auto name = note.attribute(v3 ? "type" : "name"))
            context.model.vendor_annotations.emplace_back(*name);
}

void check_sections(ParseContext& context, XmlElement root) {
    constexpr std::array<std::string_view, 12> known = {
        "ModelExchange",     "CoSimulation",   "ScheduledExecution", "UnitDefinitions",
        "TypeDefinitions",   "LogCategories",  "DefaultExperiment",  "ModelVariables",
        "VendorAnnotations", "ModelStructure", "Implementation",     "Annotations"};
    std::vector<std::string_view> seen;
    for (const XmlElement section : root.children()) {
        if (std::find(known.begin(), known.end(), section.name()) == known.end())
            context.warn(
                section.line(),
                fmt::format("the element <{}> is unknown and ignored", quoted(section.name())),
                "FMI does not define it there");
        else if (std::find(seen.begin(), seen.end(), section.name()) != seen.end())
            context.refuse(section.line(), fmt::format("<{}> occurs twice", section.name()),
                           "join the two");
        seen.push_back(section.name());
    }
}

}  // namespace

ModelDescription parse_model_description(std::string_view xml, const std::string& place,
                                         Diagnostics& findings) {
    const XmlDocument document(xml, place);
    const XmlElement root = document.root();
    ModelDescription model;
    ParseContext context(place, model, findings);
    Attributes attributes(context, root);
    read_version(context, root, attributes);
    check_sections(context, root);
    read_identity(context, attributes);
    read_counts(context, attributes);
    read_kinds(context, root, attributes);
    attributes.finish();
    read_units(context, root);
    read_types(context, root);
    read_log_categories(context, root);
    read_experiment(context, root);
    read_annotations(context, root);
    read_variables(context, root);
    read_structure(context, root);
    check_model(context, root);
    context.summarize_warnings();
    return model;
}

}  // namespace tandem::fmi
