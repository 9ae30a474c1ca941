#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "description/description.hpp"

namespace tandem::description {

/// One connection on the way of a value: first the value becomes one in `unit` (unless that is
/// suppressed, or one of the units is not known), then it is transformed.
struct Stage {
    Transformation transformation;
    bool suppress_unit_conversion = false;
    std::string unit;  ///< of the system connector behind the stage; empty: not said

    bool operator==(const Stage&) const = default;
};

/// target = gain * source + offset
struct LinearMap {
    double gain = 1.0;
    double offset = 0.0;

    bool operator==(const LinearMap&) const = default;
};

/// The map that applies `first`, then `second`.
LinearMap then(const LinearMap& first, const LinearMap& second);

/// From a value in one unit to the value in another; nothing if they measure different things.
std::optional<LinearMap> unit_conversion(const UnitInBase& from, const UnitInBase& to);

using UnitLookup = std::function<std::optional<UnitInBase>(const std::string& name)>;

/// The units of the two variables at the ends; empty if they have none.
struct UnitEnds {
    std::string source;
    std::string target;
};

/// What happens to a number on its way through `stages`: every linear transformation and unit
/// conversion as one map (the last stage ends in the unit of the target variable). The error names
/// the two units that cannot become one another; tables (boolean, integer, enumeration) are left
/// out and handled by value_map.
struct FoldedStages {
    LinearMap map;
    std::string problem;                 ///< "unit 'N.m' cannot become 'N'", or empty
    std::vector<std::string> not_known;  ///< units nobody defines: no conversion takes place
};
FoldedStages fold(const std::vector<Stage>& stages, const UnitEnds& units,
                  const UnitLookup& lookup);

/// The unit that a value has where the way begins, or ends, if nothing there says one: that of the
/// connector which is next to it, or of the variable at the other end.
std::string unit_before(const std::vector<Stage>& stages, const std::string& target);
std::string unit_behind(const std::vector<Stage>& stages, const std::string& source);

/// The table among the stages, or null if there is none.
const Transformation* value_map(const std::vector<Stage>& stages);

/// Puts a stage behind others: stages that do nothing vanish, tables of one type become one.
/// False if a table would have to be mixed with another transformation.
[[nodiscard]] bool append_stage(std::vector<Stage>& stages, const Stage& stage);

}  // namespace tandem::description
