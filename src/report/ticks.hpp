#pragma once

#include <string>
#include <vector>

namespace tandem::report {

struct Tick {
    double value = 0.0;
    std::string label;
};

/// Ticks from `low` to `high`, about `count` of them, at multiples of 1, 2 or 5 times a power of
/// ten. Labels have the digits it takes to tell neighbours apart. `low` must be below `high`.
std::vector<Tick> ticks(double low, double high, double count);

struct Range {
    double low = 0.0;
    double high = 1.0;
};

/// The range of an axis: somewhat more than the values need, also when they are all the same.
Range padded(double low, double high);

}  // namespace tandem::report
