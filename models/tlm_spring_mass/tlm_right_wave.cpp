#include "tlm_spring_mass.hpp"

/// Two masses on springs, as one end of a transmission line: they take the wave that arrives and
/// compute the force from it.
class TlmRightWave : public TlmRightMasses {
public:
    Parameter<double> Zc{*this, "Zc", 0.4, {.unit = "N.s/m", .description = "of the line"}};
    Input<double> c{*this, "c", 0.0, {.unit = "N", .description = "wave that arrives"}};
    Output<double> F1{*this, "F1", 0.0, {.unit = "N", .description = "force on the first mass"}};

    TlmRightWave() {
        has_exact_jacobian();
        depends(x1.der, {v1});
        depends(v1.der, {x1, v1, x2, c});
        depends(x2.der, {v2});
        depends(v2.der, {x1, x2, v2});
        depends(F1, {v1, c});
    }
    void derivatives() override { move(c - Zc * v1); }
    void outputs() override { F1 = c - Zc * v1; }
    void jacobian(tandem::Jacobian& j) override {
        partials(j, -Zc);
        j(v1.der, c) = 1.0 / M1;
        j(F1, v1) = -Zc;
        j(F1, c) = 1.0;
    }
};

TANDEM_MODEL(TlmRightWave, {.description = "Two masses on springs that take a wave",
                            .stop = 0.5,
                            .step_size = 2e-4,
                            .tolerance = 1e-9,
                            .solver = "dopri5"})
