#include <tandem/model.hpp>

#include <cmath>

/// A function of time.
class SineSource : public tandem::Model {
public:
    Parameter<double> offset{*this, "offset", 0.0, {.description = "mean of y"}};
    Parameter<double> amplitude{*this, "amplitude", 1.0, {.description = "of the sine"}};
    Parameter<double> omega{*this, "omega", 1.0, {.unit = "rad/s", .description = "of the sine"}};
    Parameter<double> phase{*this, "phase", 0.0, {.unit = "rad", .description = "at time 0"}};
    Output<double> y{*this, "y", 0.0, {.description = "offset + amplitude sin(omega t + phase)"}};

    SineSource() { depends(y, {}); }
    void outputs() override { y = offset + amplitude * std::sin(omega * time() + phase); }
};

TANDEM_MODEL(SineSource, {.description = "A sine of time", .stop = 10.0, .step_size = 0.01})
