#include <tandem/model.hpp>

/// A speed that is switched on and off again.
class StepSource : public tandem::Model {
public:
    Parameter<double> height{*this, "height", 100.0, {.unit = "rpm", .description = "while on"}};
    Parameter<double> on{*this, "on", 0.2, {.unit = "s", .description = "when it is switched on"}};
    Parameter<double> off{*this, "off", 1.0, {.unit = "s", .description = "... and off"}};
    Discrete<double> speed{*this,
                           "speed",
                           0.0,
                           {.unit = "rpm",
                            .description = "height from on until off, else 0",
                            .nominal = 100.0,
                            .output = true}};

    void initialise() override { follow_time(); }
    void event() override { follow_time(); }

private:
    void follow_time() {
        speed = time() >= on && time() < off ? height.value() : 0.0;
        if (time() < on)
            next_event(on);
        else if (time() < off)
            next_event(off);
    }
};

TANDEM_MODEL(StepSource,
             {.description = "A speed that is switched on and off", .stop = 1.5, .step_size = 1e-4})
