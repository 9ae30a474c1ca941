#pragma once

#include <cstddef>
#include <span>

namespace tandem::fmi {

/// What inputs of a Co-Simulation FMU follow inside a step: a function of time, of the FMU's
/// continuous states, and of states of its own that the FMU integrates together with them. Free of
/// FMI versions and of C; include/tandem/fmi_law.h is how it goes from importer to FMU. Members
/// return false where the law cannot be evaluated.
class InputLaw {
public:
    struct Point {
        double t = 0.0;
        std::span<const double> states;
        std::span<const double> own;
    };

    virtual ~InputLaw() = default;
    virtual std::size_t state_count() const = 0;
    [[nodiscard]] virtual bool start(std::span<double> own) const = 0;
    [[nodiscard]] virtual bool evaluate(const Point& point, std::span<double> inputs) const = 0;
    [[nodiscard]] virtual bool rates(const Point& point, std::span<const double> state_rates,
                                     std::span<double> own_rates) const = 0;
};

}  // namespace tandem::fmi
