#include "tlm_spring_mass.hpp"

/// The mass that is driven, as one end of a transmission line: it takes the wave that arrives and
/// computes the force from it.
class TlmLeftWave : public TlmLeftMass {
public:
    Parameter<double> Zc{*this, "Zc", 0.4, {.unit = "N.s/m", .description = "of the line"}};
    Input<double> c{*this, "c", 0.0, {.unit = "N", .description = "wave that arrives"}};
    Output<double> F3{*this, "F3", 0.0, {.unit = "N", .description = "force on the mass"}};

    TlmLeftWave() {
        has_exact_jacobian();
        depends(x3.der, {v3});
        depends(v3.der, {v3, Fnow, c});
        depends(F3, {v3, c});
    }
    void derivatives() override { move(c - Zc * v3); }
    void outputs() override { F3 = c - Zc * v3; }
    void jacobian(tandem::Jacobian& j) override {
        partials(j, -Zc);
        j(v3.der, c) = 1.0 / M3;
        j(F3, v3) = -Zc;
        j(F3, c) = 1.0;
    }
};

TANDEM_MODEL(TlmLeftWave, {.description = "A driven mass that takes a wave",
                           .stop = 0.5,
                           .step_size = 2e-4,
                           .tolerance = 1e-9,
                           .solver = "dopri5"})
