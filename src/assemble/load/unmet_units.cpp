#include "assemble/load/unmet_units.hpp"

#include "base/listed.hpp"

namespace tandem::assemble {

std::string unmet_unit(const std::vector<description::Stage>& stages,
                       const description::UnitEnds& units) {
    if (!units.target.empty()) return {};
    std::string unit = units.source;
    for (const description::Stage& stage : stages) {
        const bool is_converted_by_hand =
            stage.transformation.type == description::Transformation::Type::linear;
        if (stage.suppress_unit_conversion || is_converted_by_hand || !stage.unit.empty())
            unit = stage.unit;
    }
    const bool is_number = unit == "1" || unit == "-";
    return is_number ? std::string() : unit;
}

Diagnostic unmet_units(const std::string& place, const std::vector<std::string>& values) {
    constexpr std::size_t most = 5;
    return {Severity::warning, place,
            "variables without a unit take numbers as they are: " + listed(values, most),
            "give both sides a unit, or none"};
}

}  // namespace tandem::assemble
