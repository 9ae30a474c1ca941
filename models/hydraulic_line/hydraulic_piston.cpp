#include <tandem/model.hpp>

/// A piston between the end of a hydraulic line and that of a mechanical one.
class HydraulicPiston : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 1.0, {.unit = "kg", .description = "mass", .min = 1e-9}};
    Parameter<double> A{*this, "A", 1e-3, {.unit = "m2", .description = "area"}};
    Parameter<double> d{*this, "d", 100.0, {.unit = "N.s/m", .description = "friction"}};
    Input<double> p{
        *this, "p", 0.0, {.unit = "Pa", .description = "at the end of the line", .nominal = 1e5}};
    Input<double> F{*this, "F", 0.0, {.unit = "N", .description = "force on the rod"}};
    State x{*this, "x", 0.0, {.unit = "m", .description = "way out", .output = true}};
    State v{*this, "v", 0.0, {.unit = "m/s", .description = "velocity out", .output = true}};
    Output<double> q{
        *this, "q", 0.0, {.unit = "m3/s", .description = "into the line", .nominal = 1e-4}};

    HydraulicPiston() {
        has_exact_jacobian();
        depends(x.der, {v});
        depends(v.der, {v, p, F});
        depends(q, {v});
    }
    void derivatives() override {
        x.der = v;
        v.der = (A * p + F - d * v) / m;
    }
    void outputs() override { q = -A * v; }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, v) = 1.0;
        j(v.der, v) = -d / m;
        j(v.der, p) = A / m;
        j(v.der, F) = 1.0 / m;
        j(q, v) = -A;
    }
};

TANDEM_MODEL(HydraulicPiston, {.description = "A piston between oil and a force",
                               .stop = 0.2,
                               .step_size = 1e-4,
                               .tolerance = 1e-9,
                               .solver = "dopri5"})
