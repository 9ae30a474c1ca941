#include "assemble/load/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/listed.hpp"
#include "base/log.hpp"
#include "base/names.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

using fmi::Causality;
using fmi::ModelDescription;
using fmi::Variable;

struct Request {
    std::string place;
    std::size_t variable = 0;
    std::optional<std::size_t> element;
    std::string_view value;
};

/// "x[3]" -> x and 2, if x is an array.
std::optional<Request> find_element(const ModelDescription& description, std::string_view name) {
    const auto open = name.rfind('[');
    if (open == std::string_view::npos || !name.ends_with(']')) return std::nullopt;
    const auto variable = description.find(name.substr(0, open));
    std::size_t number = 0;
    const char* end = name.data() + name.size() - 1;
    const auto [stop, error] = std::from_chars(name.data() + open + 1, end, number);
    if (!variable || error != std::errc{} || stop != end || number == 0) return std::nullopt;
    if (description.variables[*variable].dimensions.empty()) return std::nullopt;
    return Request{{}, *variable, number - 1, {}};
}

std::vector<std::string> settable_names(const ModelDescription& description) {
    std::vector<std::string> names;
    for (const Variable& variable : description.variables) names.push_back(variable.name);
    return names;
}

/// Names may contain '=': the first '=' behind a known name divides.
Request parse(const ModelDescription& description, const std::string& text) {
    const std::string place = "--set " + text;
    const auto first = text.find('=');
    if (first == std::string::npos || first == 0)
        throw InputError(place, "is not of the form name=value");
    for (auto equals = first; equals != std::string::npos; equals = text.find('=', equals + 1)) {
        const std::string_view name = std::string_view(text).substr(0, equals);
        const std::string_view value = std::string_view(text).substr(equals + 1);
        if (const auto variable = description.find(name)) return {place, *variable, {}, value};
        if (const auto element = find_element(description, name))
            return {place, element->variable, element->element, value};
    }
    const std::string name = text.substr(0, first);
    throw InputError(
        place, fmt::format("there is no variable '{}'", name),
        did_you_mean(name, settable_names(description), "tandem info --all lists the variables"));
}

void check_settable(const Request& request, const Variable& variable) {
    const std::string reason = why_not_settable(variable);
    if (!reason.empty())
        throw InputError(request.place, fmt::format("'{}' {}", variable.name, reason),
                         "parameters, inputs and start values of states can be set");
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (std::size_t comma; (comma = text.find(',', begin)) != std::string_view::npos;
         begin = comma + 1)
        parts.push_back(text.substr(begin, comma - begin));
    parts.push_back(text.substr(begin));
    return parts;
}

void warn_outside(const Request& request, const Variable& variable, double value) {
    const auto& [min, max] = std::pair(variable.attributes.min, variable.attributes.max);
    if (min && value < *min)
        log(LogLevel::warning,
            fmt::format("{}: below the minimum {} of '{}'", request.place, *min, variable.name));
    if (max && value > *max)
        log(LogLevel::warning,
            fmt::format("{}: above the maximum {} of '{}'", request.place, *max, variable.name));
}

void append(const ModelDescription& description, const Request& request, std::string_view text,
            Values& values) {
    const Variable& variable = description.variables[request.variable];
    if (variable.type == ValueType::enumeration)
        if (const auto number = enumeration_value(description, request.variable, text)) {
            values.integers.push_back(*number);
            return;
        }
    if (!append_text(variable.type, text, values)) {
        std::string hint;
        if (const fmi::TypeDefinition* type = description.type(variable.declared_type))
            for (const fmi::EnumerationItem& item : type->items)
                hint += (hint.empty() ? "the values are " : ", ") + item.name;
        throw InputError(request.place,
                         fmt::format("'{}' is not a value of '{}', which is of type {}", text,
                                     variable.name, to_string(variable.type)),
                         hint);
    }
    if (storage_of(variable.type) == Storage::reals)
        warn_outside(request, variable, values.reals.back());
    else if (storage_of(variable.type) == Storage::integers)
        warn_outside(request, variable, static_cast<double>(values.integers.back()));
}

