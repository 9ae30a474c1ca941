#include <tandem/model.hpp>

/// A PI controller of a speed.
class Controller : public tandem::Model {
public:
    Parameter<double> Kp{*this, "Kp", 0.77, {.unit = "N.m.s/rad", .description = "gain"}};
    Parameter<double> Ki{*this, "Ki", 20.0, {.unit = "N.m/rad", .description = "integral gain"}};
    Input<double> reference{
        *this,
        "reference",
        0.0,
        {.unit = "rad/s", .description = "the speed that shall be", .nominal = 10.0}};
    Input<double> speed{*this,
                        "speed",
                        0.0,
                        {.unit = "rad/s", .description = "the speed that is", .nominal = 10.0}};
    State angle{*this,
                "angle",
                0.0,
                {.unit = "rad", .description = "integral of the error", .nominal = 0.01}};
    Output<double> torque{
        *this, "torque", 0.0, {.unit = "N.m", .description = "command", .nominal = 10.0}};

    Controller() {
        has_exact_jacobian();
        depends(angle.der, {reference, speed});
        depends(torque, {angle, reference, speed});
    }
    void derivatives() override { angle.der = reference - speed; }
    void outputs() override { torque = Kp * (reference - speed) + Ki * angle; }
    void jacobian(tandem::Jacobian& j) override {
        j(angle.der, reference) = 1.0;
        j(angle.der, speed) = -1.0;
        j(torque, angle) = Ki;
        j(torque, reference) = Kp;
        j(torque, speed) = -Kp;
    }
};

TANDEM_MODEL(Controller, {.description = "A PI controller of a speed",
                          .stop = 1.5,
                          .step_size = 1e-4,
                          .tolerance = 1e-8,
                          .solver = "dopri5"})
