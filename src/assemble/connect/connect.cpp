#include "assemble/connect/connect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "assemble/load/unmet_units.hpp"
#include "base/listed.hpp"
#include "base/names.hpp"
#include "expression/expression.hpp"

namespace tandem::assemble {
namespace {

bool is_real(const Signal& signal) { return storage_of(signal.info->type) == Storage::reals; }
bool is_text(const Signal& signal) { return storage_of(signal.info->type) == Storage::strings; }

bool is_unsigned(ValueType type) {
    return type == ValueType::uint8 || type == ValueType::uint16 || type == ValueType::uint32 ||
           type == ValueType::uint64;
}

/// How many values of the type there are, roughly: a smaller target may lose something.
int width(ValueType type) {
    switch (type) {
        case ValueType::boolean:
        case ValueType::clock: return 1;
        case ValueType::int8:
        case ValueType::uint8: return 8;
        case ValueType::int16:
        case ValueType::uint16: return 16;
        case ValueType::enumeration:
        case ValueType::int32:
        case ValueType::uint32: return 32;
        default: return 64;
    }
}

/// Two enumerations with the same items under other numbers are connected by name.
std::vector<std::pair<std::int64_t, std::int64_t>> items_by_name(const VariableInfo& from,
                                                                 const VariableInfo& to) {
    std::vector<std::pair<std::int64_t, std::int64_t>> map;
    for (const auto& [name, number] : from.items)
        for (const auto& [other, partner] : to.items)
            if (name == other) map.emplace_back(number, partner);
    return map.size() == from.items.size() ? map
                                           : std::vector<std::pair<std::int64_t, std::int64_t>>{};
}

bool loses(ValueType from, ValueType to) {
    const bool real_from = storage_of(from) == Storage::reals;
    const bool real_to = storage_of(to) == Storage::reals;
    constexpr int float32_digits = 24, float64_digits = 53;
    if (real_from && real_to) return to == ValueType::float32 && from == ValueType::float64;
    if (real_from) return true;
    if (real_to) return width(from) > (to == ValueType::float32 ? float32_digits : float64_digits);
    if (from == ValueType::boolean || from == to) return false;
    if (is_unsigned(to) && !is_unsigned(from)) return true;  // what is negative
    return is_unsigned(from) && !is_unsigned(to) ? width(to) <= width(from)
                                                 : width(to) < width(from);
}

}  // namespace

Connector::Connector(const description::FlatSystem& flat,
                     const std::vector<LoadedSubsystem>& loaded, const Signals& signals)
    : flat_(flat), loaded_(loaded), signals_(signals) {
    int inputs = 0;
    int outputs = 0;
    for (const LoadedSubsystem& part : loaded) {
        input_begin_.push_back(inputs);
        output_begin_.push_back(outputs);
        if (part.subsystem == nullptr) continue;
        inputs += static_cast<int>(part.subsystem->interface().inputs.size());
        outputs += static_cast<int>(part.subsystem->interface().outputs.size());
    }
}

void Connector::connect(const description::FlatConnection& connection) {
    const auto from = signals_.find(connection.from, connection.place);
    const auto to = signals_.find(connection.to, connection.place);
    if (!from || !to || !is_source(*from, connection.place)) return;
    if (!claim_for(*from, *to, connection.place)) return;
    if (!types_fit(*from, *to, connection)) return;
    const auto map = map_units(connection.stages, *from, *to, connection.place);
    const auto converted = conversion(connection, *from, *to);
    if (!map || !converted) return;
    for (std::size_t k = 0; k < from->elements.size(); ++k) {
        const auto output = signals_.output_port(*from, from->elements[k]);
        const auto input = signals_.input_port(*to, to->elements[k]);
        if (output && input) {
            links.push_back({first_output(from->subsystem) + *output,
                             first_input(to->subsystem) + *input, map->gain, map->offset});
            continue;
        }
        Conversion typed = *converted;
        typed.factor = map->gain;
        typed.offset = map->offset;
        typed_links.push_back(
            {{static_cast<int>(from->subsystem), from->variable, from->elements[k]},
             {static_cast<int>(to->subsystem), to->variable, to->elements[k]},
             std::move(typed),
             input ? first_input(to->subsystem) + *input : -1});
    }
    record(connection, *from, *to, *map);
}

bool Connector::is_source(const Signal& signal, const std::string& place) const {
    if (!signal.info->is_input) return true;
    signals_.error(place, fmt::format("'{}' is an input and cannot be a source", signal.text),
                   "write the output first: output -> input");
    return false;
}

/// Tables, which change at known times only, may also drive parameters that may change.
bool Connector::claim_for(const Signal& source, const Signal& target, const std::string& place) {
    const bool is_driven = loaded_[source.subsystem].table != nullptr &&
                           target.info->is_parameter &&
                           loaded_[target.subsystem].is_tunable(target.info->name);
    return is_driven ? claim_elements(target, place) : claim(target, place);
}

/// Whole values and parameters take those of rows, nothing in between.
void Connector::hold_columns() const {
    for (const TypedLink& link : typed_links) {
        const auto source = static_cast<std::size_t>(link.from.subsystem);
        const auto target = static_cast<std::size_t>(link.to.subsystem);
        TableSource* const table = loaded_[source].table;
        const VariableInfo& to = loaded_[target].subsystem->variables().list()[link.to.variable];
        const bool takes_rows = to.is_parameter || storage_of(to.type) != Storage::reals;
        if (table == nullptr || !takes_rows || !table->hold(link.from.variable)) continue;
        const VariableInfo& column = table->variables().list()[link.from.variable];
        const int port = first_output(source) + table->port_of(link.from.variable);
        if (std::ranges::any_of(links, [&](const Link& other) { return other.output == port; }))
            signals_.warn(flat_.subsystems[source].place,
                          fmt::format("'{}.{}' is held between its rows for all that it feeds, "
                                      "because '{}.{}' takes the values of rows only",
                                      flat_.subsystems[source].name, column.name,
                                      flat_.subsystems[target].name, to.name));
    }
}

/// The target must be an input that nothing feeds yet.
bool Connector::claim(const Signal& target, const std::string& place) {
    if (!target.info->is_input) {
        signals_.error(place,
                       fmt::format("'{}' is {} and cannot be connected to", target.text,
                                   target.info->is_output      ? "an output"
                                   : target.info->is_parameter ? "a parameter"
                                                               : "no input"),
                       target.info->is_parameter ? "set it under parameters"
                                                 : "only inputs can be connected to");
        return false;
    }
    return claim_elements(target, place);
}

bool Connector::claim_elements(const Signal& target, const std::string& place) {
    for (const std::size_t element : target.elements) {
        const auto [known, is_new] =
            fed_.try_emplace({target.subsystem, target.variable, element}, place);
        if (is_new) continue;
        signals_.error(
            place, fmt::format("'{}' is driven twice, here and at {}", target.text, known->second),
            "remove one of them");
        return false;
    }
    return true;
}

bool Connector::types_fit(const Signal& from, const Signal& to,
                          const description::FlatConnection& connection) const {
    if (from.elements.size() != to.elements.size()) {
        signals_.error(connection.place,
                       fmt::format("{}: {} cannot become {}", connection.text,
                                   counted(from.elements.size(), "value"), to.elements.size()),
                       "connect a slice, e.g. a[1:3]");
        return false;
    }
    if (from.info->type == ValueType::clock || to.info->type == ValueType::clock) {
        signals_.error(
            connection.place,
            fmt::format("{}: {} cannot become {}: clocks cannot be connected", connection.text,
                        to_string(from.info->type), to_string(to.info->type)),
            "connect the variables that the clock changes");
        return false;
    }
    if (is_text(from) != is_text(to) || (is_text(from) && from.info->type != to.info->type)) {
        signals_.error(connection.place,
                       fmt::format("{}: {} cannot become {}", connection.text,
                                   to_string(from.info->type), to_string(to.info->type)),
                       "connect variables of the same kind; numbers fit numbers only");
        return false;
    }
    const TableSource* const table = loaded_[from.subsystem].table;
    const bool are_words = from.info->type == ValueType::enumeration;
    if (table != nullptr && are_words && to.info->type != ValueType::enumeration) {
        signals_.error(connection.place,
                       fmt::format("{}: a column of words cannot become {}", connection.text,
                                   to_string(to.info->type)),
                       "words are items of enumerations; write numbers");
        return false;
    }
    const bool is_whole = table != nullptr && !is_real(to) && table->is_whole(from.variable);
    if (loses(from.info->type, to.info->type) && !is_whole)
        signals_.warn(connection.place,
                      fmt::format("{}: {} becomes {}, which may lose something", connection.text,
                                  to_string(from.info->type), to_string(to.info->type)));
    return true;
}

std::optional<description::LinearMap> Connector::map_units(
    const std::vector<description::Stage>& stages, const Signal& from, const Signal& to,
    const std::string& place) const {
    const description::UnitLookup source = signals_.units_of(from.subsystem);
    const description::UnitLookup target = signals_.units_of(to.subsystem);
    const auto lookup = [&](const std::string& name) {
        const auto found = source(name);
        return found ? found : target(name);
    };
    const description::FoldedStages folded =
        description::fold(stages, {from.unit, to.unit}, lookup);
    if (!folded.problem.empty()) {
        signals_.error(place,
                       fmt::format("connection {} -> {}: {}", from.text, to.text, folded.problem),
                       "connect another variable, or set suppress_unit_conversion on this "
                       "connection");
        return std::nullopt;
    }
    for (const std::string& unit : folded.not_known)
        signals_.warn(place,
                      fmt::format("connection {} -> {}: unit '{}' is not known, so nothing is "
                                  "converted",
                                  from.text, to.text, unit));
    if (const std::string unmet = unmet_unit(stages, {from.unit, to.unit}); !unmet.empty())
        unmet_.push_back(fmt::format("{} in '{}' -> {}", from.text, unmet, to.text));
    return folded.map;
}

/// Expressions see the value that the connector shows which they name.
std::optional<description::LinearMap> Connector::map_signal(const description::FlatSignal& signal,
                                                            const Signal& source,
                                                            const std::string& place) const {
    Signal seen = source;
    seen.unit = description::unit_behind(signal.stages, source.unit);
    return map_units(signal.stages, source, seen, place);
}

std::optional<Conversion> Connector::conversion(const description::FlatConnection& connection,
                                                const Signal& from, const Signal& to) const {
    Conversion conversion;
    const description::Transformation* table = description::value_map(connection.stages);
    if (table == nullptr) {
        conversion.map = items_by_name(*from.info, *to.info);
        return conversion;
    }
    if (is_real(from) || is_text(from)) {
        signals_.error(connection.place,
                       fmt::format("{}: a table of values needs a boolean, integer or "
                                   "enumeration as source",
                                   connection.text),
                       "for numbers use factor and offset");
        return std::nullopt;
    }
    for (const description::MapEntry& entry : table->entries) {
        const auto source = map_value(entry.source, from);
        const auto target = map_value(entry.target, to);
        if (!source) refuse_entry(connection, entry.source, from);
        if (!target) refuse_entry(connection, entry.target, to);
        if (source && target) conversion.map.emplace_back(*source, *target);
    }
    if (conversion.map.size() != table->entries.size()) return std::nullopt;
    return conversion;
}

void Connector::refuse_entry(const description::FlatConnection& connection, const std::string& text,
                             const Signal& signal) const {
    std::vector<std::string> names;
    for (const auto& item : signal.info->items) names.push_back(item.first);
    signals_.error(
        connection.place,
        fmt::format("{}: '{}' is not a value of '{}'", connection.text, text, signal.text),
        did_you_mean(text, names,
                     names.empty() ? "use true, false or integers"
                                   : fmt::format("use {}", fmt::join(names, ", "))));
}

std::optional<std::int64_t> Connector::map_value(const std::string& text,
                                                 const Signal& signal) const {
    if (text == "true") return 1;
    if (text == "false") return 0;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size()) return number;
    for (const auto& [name, value] : signal.info->items)
        if (name == text) return value;
    return std::nullopt;
}

