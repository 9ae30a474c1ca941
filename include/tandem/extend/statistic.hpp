#pragma once

#include <string>

namespace tandem {

/// A number with a name: "jacobian evaluations" 12.
struct Statistic {
    std::string name;
    double value = 0.0;
    bool operator==(const Statistic&) const = default;
};

}  // namespace tandem
