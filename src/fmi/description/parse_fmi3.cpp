#include <fmt/format.h>

#include <limits>

#include "fmi/description/parse_parts.hpp"
#include "fmi/description/parse_roles.hpp"

namespace tandem::fmi {
namespace {

// A start value may stand for all elements, so the file can ask for far more memory than it takes.
constexpr std::uint64_t most_elements = 10'000'000;

void read_dimension(ParseContext& context, XmlElement element, Variable& variable) {
    Attributes attributes(context, element);
    Dimension dimension;
    const auto size = attributes.strict_number<std::uint64_t>("start");
    dimension.parameter = attributes.strict_number<std::uint32_t>("valueReference");
    if (size.has_value() == dimension.parameter.has_value())
        context.refuse(element.line(),
                       fmt::format("a dimension of {} needs either a size or a parameter",
                                   quoted(variable.name)),
                       "give exactly one of 'start' and 'valueReference'");
    dimension.size = size.value_or(1);
    attributes.finish();
    variable.dimensions.push_back(dimension);
}

void read_alias(ParseContext& context, XmlElement element, Variable& variable) {
    Attributes attributes(context, element);
    variable.aliases.push_back({attributes.required("name"), attributes.text("description"),
                                attributes.text("displayUnit"), false});
    attributes.finish();
}

void read_children(ParseContext& context, XmlElement element, Variable& variable) {
    for (const XmlElement child : element.children()) {
        if (child.name() == "Dimension")
            read_dimension(context, child, variable);
        else if (child.name() == "Alias")
            read_alias(context, child, variable);
        else if (child.name() == "Start" && storage_of(variable.type) == Storage::strings)
            append_start(context, variable, child.attribute("value").value_or(""));
        else if (child.name() != "Annotations")
            context.warn(
                child.line(),
                fmt::format("the element <{}> is unknown and ignored", quoted(child.name())),
                "FMI does not define it there");
    }
}

void read_start_list(ParseContext& context, Attributes& attributes, Variable& variable) {
    const auto start = attributes.find("start");
    if (!start) return;
    if (storage_of(variable.type) == Storage::strings) {
        append_start(context, variable, *start);
        return;
    }
    for (const std::string_view word : words_of(*start)) {
        append_start(context, variable, word);
        if (!variable.start) return;
    }
}

void read_clock_or_binary(ParseContext& context, Attributes& attributes, Variable& variable) {
    if (variable.type == ValueType::clock) {
        const auto found = context.clock_types.find(variable.declared_type);
        variable.clock = read_clock(
            attributes, found == context.clock_types.end() ? ClockAttributes{} : found->second);
        if (variable.clock->interval_variability.empty())
            context.refuse(
                variable.line,
                fmt::format("the clock {} has no intervalVariability", quoted(variable.name)),
                "give it, or a declaredType that has it");
    }
    if (variable.type == ValueType::binary) {
        const auto found = context.mime_types.find(variable.declared_type);
        variable.mime_type = attributes.text("mimeType");
        if (variable.mime_type.empty() && found != context.mime_types.end())
            variable.mime_type = found->second;
        if (variable.mime_type.empty()) variable.mime_type = "application/octet-stream";
        attributes.ignore({"maxSize"});
    }
}

/// The start value of the structural parameter that gives a dimension its size.
std::uint64_t size_from_parameter(ParseContext& context, const Variable& variable,
                                  ValueReference reference) {
    const auto refuse = [&](const char* problem) {
        context.refuse(variable.line,
                       fmt::format("a dimension of {} refers to variable {}, which {}",
                                   quoted(variable.name), reference, problem),
                       "it must be a structural parameter: a single UInt64 with a start value");
    };
    const auto found = context.reference_index.find(reference);
    if (found == context.reference_index.end()) refuse("does not exist");
    const Variable& parameter = context.model.variables[found->second];
    if (parameter.causality != Causality::structural_parameter)
        refuse("is no structural parameter");
    if (parameter.type != ValueType::uint64) refuse("is no UInt64");
    if (!parameter.dimensions.empty()) refuse("is an array itself");
    if (!parameter.start || parameter.start->integers.size() != 1) refuse("has no start value");
    return static_cast<std::uint64_t>(parameter.start->integers.front());
}

/// One start value stands for all elements of an array.
void fit_start(ParseContext& context, Variable& variable) {
    if (!variable.start) return;
    const std::size_t size = variable.size();
    const std::size_t given = variable.start->size(variable.type);
    if (given == size) return;
    if (given == 1 && size > 1) {
        Values& start = *variable.start;
        switch (storage_of(variable.type)) {
            case Storage::reals: start.reals.assign(size, double{start.reals.front()}); break;
            case Storage::integers:
                start.integers.assign(size, std::int64_t{start.integers.front()});
                break;
            case Storage::strings:
                start.strings.assign(size, std::string(start.strings.front()));
                break;
        }
        return;
    }
    context.warn(
        variable.line,
        fmt::format("{} has {} start values but {} elements", quoted(variable.name), given, size),
        "the start values are ignored; the FMU starts with values of its own");
    variable.start.reset();
}

}  // namespace

ClockAttributes read_clock(Attributes& attributes, const ClockAttributes& inherited) {
    ClockAttributes clock = inherited;
    const auto override_with = [](auto& field, const auto& value) {
        if (value) field = *value;
    };
    override_with(clock.interval_variability, attributes.find("intervalVariability"));
    override_with(clock.interval_decimal, attributes.number<double>("intervalDecimal"));
    override_with(clock.shift_decimal, attributes.number<double>("shiftDecimal"));
    override_with(clock.resolution, attributes.number<std::uint64_t>("resolution"));
    override_with(clock.interval_counter, attributes.number<std::uint64_t>("intervalCounter"));
    override_with(clock.shift_counter, attributes.number<std::uint64_t>("shiftCounter"));
    override_with(clock.supports_fraction, attributes.number<bool>("supportsFraction"));
    override_with(clock.can_be_deactivated, attributes.number<bool>("canBeDeactivated"));
    override_with(clock.priority, attributes.number<std::uint32_t>("priority"));
    return clock;
}

std::optional<Variable> read_typed_variable(ParseContext& context, XmlElement element) {
    const auto type = type_of_element(Version::v3, element.name());
    if (!type || element.name().ends_with("Type")) {
        context.warn(element.line(),
                     fmt::format("<ModelVariables> contains <{}>", quoted(element.name())),
                     "it is no type of FMI 3.0 and ignored");
        return std::nullopt;
    }
    Variable variable;
    Attributes attributes(context, element);
    variable.line = element.line();
    variable.type = *type;
    variable.name = attributes.required("name");
    variable.description = attributes.text("description");
    attributes.required("valueReference");
    variable.reference = *attributes.strict_number<std::uint32_t>("valueReference");
    read_roles(context, attributes, variable);
    read_declared_type(context, attributes, variable);
    read_clock_or_binary(context, attributes, variable);
    read_start_list(context, attributes, variable);
    if (const auto state = attributes.strict_number<std::uint32_t>("derivative"))
        variable.derivative_of = *state;
    variable.previous = attributes.strict_number<std::uint32_t>("previous");
    variable.clocks =
        attributes.list<std::uint32_t>("clocks").value_or(std::vector<std::uint32_t>{});
    variable.intermediate_update = attributes.flag("intermediateUpdate");
    variable.can_handle_multiple_set = attributes.flag("canHandleMultipleSetPerTimeInstant", true);
    attributes.finish();
    read_children(context, element, variable);
    return variable;
}

void resolve_dimensions(ParseContext& context) {
    std::uint64_t total = 0;
    for (Variable& variable : context.model.variables) {
        std::uint64_t size = 1;
        for (Dimension& dimension : variable.dimensions) {
            if (dimension.parameter)
                dimension.size = size_from_parameter(context, variable, *dimension.parameter);
            if (dimension.size > most_elements || size * dimension.size > most_elements)
                context.refuse(variable.line,
                               fmt::format("the array {} has more than {} elements",
                                           quoted(variable.name), most_elements),
                               "correct its dimensions");
            size *= dimension.size;
        }
        if (size == 0)
            context.warn(variable.line,
                         fmt::format("the array {} starts without elements", quoted(variable.name)),
                         "FMI 3.0 wants every dimension to start with at least 1");
        total += size;
        if (total > most_elements)
            context.refuse(
                variable.line,
                fmt::format("the arrays have together more than {} elements", most_elements),
                "correct their dimensions");
        fit_start(context, variable);
    }
}

}  // namespace tandem::fmi
