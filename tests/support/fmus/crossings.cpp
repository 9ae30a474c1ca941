#include <tandem/model.hpp>

/// Counts how often u crosses a level, without hysteresis. The side on which it begins is that of u
/// when it is initialised.
class Crossings : public tandem::Model {
public:
    Parameter<double> level{*this, "level", 0.0, {.description = "what u crosses"}};
    Input<double> u{*this, "u", 0.0, {.description = "what it watches"}};
    Discrete<bool> above{*this, "above", false, {.description = "u is above the level"}};
    Discrete<int> count{*this, "count", 0, {.description = "crossings so far"}};
    Output<double> y{*this, "y", 0.0, {.description = "count"}};

    Crossings() {
        has_indicators(1);
        depends(y, {});
    }
    void initialise() override { above = u > level; }
    void outputs() override { y = count.value(); }
    void indicators(std::span<double> z) override { z[0] = u - level; }
    void event() override {
        if (u == level || (u > level) == above) return;
        above = !above;
        count = count + 1;
    }
};

TANDEM_MODEL(Crossings, {.description = "Counter of crossings", .stop = 1.0, .step_size = 0.1})