void Connector::record(const description::FlatConnection& connection, const Signal& from,
                       const Signal& to, const description::LinearMap& map) {
    records.push_back({{flat_.subsystems[from.subsystem].name, connection.from.name},
                       {flat_.subsystems[to.subsystem].name, connection.to.name},
                       to.unit,
                       std::string(to_string(to.info->type)),
                       map.gain,
                       map.offset});
}

void Connector::connect(const description::FlatFunction& function) {
    std::vector<std::string> names;
    std::vector<int> outputs;
    std::vector<description::LinearMap> maps;
    FunctionRecord entry{{}, {}, function.expression};
    for (const description::FlatSignal& signal : function.signals) {
        const auto source = signals_.find(signal.variable, function.place);
        if (!source || !is_source(*source, function.place)) return;
        const auto output = signals_.output_port(*source, source->elements.front());
        if (!output || source->elements.size() != 1) {
            signals_.error(function.place, fmt::format("'{}' is not one real output", source->text),
                           "functions take real outputs or other real variables of a model, or "
                           "single elements of arrays");
            return;
        }
        names.push_back(signal.name);
        outputs.push_back(first_output(source->subsystem) + *output);
        const auto map = map_signal(signal, *source, function.place);
        if (!map) return;
        maps.push_back(*map);
        entry.from.push_back({flat_.subsystems[source->subsystem].name, source->name});
    }
    if (!function.callable && !evaluator(function.expression, names, function.place)) return;
    for (const description::FlatTarget& goal : function.targets) {
        const auto target = signals_.find(goal.variable, function.place);
        if (!target || !claim(*target, function.place)) continue;
        const auto input = signals_.input_port(*target, target->elements.front());
        if (!input || target->elements.size() != 1) {
            signals_.error(function.place, fmt::format("'{}' is not one real input", target->text),
                           "functions feed real inputs, or single elements of arrays");
            continue;
        }
        const auto folded = function_map(function, goal, *target);
        if (!folded) continue;
        functions.push_back({first_input(target->subsystem) + *input, outputs,
                             function.callable ? with_units(function.callable, maps, *folded)
                                               : evaluator(function.expression, names,
                                                           function.place, {maps, *folded})});
        entry.to = {flat_.subsystems[target->subsystem].name, target->name};
        function_records.push_back(entry);
    }
}

