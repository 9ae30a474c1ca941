#include "assemble/apply_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "assemble/load/assignment.hpp"
#include "assemble/load/unmet_units.hpp"
#include "base/listed.hpp"
#include "base/names.hpp"
#include "description/values.hpp"

namespace tandem::assemble {
namespace {

using description::ParameterValue;

bool is_text(const ParameterValue& value) {
    return value.type == ValueType::enumeration || storage_of(value.type) == Storage::strings;
}

std::size_t count_of(const ParameterValue& value) {
    return is_text(value) ? value.values.strings.size() : value.values.size(value.type);
}

std::string text_of(const ParameterValue& value, std::size_t k) {
    return is_text(value) ? value.values.strings[k] : to_text(value.type, value.values, k);
}

ParameterValue text_value(std::vector<std::string> texts) {
    ParameterValue value;
    value.type = ValueType::string;
    value.values.strings = std::move(texts);
    return value;
}

/// Entry k of a value as a value of its own.
ParameterValue single(const ParameterValue& value, std::size_t k) {
    ParameterValue one;
    one.type = value.type;
    if (is_text(value))
        one.values.strings = {value.values.strings[k]};
    else if (storage_of(value.type) == Storage::reals)
        one.values.reals = {value.values.reals[k]};
    else
        one.values.integers = {value.values.integers[k]};
    return one;
}

/// One value on its way into one variable. Throws InputError for what does not fit.
class Setter {
public:
    /// How a value is changed before it is set.
    struct Change {
        description::LinearMap map;
        const description::Transformation* table = nullptr;
        bool reads_text = false;  ///< a text may stand for a number: "3", "true"
        const description::Enumeration* enumeration =
            nullptr;  ///< of the file, besides the variable's own
    };

    Setter(const ParameterValue& given, const Signal& target, const Change& change)
        : given_(given), target_(target), change_(change) {
        for (const auto& [name, value] : target.info->items) items_.push_back({name, value});
        if (change.enumeration != nullptr)
            for (const description::EnumerationItem& item : change.enumeration->items)
                items_.push_back(item);
    }

    void apply(LoadedSubsystem& loaded) const {
        if (count_of(given_) != target_.elements.size())
            fail(fmt::format("{} {} given for {}", counted(count_of(given_), "value"),
                             count_of(given_) == 1 ? "is" : "are", target_.elements.size()),
                 "give as many values as the variable has");
        check_settable(loaded);
        Variables& variables = loaded.subsystem->variables();
        const VariableGroup group = variables.group(std::span(&target_.variable, 1));
        Values values;
        values.resize(group.type, group.size);
        if (target_.elements.size() != group.size) variables.read(group, values);
        for (std::size_t k = 0; k < target_.elements.size(); ++k)
            store(converted(k), target_.elements[k], values);
        variables.write(group, values);
    }

    /// What is set, as text: "15000 N/m", "1, 2, 3".
    std::string text() const {
        std::vector<std::string> parts;
        for (std::size_t k = 0; k < target_.elements.size(); ++k)
            parts.push_back(to_text(target_.info->type, converted(k), 0));
        return fmt::format("{}{}{}", fmt::join(parts, ", "), target_.unit.empty() ? "" : " ",
                           target_.unit);
    }

    /// Below the minimum or above the maximum that the FMU declares.
    std::string doubt(const LoadedSubsystem& loaded) const {
        const fmi::Variable* variable = fmu_variable(loaded);
        if (variable == nullptr || storage_of(target_.info->type) == Storage::strings) return {};
        for (std::size_t k = 0; k < target_.elements.size(); ++k) {
            const Values value = converted(k);
            const double number =
                value.reals.empty() ? static_cast<double>(value.integers[0]) : value.reals[0];
            if (variable->attributes.min && number < *variable->attributes.min)
                return fmt::format("{} is below the minimum {}", number, *variable->attributes.min);
            if (variable->attributes.max && number > *variable->attributes.max)
                return fmt::format("{} is above the maximum {}", number, *variable->attributes.max);
        }
        return {};
    }

private:
    [[noreturn]] static void fail(const std::string& problem, const std::string& hint = {}) {
        throw InputError({}, problem, hint);
    }

    const fmi::Variable* fmu_variable(const LoadedSubsystem& loaded) const {
        if (loaded.fmu == nullptr) return nullptr;
        const auto& variables = loaded.fmu->description().variables;
        return target_.variable < variables.size() ? &variables[target_.variable] : nullptr;
    }

    void check_settable(const LoadedSubsystem& loaded) const {
        const fmi::Variable* variable = fmu_variable(loaded);
        const std::string reason = variable == nullptr ? "" : why_not_settable(*variable);
        if (!reason.empty())
            fail(reason, "parameters, inputs and start values of states can be set");
    }