/// The number of values with the structural parameters that were assigned so far.
std::size_t size_of(const ModelDescription& description, const Variable& variable,
                    const std::vector<Assignment>& done) {
    std::size_t size = 1;
    for (const fmi::Dimension& dimension : variable.dimensions) {
        std::uint64_t extent = dimension.size;
        for (const Assignment& assignment : done)
            if (dimension.parameter &&
                description.variables[assignment.variable].reference == *dimension.parameter)
                extent = static_cast<std::uint64_t>(assignment.values.integers.at(0));
        size *= static_cast<std::size_t>(extent);
    }
    return size;
}

void replace_element(const ModelDescription& description, const Request& request,
                     Assignment& assignment) {
    const Variable& variable = description.variables[request.variable];
    const std::size_t count = assignment.values.size(variable.type);
    if (*request.element >= count)
        throw InputError(request.place,
                         fmt::format("'{}' has {}", variable.name, counted(count, "value")));
    Values one;
    append(description, request, request.value, one);
    switch (storage_of(variable.type)) {
        case Storage::reals: assignment.values.reals[*request.element] = one.reals[0]; break;
        case Storage::integers:
            assignment.values.integers[*request.element] = one.integers[0];
            break;
        case Storage::strings: assignment.values.strings[*request.element] = one.strings[0]; break;
    }
}

void assign_element(const ModelDescription& description, const Request& request,
                    std::vector<Assignment>& done) {
    const Variable& variable = description.variables[request.variable];
    const auto same = [&](const Assignment& a) { return a.variable == request.variable; };
    auto place = std::find_if(done.begin(), done.end(), same);
    if (place == done.end()) {
        Assignment fresh{request.variable, variable.start.value_or(Values{})};
        fresh.values.resize(variable.type, size_of(description, variable, done));
        place = done.insert(done.end(), std::move(fresh));
    }
    replace_element(description, request, *place);
}

void assign(const ModelDescription& description, const Request& request,
            std::vector<Assignment>& done) {
    const Variable& variable = description.variables[request.variable];
    check_settable(request, variable);
    if (request.element) return assign_element(description, request, done);
    Assignment assignment{request.variable, {}};
    if (variable.dimensions.empty()) {
        append(description, request, request.value, assignment.values);
    } else {
        const std::size_t wanted = size_of(description, variable, done);
        const std::vector<std::string_view> parts = split(request.value);
        if (parts.size() != wanted)
            throw InputError(request.place,
                             fmt::format("'{}' has {}, not {}", variable.name,
                                         counted(wanted, "value"), parts.size()),
                             "write them with commas between: name=1,2,3");
        for (const std::string_view part : parts)
            append(description, request, part, assignment.values);
    }
    std::erase_if(done, [&](const Assignment& a) { return a.variable == request.variable; });
    done.push_back(std::move(assignment));
}

}  // namespace

InputError refused_value(const RefusedValue& error) {
    return {"--set " + error.variable(), error.what(), "give a value that the FMU takes"};
}

std::string why_not_settable(const Variable& variable) {
    if (variable.variability == fmi::Variability::constant) return "is a constant";
    if (variable.causality == Causality::independent) return "is the time; use --start";
    if (variable.causality == Causality::calculated_parameter ||
        variable.initial == fmi::Initial::calculated ||
        (variable.causality == Causality::output && !variable.start))
        return "is calculated by the FMU";
    return {};
}

std::optional<std::int64_t> enumeration_value(const ModelDescription& description,
                                              std::size_t variable, std::string_view item) {
    const fmi::TypeDefinition* type =
        description.type(description.variables[variable].declared_type);
    if (type == nullptr) return std::nullopt;
    for (const fmi::EnumerationItem& candidate : type->items)
        if (candidate.name == item) return candidate.value;
    return std::nullopt;
}

std::vector<Assignment> parse_assignments(const ModelDescription& description,
                                          const std::vector<std::string>& texts) {
    std::vector<Request> requests;
    for (const std::string& text : texts) requests.push_back(parse(description, text));
    std::stable_partition(requests.begin(), requests.end(), [&](const Request& request) {
        const Variable& variable = description.variables[request.variable];
        return variable.causality == Causality::structural_parameter;
    });
    std::vector<Assignment> assignments;
    for (const Request& request : requests) assign(description, request, assignments);
    return assignments;
}

}  // namespace tandem::assemble
