#include <tandem/model.hpp>

/// A rotating mass turned by a drive that follows its command with a lag.
class Plant : public tandem::Model {
public:
    Parameter<double> J{*this, "J", 1e-3, {.unit = "kg.m2", .description = "inertia"}};
    Parameter<double> d{*this, "d", 2e-3, {.unit = "N.m.s/rad", .description = "friction"}};
    Parameter<double> T{*this, "T", 1e-3, {.unit = "s", .description = "lag of the drive"}};
    Input<double> command{
        *this, "command", 0.0, {.unit = "N.m", .description = "torque wanted", .nominal = 10.0}};
    State speed{*this,
                "speed",
                0.0,
                {.unit = "rad/s", .description = "of the mass", .nominal = 10.0, .output = true}};
    State torque{*this,
                 "torque",
                 0.0,
                 {.unit = "N.m", .description = "of the drive", .nominal = 10.0, .output = true}};

    Plant() {
        has_exact_jacobian();
        depends(speed.der, {speed, torque});
        depends(torque.der, {torque, command});
    }
    void derivatives() override {
        speed.der = (torque - d * speed) / J;
        torque.der = (command - torque) / T;
    }
    void jacobian(tandem::Jacobian& j) override {
        j(speed.der, speed) = -d / J;
        j(speed.der, torque) = 1.0 / J;
        j(torque.der, torque) = -1.0 / T;
        j(torque.der, command) = 1.0 / T;
    }
};

TANDEM_MODEL(Plant, {.description = "A rotating mass and its drive",
                     .stop = 1.5,
                     .step_size = 1e-4,
                     .tolerance = 1e-8,
                     .solver = "dopri5"})
