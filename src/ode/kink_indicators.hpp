#pragma once

#include <span>

namespace tandem::ode {

/// What has indicators at whose roots no event happens but the derivatives bend, min, max and abs:
/// a model, or the problem that a solver is given.
class KinkIndicators {
public:
    virtual ~KinkIndicators() = default;
    /// The numbers of these indicators, in order.
    virtual std::span<const int> kink_indicators() const = 0;
};

/// None of what has none.
template <class Object>
std::span<const int> kink_indicators_of(const Object& object) {
    const auto* one = dynamic_cast<const KinkIndicators*>(&object);
    return one == nullptr ? std::span<const int>() : one->kink_indicators();
}

}  // namespace tandem::ode
