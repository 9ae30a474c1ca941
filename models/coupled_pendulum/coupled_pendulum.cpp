#include <tandem/model.hpp>

#include <cmath>
#include <numbers>

/// A pendulum whose bob is tied by a spring and a damper to a mass that slides below it.
class CoupledPendulum : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 1.0, {.unit = "kg", .description = "mass", .min = 1e-6}};
    Parameter<double> l{*this, "l", 1.0, {.unit = "m", .description = "length", .min = 1e-6}};
    Parameter<double> g{*this, "g", 9.81, {.unit = "m/s2", .description = "gravity"}};
    Parameter<double> k{*this, "k", 1000.0, {.unit = "N/m", .description = "spring"}};
    Parameter<double> d{*this, "d", 10.0, {.unit = "N.s/m", .description = "damper"}};
    Parameter<bool> linear{
        *this, "linear", false, {.description = "as near the equilibrium, everywhere"}};
    Input<double> x{*this, "x", 0.0, {.unit = "m", .description = "of the mass"}};
    Input<double> x_dot{*this, "x_dot", 0.0, {.unit = "m/s", .description = "of the mass"}};
    State alpha{*this,
                "alpha",
                5.0 * std::numbers::pi / 180.0,
                {.unit = "rad", .description = "angle", .output = true}};
    State alpha_dot{
        *this, "alpha_dot", 0.0, {.unit = "rad/s", .description = "its rate", .output = true}};

    CoupledPendulum() {
        has_exact_jacobian();
        depends(alpha.der, {alpha_dot});
        depends(alpha_dot.der, {alpha, alpha_dot, x, x_dot});
    }
    void derivatives() override {
        alpha.der = alpha_dot;
        alpha_dot.der = -g / l * sine() + cosine() * force() / (m * l);
    }
    void jacobian(tandem::Jacobian& j) override {
        const double c = cosine(), turn = linear ? 0.0 : sine();  // turn = -dc/dalpha
        const double force_by_angle = -k * l * c + d * l * alpha_dot * turn;
        j(alpha.der, alpha_dot) = 1.0;
        j(alpha_dot.der, alpha) = -g / l * c + (c * force_by_angle - turn * force()) / (m * l);
        j(alpha_dot.der, alpha_dot) = -d * c * c / m;
        j(alpha_dot.der, x) = c * k / (m * l);
        j(alpha_dot.der, x_dot) = c * d / (m * l);
    }

private:
    double sine() const { return linear ? alpha.value() : std::sin(alpha); }
    double cosine() const { return linear ? 1.0 : std::cos(alpha); }
    double force() const { return k * (x - l * sine()) + d * (x_dot - l * alpha_dot * cosine()); }
};

TANDEM_MODEL(CoupledPendulum, {.description = "A pendulum tied to a mass",
                               .stop = 1.0,
                               .step_size = 1e-3,
                               .tolerance = 1e-8,
                               .solver = "dopri5"})
