#include <tandem/model.hpp>

/// A mass at the end of a transmission line that is struck: its velocity jumps.
class StruckMass : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 0.01, {.unit = "kg", .description = "mass", .min = 1e-9}};
    Parameter<double> d{*this, "d", 0.0, {.unit = "N.s/m", .description = "damper to ground"}};
    Parameter<double> blow{*this, "blow", 1.0, {.unit = "m/s", .description = "velocity more"}};
    Parameter<double> when{*this, "when", 0.1, {.unit = "s", .description = "when it is struck"}};
    Input<double> F{*this, "F", 0.0, {.unit = "N", .description = "force on the mass"}};
    State x{*this, "x", 0.0, {.unit = "m", .description = "position", .output = true}};
    State v{*this, "v", 0.0, {.unit = "m/s", .description = "velocity", .output = true}};
    Discrete<bool> is_struck{*this, "is_struck", false, {.description = "that was before"}};

    StruckMass() {
        has_exact_jacobian();
        depends(x.der, {v});
        depends(v.der, {v, F});
    }
    void initialise() override { next_event(when); }
    void derivatives() override {
        x.der = v;
        v.der = (F - d * v) / m;
    }
    void event() override {
        if (is_struck) return;
        if (time() < when) return next_event(when);
        v = v + blow;
        is_struck = true;
    }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, v) = 1.0;
        j(v.der, v) = -d / m;
        j(v.der, F) = 1.0 / m;
    }
};

TANDEM_MODEL(StruckMass, {.description = "A mass whose velocity jumps",
                          .stop = 0.2,
                          .step_size = 1e-4,
                          .tolerance = 1e-9,
                          .solver = "dopri5"})
