#include "bspk6_node.hpp"

/// The equations as they stand, for a solver.
class BspK6Node : public BspK6NodeEquation<tandem::Model::State> {
public:
    BspK6Node() {
        has_exact_jacobian();
        depends(x.der, {x, u1, u2});
    }
    void derivatives() override { x.der = -2.0 * x + u1 + u2; }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, x) = -2.0;
        j(x.der, u1) = 1.0;
        j(x.der, u2) = 1.0;
        j(y1, u1) = is_closed(u4) ? 1.0 : 0.0;
        j(y1, x) = is_closed(u4) ? -1.0 : 0.0;
        j(y2, u2) = is_closed(u3) ? 1.0 : 0.0;
        j(y2, x) = is_closed(u3) ? -1.0 : 0.0;
    }
};

TANDEM_MODEL(BspK6Node, {.description = "A capacitor with two switched ports",
                         .stop = 5.0,
                         .step_size = 1e-4,
                         .tolerance = 1e-9})
