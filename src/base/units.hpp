#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

/// value in base units = factor * value + offset; exponents of kg m s A K mol cd rad.
struct UnitInBase {
    std::array<int, 8> exponents{};
    double factor = 1.0;
    double offset = 0.0;

    bool operator==(const UnitInBase&) const = default;
};

/// What a unit written as in Modelica means: "m/s2", "N.m", "kW", "1/s", "J/(kg.K)", "degC",
/// "L/min". Nothing if a part of it is not known. Offsets (degC, degF) count only where the unit
/// stands alone.
std::optional<UnitInBase> parse_unit(std::string_view text);

/// A column's "name [unit]" taken apart; the unit may be missing. An index, name[1], has no blank
/// before it.
struct NameWithUnit {
    std::string name;
    std::string unit;
};
NameWithUnit split_unit(const std::string& text);

/// How many seconds a unit of time has; 1 for an empty text. Throws InputError for other units.
double seconds_in(const std::string& unit, const std::string& place);

}  // namespace tandem
