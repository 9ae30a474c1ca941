#include <tandem/model.hpp>

#include <cmath>

/// A pendulum of unit mass and length whose pivot is shaken and whose bob is pulled; its state is
/// the position. The constraint x^2 + y^2 = 1 is differentiated twice, so it holds up to a drift.
class PendulumCartesian : public tandem::Model {
public:
    Parameter<double> g{*this, "g", 9.82, {.unit = "m/s2", .description = "gravity"}};
    Parameter<bool> project{
        *this, "project", true, {.description = "put a drifting bob back on the circle"}};
    Parameter<double> drift{
        *this, "drift", 1e-6, {.description = "of x^2 + y^2 or x vx + y vy, if too much"}};
    Input<double> u1{
        *this, "u1", 0.0, {.unit = "m/s2", .description = "apparent acceleration by the pivot"}};
    Input<double> u2{*this, "u2", 0.0, {.unit = "N", .description = "force on the bob along x"}};
    Input<double> u3{*this, "u3", 0.0, {.unit = "N", .description = "force on the bob along y"}};
    State x{
        *this, "x", 0.0, {.unit = "m", .description = "of the bob from the pivot", .output = true}};
    State y{*this, "y", -1.0, {.unit = "m", .description = "of the bob, upwards", .output = true}};
    State vx{*this, "vx", 0.0, {.unit = "m/s", .description = "dx/dt", .output = true}};
    State vy{*this, "vy", 0.0, {.unit = "m/s", .description = "dy/dt", .output = true}};
    Output<double> lambda{
        *this, "lambda", 0.0, {.unit = "N/m", .description = "half the force of the rod"}};
    Output<double> theta{*this, "theta", 0.0, {.unit = "rad", .description = "angle; 0: hangs"}};
    Output<double> omega{*this, "omega", 0.0, {.unit = "rad/s", .description = "angular velocity"}};

    PendulumCartesian() {
        has_exact_jacobian();
        depends(x.der, {vx});
        depends(y.der, {vy});
        depends(vx.der, {x, y, vx, vy, u1, u2, u3});
        depends(vy.der, {x, y, vx, vy, u1, u2, u3});
        depends(lambda, {x, y, vx, vy, u1, u2, u3});
        depends(theta, {x, y});
        depends(omega, {x, y, vx, vy});
    }
    void derivatives() override {
        x.der = vx;
        y.der = vy;
        vx.der = ax() - 2.0 * x * rod();
        vy.der = ay() - 2.0 * y * rod();
    }
    void outputs() override {
        lambda = rod();
        theta = std::atan2(x, -y);
        omega = (x * vy - y * vx) / square();
    }
    void after_step() override {
        if (has_drifted()) request_event();
    }
    void event() override {
        if (!has_drifted()) return;
        const double r = std::sqrt(square());
        x = x / r;
        y = y / r;
        const double outwards = x * vx + y * vy;
        vx -= outwards * x;
        vy -= outwards * y;
    }
    void jacobian(tandem::Jacobian& j) override;

private:
    double ax() const { return u1 + u2; }
    double ay() const { return u3 - g; }
    double square() const { return x * x + y * y; }
    /// From the second derivative of the constraint: vx^2 + vy^2 + x x'' + y y'' = 0.
    double rod() const { return (vx * vx + vy * vy + x * ax() + y * ay()) / (2.0 * square()); }
    bool has_drifted() const {
        return project && (std::abs(square() - 1.0) > drift || std::abs(x * vx + y * vy) > drift);
    }
};

void PendulumCartesian::jacobian(tandem::Jacobian& j) {
    const double s = square();
    const double l = rod();
    j(x.der, vx) = 1.0;
    j(y.der, vy) = 1.0;
    // d lambda, then d(a - 2 (x, y) lambda) by the product rule.
    const auto add = [&](const tandem::kit::VariableBase& known, double d_lambda, double d_vx,
                         double d_vy) {
        j(lambda, known) = d_lambda;
        j(vx.der, known) = d_vx - 2.0 * x * d_lambda;
        j(vy.der, known) = d_vy - 2.0 * y * d_lambda;
    };
    add(x, (ax() - 4.0 * l * x) / (2.0 * s), -2.0 * l, 0.0);
    add(y, (ay() - 4.0 * l * y) / (2.0 * s), 0.0, -2.0 * l);
    add(vx, vx / s, 0.0, 0.0);
    add(vy, vy / s, 0.0, 0.0);
    add(u1, x / (2.0 * s), 1.0, 0.0);
    add(u2, x / (2.0 * s), 1.0, 0.0);
    add(u3, y / (2.0 * s), 0.0, 1.0);
    j(theta, x) = -y / s;
    j(theta, y) = x / s;
    const double rate = (x * vy - y * vx) / s;
    j(omega, x) = (vy - 2.0 * x * rate) / s;
    j(omega, y) = (-vx - 2.0 * y * rate) / s;
    j(omega, vx) = -y / s;
    j(omega, vy) = x / s;
}

TANDEM_MODEL(PendulumCartesian, {.description = "A pendulum, by its position",
                                 .stop = 5.0,
                                 .step_size = 0.01,
                                 .tolerance = 1e-8})
