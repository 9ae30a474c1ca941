#include "bspk6_node.hpp"

/// One step of the implicit Euler method over each interval; inputs are those at its end.
class BspK6NodeEuler : public BspK6NodeEquation<tandem::Model::Discrete<double>> {
public:
    BspK6NodeEuler() { depends(x, {}); }
    // x1 = x + h (-2 x1 + u1 + u2)
    void step(double, double h) override { x = (x + h * (u1 + u2)) / (1.0 + 2.0 * h); }
};

TANDEM_MODEL(
    BspK6NodeEuler,
    {.description = "A capacitor with two switched ports, a step of implicit Euler at a time",
     .stop = 5.0,
     .step_size = 1e-4})
