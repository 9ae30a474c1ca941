#pragma once

#include "fmi/input_law.hpp"
#include "tandem/fmi_law.h"

namespace tandem::fmi::exporting {

/// The law that an importer gave, as the instance sees it.
class ForeignLaw final : public InputLaw {
public:
    ForeignLaw() = default;
    /// Throws Misuse if something is missing in it.
    explicit ForeignLaw(const TandemInputLaw& law);

    std::size_t state_count() const override { return law_.own_count; }
    bool start(std::span<double> own) const override;
    bool evaluate(const Point& point, std::span<double> inputs) const override;
    bool rates(const Point& point, std::span<const double> state_rates,
               std::span<double> own_rates) const override;

private:
    TandemInputLaw law_{};
};

}  // namespace tandem::fmi::exporting
