#include <tandem/model.hpp>

/// A mass between two transmission lines, or at the end of one.
class TlmMass : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 0.01, {.unit = "kg", .description = "mass", .min = 1e-9}};
    Parameter<double> d{*this, "d", 0.0, {.unit = "N.s/m", .description = "damper to ground"}};
    Parameter<double> k{*this, "k", 0.0, {.unit = "N/m", .description = "spring to ground"}};
    Input<double> F{*this, "F", 0.0, {.unit = "N", .description = "force on the mass"}};
    Input<double> F2{*this, "F2", 0.0, {.unit = "N", .description = "another force on the mass"}};
    State x{*this, "x", 0.0, {.unit = "m", .description = "position", .output = true}};
    State v{*this, "v", 0.0, {.unit = "m/s", .description = "velocity", .output = true}};

    TlmMass() {
        has_exact_jacobian();
        depends(x.der, {v});
        depends(v.der, {x, v, F, F2});
    }
    void derivatives() override {
        x.der = v;
        v.der = (F + F2 - d * v - k * x) / m;
    }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, v) = 1.0;
        j(v.der, x) = -k / m;
        j(v.der, v) = -d / m;
        j(v.der, F) = 1.0 / m;
        j(v.der, F2) = 1.0 / m;
    }
};

TANDEM_MODEL(TlmMass, {.description = "A mass that takes forces",
                       .stop = 0.1,
                       .step_size = 1e-4,
                       .tolerance = 1e-9,
                       .solver = "dopri5"})
