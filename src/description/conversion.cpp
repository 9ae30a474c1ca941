#include "description/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::description {
namespace {

bool is_table(const Transformation& transformation) {
    return transformation.type != Transformation::Type::none &&
           transformation.type != Transformation::Type::linear;
}

/// source -> first -> second; values the second table does not name pass unchanged.
std::vector<MapEntry> chain(const std::vector<MapEntry>& first,
                            const std::vector<MapEntry>& second) {
    std::vector<MapEntry> result = first;
    for (MapEntry& entry : result) {
        const auto next = std::find_if(second.begin(), second.end(), [&](const MapEntry& other) {
            return other.source == entry.target;
        });
        if (next != second.end()) entry.target = next->target;
    }
    for (const MapEntry& entry : second) {
        const bool renamed = std::any_of(first.begin(), first.end(), [&](const MapEntry& other) {
            return other.source == entry.source;
        });
        if (!renamed) result.push_back(entry);
    }
    return result;
}

class Folder {
public:
    explicit Folder(const UnitLookup& lookup) : lookup_(lookup) {}

    /// The unit behind the conversion.
    std::string convert(const std::string& from, const std::string& to) {
        if (from.empty() || to.empty() || from == to) return to;
        const auto source = find(from);
        const auto target = find(to);
        if (!source || !target) return to;
        if (const auto map = unit_conversion(*source, *target))
            result.map = then(result.map, *map);
        else if (result.problem.empty())
            result.problem = fmt::format("unit '{}' cannot become '{}'", from, to);
        return to;
    }

    FoldedStages result;

private:
    std::optional<UnitInBase> find(const std::string& name) {
        auto unit = lookup_(name);
        if (!unit) result.not_known.push_back(name);
        return unit;
    }

    const UnitLookup& lookup_;
};

}  // namespace

LinearMap then(const LinearMap& first, const LinearMap& second) {
    return {second.gain * first.gain, second.gain * first.offset + second.offset};
}

std::optional<LinearMap> unit_conversion(const UnitInBase& from, const UnitInBase& to) {
    if (from.exponents != to.exponents || to.factor == 0.0) return std::nullopt;
    // base = f1*x + o1 = f2*y + o2  =>  y = (f1/f2)*x + (o1 - o2)/f2
    return LinearMap{from.factor / to.factor, (from.offset - to.offset) / to.factor};
}

FoldedStages fold(const std::vector<Stage>& stages, const UnitEnds& units,
                  const UnitLookup& lookup) {
    Folder folder(lookup);
    std::string unit = units.source;
    for (const Stage& stage : stages) {
        const bool is_last = &stage == &stages.back();
        const std::string& next = is_last && stage.unit.empty() ? units.target : stage.unit;
        if (stage.suppress_unit_conversion)
            unit = next;
        else if (!next.empty())
            unit = folder.convert(unit, next);
        if (stage.transformation.type == Transformation::Type::linear)
            folder.result.map =
                then(folder.result.map, {stage.transformation.factor, stage.transformation.offset});
    }
    folder.convert(unit, units.target);
    return folder.result;
}

std::string unit_before(const std::vector<Stage>& stages, const std::string& target) {
    for (const Stage& stage : stages)
        if (!stage.unit.empty()) return stage.unit;
    return target;
}

std::string unit_behind(const std::vector<Stage>& stages, const std::string& source) {
    std::string unit = source;
    for (const Stage& stage : stages)
        if (!stage.unit.empty()) unit = stage.unit;
    return unit;
}

const Transformation* value_map(const std::vector<Stage>& stages) {
    for (const Stage& stage : stages)
        if (is_table(stage.transformation)) return &stage.transformation;
    return nullptr;
}

bool append_stage(std::vector<Stage>& stages, const Stage& stage) {
    using Type = Transformation::Type;
    const Type type = stage.transformation.type;
    if (type == Type::none && stage.unit.empty() && !stage.suppress_unit_conversion) return true;
    const auto earlier = std::find_if(stages.begin(), stages.end(), [](const Stage& other) {
        return other.transformation.type != Type::none;
    });
    const bool mixed = earlier != stages.end() && type != Type::none &&
                       (is_table(stage.transformation) || is_table(earlier->transformation)) &&
                       type != earlier->transformation.type;
    if (mixed) return false;
    if (is_table(stage.transformation) && earlier != stages.end())
        earlier->transformation.entries =
            chain(earlier->transformation.entries, stage.transformation.entries);
    else
        stages.push_back(stage);
    return true;
}

}  // namespace tandem::description
