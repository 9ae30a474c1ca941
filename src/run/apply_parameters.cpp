#include "run/apply_parameters.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tandem::run {
namespace {

/// Element `k` of a value as a number.
std::optional<double> number(const ssp::ParameterValue& value, std::size_t k) {
    switch (storage_of(value.type)) {
        case Storage::reals: return value.values.reals[k];
        case Storage::integers: return static_cast<double>(value.values.integers[k]);
        case Storage::strings: break;
    }
    return std::nullopt;
}

class Setter {
public:
    Setter(const ssp::FlatParameter& parameter, const Signal& target, LoadedSubsystem& loaded)
        : parameter_(parameter), target_(target), loaded_(loaded) {}

    /// What is wrong; empty if the values were set.
    std::string apply(const ssp::LinearMap& map) {
        const ssp::ParameterValue& value = parameter_.value;
        if (value.values.size(value.type) != target_.elements.size())
            return fmt::format("{} values are given for {}", value.values.size(value.type),
                               target_.elements.size());
        Variables& variables = loaded_.subsystem->variables();
        const VariableGroup group = variables.group(std::span(&target_.variable, 1));
        Values values;
        values.resize(group.type, group.size);
        if (target_.elements.size() != group.size) variables.read(group, values);
        for (std::size_t k = 0; k < target_.elements.size(); ++k)
            if (!store(values, k, map)) return wrong_type();
        variables.write(group, values);
        return {};
    }

private:
    bool store(Values& values, std::size_t k, const ssp::LinearMap& map) const {
        const ssp::ParameterValue& given = parameter_.value;
        const std::size_t element = target_.elements[k];
        const ValueType type = target_.info->type;
        const auto real = number(given, k);
        switch (storage_of(type)) {
            case Storage::reals:
                if (real) values.reals[element] = map.gain * *real + map.offset;
                return real.has_value();
            case Storage::strings:
                if (!real) values.strings[element] = given.values.strings[k];
                return !real;
            case Storage::integers: break;
        }
        std::optional<std::int64_t> whole;
        if (!real)
            whole = loaded_.item(target_.variable, given.values.strings[k]);
        else if (std::nearbyint(*real) == *real)
            whole = storage_of(given.type) == Storage::integers ? given.values.integers[k]
                                                                : static_cast<std::int64_t>(*real);
        if (whole) values.integers[element] = *whole;
        return whole.has_value();
    }

    std::string wrong_type() const {
        return fmt::format("{} cannot become {}", to_string(parameter_.value.type),
                           to_string(target_.info->type));
    }

    const ssp::FlatParameter& parameter_;
    const Signal& target_;
    LoadedSubsystem& loaded_;
};

}  // namespace

void apply_parameters(const ssp::FlatSubsystem& description, std::size_t index,
                      LoadedSubsystem& loaded, const Signals& signals) {
    for (const ssp::FlatParameter& parameter : description.parameters) {
        const auto target = signals.find(index, parameter.variable, parameter.place);
        if (!target) continue;
        const std::string unit = parameter.value.unit.empty() ? target->unit : parameter.value.unit;
        const ssp::FoldedStages folded =
            ssp::fold(parameter.stages, {unit, target->unit}, signals.units_of(index));
        std::string problem = folded.problem;
        try {
            if (problem.empty()) problem = Setter(parameter, *target, loaded).apply(folded.map);
        } catch (const InputError& error) {
            problem = error.problem();
        }
        if (!problem.empty())
            signals.error(parameter.place, fmt::format("parameter {}: {}", target->text, problem));
    }
}

}  // namespace tandem::run
