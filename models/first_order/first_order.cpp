#include "first_order.hpp"

/// The equation as it stands, for a solver.
class FirstOrder : public FirstOrderEquation<tandem::Model::State> {
public:
    FirstOrder() {
        has_exact_jacobian();
        depends(x.der, {x, u1, u2});
    }
    void derivatives() override { x.der = a * x + b1 * u1 + b2 * u2; }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, x) = a;
        j(x.der, u1) = b1;
        j(x.der, u2) = b2;
        j(y, x) = 1.0;
    }
};

TANDEM_MODEL(FirstOrder, {.description = "A linear equation of first order with two inputs",
                          .stop = 5.0,
                          .step_size = 0.01,
                          .tolerance = 1e-9})
