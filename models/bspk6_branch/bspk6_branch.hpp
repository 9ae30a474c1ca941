#pragma once

#include <tandem/model.hpp>

#include <cmath>
#include <numbers>

/// A branch of BspK6 without saying who integrates it. `Memory`: State or Discrete.
template <class Memory>
class BspK6BranchEquation : public tandem::Model {
public:
    Parameter<double> beat{
        *this, "beat", 3.0, {.unit = "1/s", .description = "of the voltage sin(beat pi t)"}};
    Parameter<double> swing{
        *this, "swing", 1000.0, {.unit = "Ohm", .description = "of R about 1001 Ohm"}};
    Parameter<double> sign{
        *this, "sign", 1.0, {.description = "of R u in y: 1 as printed, -1 passive"}};
    Input<double> u{*this, "u", 0.0, {.description = "current"}};
    Memory x{*this, "x", 0.0, {.description = "voltage of the capacitor", .output = true}};
    Output<double> y{*this, "y", 0.0, {.description = "voltage"}};

    BspK6BranchEquation() { depends(y, {x, u}); }
    void outputs() override { y = x + sign * resistance() * u; }

protected:
    double resistance() const { return swing * std::sin(0.2 * std::numbers::pi * time()) + 1001.0; }
    double drive(double t) const { return std::sin(beat * std::numbers::pi * t); }
};
