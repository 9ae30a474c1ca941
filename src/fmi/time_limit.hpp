#pragma once

#include <algorithm>
#include <cmath>

namespace tandem::fmi {

/// Whether `time` is after `stop` by more than rounding explains: grid times are start + k*step, so
/// their error is a few units in the last place.
inline bool is_beyond(double time, double stop) {
    constexpr double rounding = 1e-12;
    return time > stop + rounding * std::max({std::abs(time), std::abs(stop), 1.0});
}

}  // namespace tandem::fmi
