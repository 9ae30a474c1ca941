#include <tandem/model.hpp>

/// A damper without mass at the end of a transmission line, which takes the wave that arrives: the
/// velocity follows at once, from d v = c - Zc v.
class TlmDamper : public tandem::Model {
public:
    Parameter<double> d{*this, "d", 0.4, {.unit = "N.s/m", .description = "damper to ground"}};
    Parameter<double> Zc{*this, "Zc", 0.4, {.unit = "N.s/m", .description = "of the line"}};
    Input<double> c{*this, "c", 0.0, {.unit = "N", .description = "wave that arrives"}};
    Output<double> v{*this, "v", 0.0, {.unit = "m/s", .description = "velocity"}};
    Output<double> F{*this, "F", 0.0, {.unit = "N", .description = "force on the damper"}};

    TlmDamper() {
        has_exact_jacobian();
        depends(v, {c});
        depends(F, {c});
    }
    void outputs() override {
        v = c / (d + Zc);
        F = d * v;
    }
    void jacobian(tandem::Jacobian& j) override {
        j(v, c) = 1.0 / (d + Zc);
        j(F, c) = d / (d + Zc);
    }
};

TANDEM_MODEL(TlmDamper, {.description = "A damper that takes a wave", .step_size = 1e-3})
