#include <tandem/model.hpp>

#include <cmath>

/// A pendulum of unit mass and length whose pivot is shaken and whose bob is pulled; its state is
/// the angle.
class PendulumPolar : public tandem::Model {
public:
    Parameter<double> g{*this, "g", 9.82, {.unit = "m/s2", .description = "gravity"}};
    Input<double> u1{
        *this, "u1", 0.0, {.unit = "m/s2", .description = "apparent acceleration by the pivot"}};
    Input<double> u2{*this, "u2", 0.0, {.unit = "N", .description = "force on the bob along x"}};
    Input<double> u3{*this, "u3", 0.0, {.unit = "N", .description = "force on the bob along y"}};
    State theta{
        *this, "theta", 0.0, {.unit = "rad", .description = "angle; 0: hangs", .output = true}};
    State omega{
        *this, "omega", 0.0, {.unit = "rad/s", .description = "angular velocity", .output = true}};
    Output<double> x{*this, "x", 0.0, {.unit = "m", .description = "of the bob from the pivot"}};
    Output<double> y{*this, "y", -1.0, {.unit = "m", .description = "of the bob, upwards"}};

    PendulumPolar() {
        has_exact_jacobian();
        depends(theta.der, {omega});
        depends(omega.der, {theta, u1, u2, u3});
        depends(x, {theta});
        depends(y, {theta});
    }
    void derivatives() override {
        theta.der = omega;
        omega.der = (-g + u3) * std::sin(theta) + (u1 + u2) * std::cos(theta);
    }
    void outputs() override {
        x = std::sin(theta);
        y = -std::cos(theta);
    }
    void jacobian(tandem::Jacobian& j) override {
        const double sine = std::sin(theta);
        const double cosine = std::cos(theta);
        j(theta.der, omega) = 1.0;
        j(omega.der, theta) = (-g + u3) * cosine - (u1 + u2) * sine;
        j(omega.der, u1) = cosine;
        j(omega.der, u2) = cosine;
        j(omega.der, u3) = sine;
        j(x, theta) = cosine;
        j(y, theta) = sine;
    }
};

TANDEM_MODEL(PendulumPolar, {.description = "A pendulum, by its angle",
                             .stop = 5.0,
                             .step_size = 0.01,
                             .tolerance = 1e-8})