Connector::Evaluator Connector::with_units(Evaluator evaluate,
                                           std::vector<description::LinearMap> signals,
                                           const description::LinearMap& value) {
    return [evaluate = std::move(evaluate), scratch = std::vector<double>(signals.size()),
            signals = std::move(signals), value](double t, std::span<const double> values) mutable {
        for (std::size_t i = 0; i < values.size(); ++i)
            scratch[i] = signals[i].gain * values[i] + signals[i].offset;
        return value.gain * evaluate(t, scratch) + value.offset;
    };
}

Connector::Evaluator Connector::evaluator(const std::string& expression,
                                          const std::vector<std::string>& names,
                                          const std::string& place,
                                          const expression::ExpressionUnits& units) const {
    try {
        auto compiled =
            std::make_shared<const expression::Expression>(expression, names, place, units);
        if (!compiled->is_smooth()) return SwitchedCall{std::move(compiled)};
        return [compiled](double t, std::span<const double> signals) {
            return compiled->evaluate(t, signals);
        };
    } catch (const InputError& error) {
        signals_.error(error.place(), error.problem(), error.hint());
        return {};
    }
}

/// From the unit of the function to that of its target.
std::optional<description::LinearMap> Connector::function_map(
    const description::FlatFunction& function, const description::FlatTarget& goal,
    const Signal& target) const {
    const std::string unit =
        function.unit.empty() ? description::unit_before(goal.stages, target.unit) : function.unit;
    const description::FoldedStages folded =
        description::fold(goal.stages, {unit, target.unit}, signals_.units_of(target.subsystem));
    if (const std::string unmet = unmet_unit(goal.stages, {unit, target.unit}); !unmet.empty())
        unmet_.push_back(fmt::format("a function in '{}' -> {}", unmet, target.text));
    if (folded.problem.empty()) return folded.map;
    signals_.error(function.place,
                   fmt::format("function for '{}': {}", target.text, folded.problem),
                   "give the unit that the expression has");
    return std::nullopt;
}

