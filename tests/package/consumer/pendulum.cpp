#include <tandem/model.hpp>

#include <cmath>

class Pendulum : public tandem::Model {
public:
    Parameter<double> length{*this, "length", 1.0, {.unit = "m", .description = "of the rod"}};
    State angle{*this, "angle", 0.1, {.unit = "rad", .output = true}};
    State rate{*this, "rate", 0.0, {.unit = "rad/s"}};

    void derivatives() override {
        angle.der = rate;
        rate.der = -9.81 / length * std::sin(angle);
    }
};

TANDEM_MODEL(Pendulum, {.description = "A pendulum", .stop = 2.0})