    Values converted(std::size_t k) const {
        ParameterValue value = single(given_, k);
        if (change_.table != nullptr) value = mapped(text_of(given_, k));
        const ValueType type = target_.info->type;
        const bool from_text = change_.reads_text || change_.table != nullptr;
        const bool needs_number = storage_of(type) != Storage::strings;
        if (type != ValueType::enumeration && needs_number && is_text(value) && !from_text)
            wrong_type();
        if (storage_of(type) == Storage::reals && value.type == ValueType::boolean) wrong_type();
        if (type == ValueType::binary && value.type != ValueType::binary)
            return bytes_of(value, from_text);
        std::optional<Values> result = description::value_as(type, value, items_);
        if (!result) does_not_fit(value);
        if (type == ValueType::enumeration) check_item(result->integers[0]);
        for (double& real : result->reals) real = change_.map.gain * real + change_.map.offset;
        return std::move(*result);
    }

    /// Hexadecimal digits as bytes.
    Values bytes_of(const ParameterValue& value, bool from_text) const {
        Values bytes;
        if (!is_text(value) || !from_text) wrong_type();
        if (!append_text(ValueType::binary, value.values.strings[0], bytes)) does_not_fit(value);
        return bytes;
    }

    ParameterValue mapped(const std::string& text) const {
        const auto& entries = change_.table->entries;
        const auto found = std::ranges::find(entries, text, &description::MapEntry::source);
        if (found == entries.end())
            fail(fmt::format("'{}' is not in the table of its mapping", text),
                 "add an entry for it");
        return text_value({found->target});
    }

    void check_item(std::int64_t number) const {
        if (items_.empty() ||
            std::ranges::find(items_, number, &description::EnumerationItem::value) != items_.end())
            return;
        std::vector<std::string> known;
        for (const description::EnumerationItem& item : items_)
            known.push_back(fmt::format("{} ({})", item.name, item.value));
        fail(fmt::format("{} is not the number of an item of its enumeration", number),
             fmt::format("the items are {}", fmt::join(known, ", ")));
    }

    static void store(const Values& one, std::size_t element, Values& values) {
        if (!one.reals.empty()) values.reals[element] = one.reals[0];
        if (!one.integers.empty()) values.integers[element] = one.integers[0];
        if (!one.strings.empty()) values.strings[element] = one.strings[0];
    }

    [[noreturn]] void wrong_type() const {
        fail(fmt::format("{} cannot become {}", to_string(given_.type),
                         to_string(target_.info->type)),
             fmt::format("give a value of type {}", to_string(target_.info->type)));
    }

    [[noreturn]] void does_not_fit(const ParameterValue& value) const {
        const std::string text = text_of(value, 0);
        if (target_.info->type == ValueType::enumeration && is_text(value)) {
            std::vector<std::string> names;
            for (const description::EnumerationItem& item : items_) names.push_back(item.name);
            fail(
                fmt::format("'{}' is not an item of its enumeration", text),
                did_you_mean(text, names, fmt::format("the items are {}", fmt::join(names, ", "))));
        }
        if (target_.info->type == ValueType::string) wrong_type();
        fail(fmt::format("{} is not a value of type {}", is_text(value) ? "'" + text + "'" : text,
                         to_string(target_.info->type)),
             "give one that is of this type and in its range");
    }