std::set<FedElement> Connector::fed() const {
    std::set<FedElement> elements;
    for (const auto& [element, place] : fed_) elements.insert(element);
    return elements;
}

void Connector::report_unmet_units() const {
    if (unmet_.empty()) return;
    const Diagnostic warning = unmet_units(flat_.name, unmet_);
    signals_.warn(warning.place, warning.problem, warning.hint);
}

void Connector::report_unconnected() const {
    for (std::size_t s = 0; s < loaded_.size(); ++s) {
        if (loaded_[s].subsystem == nullptr) continue;
        std::vector<std::string> names;
        const auto& list = loaded_[s].subsystem->variables().list();
        const auto is_given = [&](const std::string& name) {
            return std::ranges::find(loaded_[s].parameters, name, &Setting::name) !=
                   loaded_[s].parameters.end();
        };
        for (std::size_t v = 0; v < list.size(); ++v)
            if (list[v].is_input && list[v].size > 0 && !fed_.contains({s, v, 0}) &&
                !is_given(list[v].name))
                names.push_back(list[v].name);
        if (names.empty()) continue;
        constexpr std::size_t shown = 5;
        const std::size_t more = names.size() > shown ? names.size() - shown : 0;
        names.resize(names.size() - more);
        signals_.warn(
            flat_.subsystems[s].place,
            fmt::format("inputs of '{}' that nothing feeds: {}{}", flat_.subsystems[s].name,
                        fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""),
            "they keep their start values");
    }
}

numerics::Graph Connector::flows() const {
    const auto owner = [](const std::vector<int>& begin, int port) {
        return static_cast<int>(std::ranges::upper_bound(begin, port) - begin.begin()) - 1;
    };
    std::vector<std::pair<int, int>> edges;
    for (const Link& link : links)
        edges.emplace_back(owner(output_begin_, link.output), owner(input_begin_, link.input));
    for (const FunctionLink& function : functions)
        for (const int output : function.outputs)
            edges.emplace_back(owner(output_begin_, output), owner(input_begin_, function.input));
    return {static_cast<int>(loaded_.size()), std::move(edges)};
}

}  // namespace tandem::assemble
