#include <tandem/model.hpp>

#include <cmath>
#include <numbers>

/// A mass that slides, tied by a spring and a damper to the bob of a pendulum above it.
class CoupledOscillator : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 1.0, {.unit = "kg", .description = "mass", .min = 1e-6}};
    Parameter<double> l{*this, "l", 1.0, {.unit = "m", .description = "length of the pendulum"}};
    Parameter<double> k{*this, "k", 1000.0, {.unit = "N/m", .description = "spring"}};
    Parameter<double> d{*this, "d", 10.0, {.unit = "N.s/m", .description = "damper"}};
    Parameter<bool> linear{
        *this, "linear", false, {.description = "as near the equilibrium, everywhere"}};
    Input<double> alpha{*this, "alpha", 0.0, {.unit = "rad", .description = "of the pendulum"}};
    Input<double> alpha_dot{*this, "alpha_dot", 0.0, {.unit = "rad/s", .description = "its rate"}};
    State x{*this,
            "x",
            0.1 + std::sin(5.0 * std::numbers::pi / 180.0),
            {.unit = "m", .description = "displacement", .output = true}};
    State x_dot{*this, "x_dot", 0.0, {.unit = "m/s", .description = "velocity", .output = true}};

    CoupledOscillator() {
        has_exact_jacobian();
        depends(x.der, {x_dot});
        depends(x_dot.der, {x, x_dot, alpha, alpha_dot});
    }
    void derivatives() override {
        x.der = x_dot;
        x_dot.der = -force() / m;
    }
    void jacobian(tandem::Jacobian& j) override {
        const double c = cosine(), turn = linear ? 0.0 : std::sin(alpha);  // turn = -dc/dalpha
        j(x.der, x_dot) = 1.0;
        j(x_dot.der, x) = -k / m;
        j(x_dot.der, x_dot) = -d / m;
        j(x_dot.der, alpha) = (k * l * c - d * l * alpha_dot * turn) / m;
        j(x_dot.der, alpha_dot) = d * l * c / m;
    }

private:
    double cosine() const { return linear ? 1.0 : std::cos(alpha); }
    double force() const {
        const double sine = linear ? alpha.value() : std::sin(alpha);
        return k * (x - l * sine) + d * (x_dot - l * alpha_dot * cosine());
    }
};

TANDEM_MODEL(CoupledOscillator, {.description = "A mass tied to a pendulum",
                                 .stop = 1.0,
                                 .step_size = 1e-3,
                                 .tolerance = 1e-8,
                                 .solver = "dopri5"})
