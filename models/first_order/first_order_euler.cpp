#include "first_order.hpp"

/// One step of the implicit Euler method over each interval; inputs are those at its end.
class FirstOrderEuler : public FirstOrderEquation<tandem::Model::Discrete<double>> {
public:
    FirstOrderEuler() { depends(x, {}); }
    // x1 = x + h (a x1 + b1 u1 + b2 u2)
    void step(double, double h) override { x = (x + h * (b1 * u1 + b2 * u2)) / (1.0 - h * a); }
};

TANDEM_MODEL(FirstOrderEuler,
             {.description = "A linear equation of first order, a step of implicit Euler at a time",
              .stop = 5.0,
              .step_size = 0.01})
