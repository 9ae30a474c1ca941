#pragma once

#include <tandem/model.hpp>

/// dx/dt = a x + b1 u1 + b2 u2, without saying who integrates it. `Memory`: State or Discrete.
template <class Memory>
class FirstOrderEquation : public tandem::Model {
public:
    Parameter<double> a{*this, "a", -1.0, {.unit = "1/s", .description = "of x in dx/dt"}};
    Parameter<double> b1{*this, "b1", 1.0, {.unit = "1/s", .description = "of u1 in dx/dt"}};
    Parameter<double> b2{*this, "b2", 0.0, {.unit = "1/s", .description = "of u2 in dx/dt"}};
    Input<double> u1{*this, "u1", 0.0, {.description = "what drives it"}};
    Input<double> u2{*this, "u2", 0.0, {.description = "what drives it as well"}};
    Memory x{*this, "x", 0.0, {.description = "what remembers", .output = true}};
    Output<double> y{*this, "y", 0.0, {.description = "x"}};

    FirstOrderEquation() { depends(y, {x}); }
    void outputs() override { y = x.value(); }
};
