#include <tandem/model.hpp>

/// A quarter of a car's body, carried by one strut.
class Chassis : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 400.0, {.unit = "kg", .description = "mass", .min = 1e-3}};
    Input<double> F{
        *this, "F", 0.0, {.unit = "N", .description = "of the strut, upwards", .nominal = 1000.0}};
    State x{
        *this, "x", 0.0, {.unit = "m", .description = "height", .nominal = 0.1, .output = true}};
    State v{*this,
            "v",
            0.0,
            {.unit = "m/s", .description = "velocity", .nominal = 1.0, .output = true}};
    Output<double> a{
        *this, "a", 0.0, {.unit = "m/s2", .description = "acceleration", .nominal = 10.0}};

    Chassis() {
        has_exact_jacobian();
        depends(x.der, {v});
        depends(v.der, {F});
        depends(a, {F});
    }
    void derivatives() override {
        x.der = v;
        v.der = F / m;
    }
    void outputs() override { a = F / m; }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, v) = 1.0;
        j(v.der, F) = 1.0 / m;
        j(a, F) = 1.0 / m;
    }
};

TANDEM_MODEL(Chassis, {.description = "A quarter of a car's body",
                       .stop = 4.0,
                       .step_size = 1e-3,
                       .tolerance = 1e-8,
                       .solver = "dopri5"})
