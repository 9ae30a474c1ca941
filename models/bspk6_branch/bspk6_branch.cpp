#include "bspk6_branch.hpp"

/// The equations as they stand, for a solver.
class BspK6Branch : public BspK6BranchEquation<tandem::Model::State> {
public:
    BspK6Branch() {
        has_exact_jacobian();
        depends(x.der, {x, u});
    }
    void derivatives() override { x.der = 2.0 * (drive(time()) - x - u); }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, x) = -2.0;
        j(x.der, u) = -2.0;
        j(y, x) = 1.0;
        j(y, u) = sign * resistance();
    }
};

TANDEM_MODEL(BspK6Branch, {.description = "A driven capacitor behind a resistor that changes",
                           .stop = 5.0,
                           .step_size = 1e-4,
                           .tolerance = 1e-9})
