#include "tlm_spring_mass.hpp"

/// The mass that is driven, as one end of a transmission line: it takes the force on it.
class TlmLeft : public TlmLeftMass {
public:
    Input<double> F3{*this, "F3", 0.0, {.unit = "N", .description = "force on the mass"}};

    TlmLeft() {
        has_exact_jacobian();
        depends(x3.der, {v3});
        depends(v3.der, {v3, Fnow, F3});
    }
    void derivatives() override { move(F3); }
    void jacobian(tandem::Jacobian& j) override {
        partials(j);
        j(v3.der, F3) = 1.0 / M3;
    }
};

TANDEM_MODEL(TlmLeft, {.description = "A driven mass that takes a force",
                       .stop = 0.5,
                       .step_size = 2e-4,
                       .tolerance = 1e-9,
                       .solver = "dopri5"})
