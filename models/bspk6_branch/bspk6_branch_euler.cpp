#include "bspk6_branch.hpp"

/// One step of the implicit Euler method over each interval; the input is that at its end.
class BspK6BranchEuler : public BspK6BranchEquation<tandem::Model::Discrete<double>> {
public:
    BspK6BranchEuler() { depends(x, {}); }
    // x1 = x + 2 h (drive(t + h) - x1 - u)
    void step(double t, double h) override {
        x = (x + 2.0 * h * (drive(t + h) - u)) / (1.0 + 2.0 * h);
    }
};

TANDEM_MODEL(
    BspK6BranchEuler,
    {.description = "A driven capacitor behind a resistor that changes, a step of implicit "
                    "Euler at a time",
     .stop = 5.0,
     .step_size = 1e-4})