    const ParameterValue& given_;
    const Signal& target_;
    Change change_;
    std::vector<description::EnumerationItem> items_;
};

/// Later values of a variable replace earlier ones.
void remember(Setting setting, Settings& settings) {
    const auto known = std::ranges::find(settings, setting.name, &Setting::name);
    if (known != settings.end())
        known->value = std::move(setting.value);
    else
        settings.push_back(std::move(setting));
}

struct Target {
    const Signal& signal;
    const std::string& place;
    LoadedSubsystem& loaded;
};

void set(const ParameterValue& value, const Target& target, const Setter::Change& change,
         const Signals& signals) {
    const std::string title = fmt::format("parameter {}: ", target.signal.text);
    try {
        const Setter setter(value, target.signal, change);
        setter.apply(target.loaded);
        target.loaded.places[target.signal.info->name] = target.place;
        remember({target.signal.name, setter.text()}, target.loaded.parameters);
        const std::string doubt = setter.doubt(target.loaded);
        if (!doubt.empty()) signals.warn(target.place, title + doubt);
    } catch (const InputError& error) {
        signals.error(target.place, title + error.problem(), error.hint());
    } catch (const FmuError& error) {
        signals.error(target.place, title + error.what());
    }
}

std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == ',')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

/// A name of the form subsystem.variable, taken apart.
struct Named {
    std::size_t subsystem = 0;
    std::string variable;
};

/// The longest subsystem name that `name` begins with.
std::optional<Named> take_apart(const std::string& name, const description::FlatSystem& flat) {
    for (auto dot = name.rfind('.'); dot != std::string::npos && dot > 0;
         dot = name.rfind('.', dot - 1))
        if (const auto subsystem = flat.find(std::string_view(name).substr(0, dot)))
            return Named{*subsystem, name.substr(dot + 1)};
    return std::nullopt;
}

void report_unknown(const std::string& name, const std::string& place,
                    const description::FlatSystem& flat, const Signals& signals) {
    if (const auto named = take_apart(name, flat)) {
        signals.find(named->subsystem, named->variable, place);
        return;
    }
    std::vector<std::string> names;
    for (const description::FlatSubsystem& subsystem : flat.subsystems)
        names.push_back(subsystem.name);
    const std::string subsystem = name.substr(0, name.rfind('.'));
    signals.error(place, fmt::format("there is no subsystem '{}'", subsystem),
                  did_you_mean(subsystem, names,
                               fmt::format("the subsystems are {}", fmt::join(names, ", "))));
}

/// Names may contain '=': the first '=' behind a known name divides.
void apply_setting(const std::string& text, const description::FlatSystem& flat,
                   std::vector<LoadedSubsystem>& loaded, const Signals& signals) {
    const std::string place = "--set " + text;
    const auto first = text.find('=');
    if (first == std::string::npos || first == 0) {
        signals.error(place, "is not of the form subsystem.variable=value",
                      "e.g. --set wheel.m=40");
        return;
    }
    for (auto equals = first; equals != std::string::npos; equals = text.find('=', equals + 1)) {
        const auto named = take_apart(text.substr(0, equals), flat);
        if (!named || !signals.has(named->subsystem, named->variable)) continue;
        const auto target = signals.find(named->subsystem, named->variable, place);
        if (!target) return;
        const std::string value = text.substr(equals + 1);
        set(text_value(target->elements.size() == 1 ? std::vector{value} : split_at_commas(value)),
            {*target, place, loaded[named->subsystem]}, {.map = {}, .reads_text = true}, signals);
        return;
    }
    report_unknown(text.substr(0, first), place, flat, signals);
}

}  // namespace

void apply_parameters(const description::FlatSubsystem& description, std::size_t index,
                      LoadedSubsystem& loaded, const Signals& signals) {
    for (const description::FlatParameter& parameter : description.parameters) {
        const auto target = signals.find(index, parameter.variable, parameter.place);
        if (!target) continue;
        const std::string unit = parameter.value.unit.empty()
                                     ? description::unit_before(parameter.stages, target->unit)
                                     : parameter.value.unit;
        const description::FoldedStages folded =
            description::fold(parameter.stages, {unit, target->unit}, signals.units_of(index));
        const std::string title = fmt::format("parameter {}: ", target->text);
        for (const std::string& name : folded.not_known)
            signals.warn(
                parameter.place,
                fmt::format("{}unit '{}' is not known, so nothing is converted", title, name),
                "define it under [units]");
        if (const std::string unmet = unmet_unit(parameter.stages, {unit, target->unit});
            !unmet.empty())
            signals.warn(parameter.place,
                         fmt::format("{}the variable has no unit, so the value in '{}' is taken as "
                                     "it is",
                                     title, unmet));
        if (!folded.problem.empty())
            signals.error(parameter.place, title + folded.problem,
                          "give the value in a unit of the same kind");
        else
            set(parameter.value, {*target, parameter.place, loaded},
                {.map = folded.map,
                 .table = description::value_map(parameter.stages),
                 .enumeration = signals.enumeration(parameter.value.enumeration)},
                signals);
    }
}

void apply_impedances(const description::FlatSystem& flat, std::vector<LoadedSubsystem>& loaded,
                      const Signals& signals) {
    for (const description::FlatTlm& line : flat.tlm)
        for (const description::FlatTlmEnd& end : line.ends) {
            if (!end.impedance) continue;
            const auto target = signals.find(end.subsystem, end.impedance->name, end.place);
            if (!target) continue;
            set(text_value({fmt::format("{}", description::line_numbers(line).impedance)}),
                {*target, end.place, loaded[end.subsystem]}, {.map = {}, .reads_text = true},
                signals);
        }
}

void apply_settings(const std::vector<std::string>& texts, const description::FlatSystem& flat,
                    std::vector<LoadedSubsystem>& loaded, const Signals& signals) {
    for (const std::string& text : texts) apply_setting(text, flat, loaded, signals);
}

}  // namespace tandem::assemble
