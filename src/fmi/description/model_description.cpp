#include "fmi/description/model_description.hpp"

#include <algorithm>

namespace tandem::fmi {

std::string_view to_string(Version version) {
    switch (version) {
        case Version::v1: return "1.0";
        case Version::v2: return "2.0";
        case Version::v3: return "3.0";
    }
    return "?";
}

std::string_view to_string(Kind kind) {
    switch (kind) {
        case Kind::co_simulation: return "Co-Simulation";
        case Kind::model_exchange: return "Model Exchange";
        case Kind::scheduled_execution: return "Scheduled Execution";
    }
    return "?";
}

std::string_view to_string(Causality causality) {
    switch (causality) {
        case Causality::parameter: return "parameter";
        case Causality::calculated_parameter: return "calculatedParameter";
        case Causality::structural_parameter: return "structuralParameter";
        case Causality::input: return "input";
        case Causality::output: return "output";
        case Causality::local: return "local";
        case Causality::independent: return "independent";
    }
    return "?";
}

std::string_view to_string(Variability variability) {
    switch (variability) {
        case Variability::constant: return "constant";
        case Variability::fixed: return "fixed";
        case Variability::tunable: return "tunable";
        case Variability::discrete: return "discrete";
        case Variability::continuous: return "continuous";
    }
    return "?";
}

std::string_view to_string(Initial initial) {
    switch (initial) {
        case Initial::none: return "none";
        case Initial::exact: return "exact";
        case Initial::approx: return "approx";
        case Initial::calculated: return "calculated";
    }
    return "?";
}

std::size_t Variable::size() const {
    std::size_t product = 1;
    for (const Dimension& dimension : dimensions) product *= dimension.size;
    return product;
}

std::optional<std::size_t> ModelDescription::find(std::string_view name) const {
    const auto found = index_by_name.find(std::string(name));
    if (found == index_by_name.end()) return std::nullopt;
    return found->second;
}

const KindInfo* ModelDescription::kind(Kind kind) const {
    const auto pointer = [](const std::optional<KindInfo>& info) {
        return info ? &*info : nullptr;
    };
    switch (kind) {
        case Kind::co_simulation: return pointer(co_simulation);
        case Kind::model_exchange: return pointer(model_exchange);
        case Kind::scheduled_execution: return pointer(scheduled_execution);
    }
    return nullptr;
}

const Unit* ModelDescription::unit(std::string_view name) const {
    const auto found = std::find_if(units.begin(), units.end(),
                                    [&](const Unit& each) { return each.name == name; });
    return found == units.end() ? nullptr : &*found;
}

const TypeDefinition* ModelDescription::type(std::string_view name) const {
    const auto found = std::find_if(types.begin(), types.end(),
                                    [&](const TypeDefinition& each) { return each.name == name; });
    return found == types.end() ? nullptr : &*found;
}

}  // namespace tandem::fmi
