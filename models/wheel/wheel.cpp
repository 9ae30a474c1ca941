#include <tandem/model.hpp>

/// A wheel between road and body, with its tyre and the strut above it.
class Wheel : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 40.0, {.unit = "kg", .description = "mass", .min = 1e-3}};
    Parameter<double> k_strut{*this, "k_strut", 15000.0, {.unit = "N/m"}};
    Parameter<double> d_strut{*this, "d_strut", 1000.0, {.unit = "N.s/m"}};
    Parameter<double> k_tyre{*this, "k_tyre", 150000.0, {.unit = "N/m"}};
    Parameter<double> d_tyre{*this, "d_tyre", 200.0, {.unit = "N.s/m"}};
    Input<double> x_body{
        *this, "x_body", 0.0, {.unit = "m", .description = "height of the body", .nominal = 0.1}};
    Input<double> v_body{*this, "v_body", 0.0, {.unit = "m/s", .nominal = 1.0}};
    Input<double> z{
        *this, "z", 0.0, {.unit = "m", .description = "height of the road", .nominal = 0.1}};
    Input<double> w{*this, "w", 0.0, {.unit = "m/s", .description = "dz/dt", .nominal = 1.0}};
    State x{
        *this, "x", 0.0, {.unit = "m", .description = "height", .nominal = 0.1, .output = true}};
    State v{*this,
            "v",
            0.0,
            {.unit = "m/s", .description = "velocity", .nominal = 1.0, .output = true}};
    Output<double> F{
        *this, "F", 0.0, {.unit = "N", .description = "strut on body", .nominal = 1000.0}};
    Output<double> F_road{
        *this, "F_road", 0.0, {.unit = "N", .description = "road on tyre", .nominal = 1000.0}};

    Wheel() {
        has_exact_jacobian();
        depends(x.der, {v});
        depends(v.der, {x, v, x_body, v_body, z, w});
        depends(F, {x, v, x_body, v_body});
        depends(F_road, {x, v, z, w});
    }
    void derivatives() override {
        x.der = v;
        v.der = (tyre() - strut()) / m;
    }
    void outputs() override {
        F = strut();
        F_road = tyre();
    }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, v) = 1.0;
        j(v.der, x) = -(k_tyre + k_strut) / m;
        j(v.der, v) = -(d_tyre + d_strut) / m;
        j(v.der, x_body) = k_strut / m;
        j(v.der, v_body) = d_strut / m;
        j(v.der, z) = k_tyre / m;
        j(v.der, w) = d_tyre / m;
        j(F, x) = k_strut;
        j(F, v) = d_strut;
        j(F, x_body) = -k_strut;
        j(F, v_body) = -d_strut;
        j(F_road, x) = -k_tyre;
        j(F_road, v) = -d_tyre;
        j(F_road, z) = k_tyre;
        j(F_road, w) = d_tyre;
    }

private:
    double strut() const { return k_strut * (x - x_body) + d_strut * (v - v_body); }
    double tyre() const { return k_tyre * (z - x) + d_tyre * (w - v); }
};

TANDEM_MODEL(Wheel, {.description = "A wheel with tyre and strut",
                     .stop = 4.0,
                     .step_size = 1e-3,
                     .tolerance = 1e-8,
                     .solver = "dopri5"})
