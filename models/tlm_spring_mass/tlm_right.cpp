#include "tlm_spring_mass.hpp"

/// Two masses on springs, as one end of a transmission line: they take the force on the first.
class TlmRight : public TlmRightMasses {
public:
    Input<double> F1{*this, "F1", 0.0, {.unit = "N", .description = "force on the first mass"}};

    TlmRight() {
        has_exact_jacobian();
        depends(x1.der, {v1});
        depends(v1.der, {x1, v1, x2, F1});
        depends(x2.der, {v2});
        depends(v2.der, {x1, x2, v2});
    }
    void derivatives() override { move(F1); }
    void jacobian(tandem::Jacobian& j) override {
        partials(j);
        j(v1.der, F1) = 1.0 / M1;
    }
};

TANDEM_MODEL(TlmRight, {.description = "Two masses on springs that take a force",
                        .stop = 0.5,
                        .step_size = 2e-4,
                        .tolerance = 1e-9,
                        .solver = "dopri5"})
