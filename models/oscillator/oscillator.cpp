#include <tandem/model.hpp>

/// A mass on a spring, with a spring and a damper to each of two neighbours.
class Oscillator : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 1.0, {.unit = "kg", .description = "mass", .min = 1e-6}};
    Parameter<double> k{*this, "k", 10.0, {.unit = "N/m", .description = "spring to the ground"}};
    Parameter<double> d{*this, "d", 0.05, {.unit = "N.s/m", .description = "damper to the ground"}};
    Parameter<double> k_link{
        *this, "k_link", 20.0, {.unit = "N/m", .description = "spring to each neighbour"}};
    Parameter<double> d_link{
        *this, "d_link", 0.1, {.unit = "N.s/m", .description = "damper to each neighbour"}};
    Input<double> x_left{*this, "x_left", 0.0, {.unit = "m", .nominal = 0.1}};
    Input<double> v_left{*this, "v_left", 0.0, {.unit = "m/s", .nominal = 0.5}};
    Input<double> x_right{*this, "x_right", 0.0, {.unit = "m", .nominal = 0.1}};
    Input<double> v_right{*this, "v_right", 0.0, {.unit = "m/s", .nominal = 0.5}};
    State x{*this,
            "x",
            0.0,
            {.unit = "m", .description = "displacement", .nominal = 0.1, .output = true}};
    State v{*this,
            "v",
            0.0,
            {.unit = "m/s", .description = "velocity", .nominal = 0.5, .output = true}};

    Oscillator() {
        has_exact_jacobian();
        depends(x.der, {v});
        depends(v.der, {x, v, x_left, v_left, x_right, v_right});
    }
    void derivatives() override {
        x.der = v;
        v.der = (k_link * (x_left + x_right - 2.0 * x) + d_link * (v_left + v_right - 2.0 * v) -
                 k * x - d * v) /
                m;
    }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, v) = 1.0;
        j(v.der, x) = -(k + 2.0 * k_link) / m;
        j(v.der, v) = -(d + 2.0 * d_link) / m;
        j(v.der, x_left) = k_link / m;
        j(v.der, x_right) = k_link / m;
        j(v.der, v_left) = d_link / m;
        j(v.der, v_right) = d_link / m;
    }
};

// One Runge-Kutta step per communication step of up to h = 10 ms: with the angular frequency
// w = sqrt((k + 2 k_link)/m) = 7.1/s it errs by (w h)^5/120 = 1.5e-8 of the amplitude, and no other
// accurate method is as cheap.
TANDEM_MODEL(Oscillator, {.description = "An oscillator with two neighbours",
                          .stop = 10.0,
                          .step_size = 1e-3,
                          .solver = "rk4",
                          .fixed_step = 0.01})
