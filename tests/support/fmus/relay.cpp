#include <tandem/model.hpp>

/// A relay with hysteresis: y is 1 until u rises to `high`, then `off` until u falls to `low`. It
/// has no states: its events come from its input alone.
class Relay : public tandem::Model {
public:
    Parameter<double> low{*this, "low", -0.1, {.description = "where it switches on"}};
    Parameter<double> high{*this, "high", 0.1, {.description = "where it switches off"}};
    Parameter<double> off{*this, "off", -1.0, {.description = "output when off"}};
    Input<double> u{*this, "u", 0.0, {.description = "what it watches"}};
    Discrete<bool> on{*this, "on", true, {.description = "its state"}};
    Discrete<int> count{*this, "count", 0, {.description = "switchings so far"}};
    Output<double> y{*this, "y", 1.0, {.description = "1 or off"}};

    Relay() {
        has_indicators(1);
        depends(y, {});
    }
    void outputs() override { y = on ? 1.0 : off.value(); }
    void indicators(std::span<double> z) override { z[0] = on ? high - u : u - low; }
    void event() override {
        if (on ? u < high : u > low) return;
        on = !on;
        count = count + 1;
    }
};

TANDEM_MODEL(Relay, {.description = "Relay with hysteresis", .stop = 1.0, .step_size = 0.1})
