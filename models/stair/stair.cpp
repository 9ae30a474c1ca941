#include <tandem/model.hpp>

/// Counts up at every period: time events and nothing else.
class Stair : public tandem::Model {
public:
    Parameter<double> period{
        *this, "period", 1.0, {.unit = "s", .description = "of the stair", .min = 1e-6}};
    Parameter<int> last{
        *this, "last", 0, {.description = "the simulation ends at this count; 0: never"}};
    Discrete<int> count{*this, "count", 1, {.description = "height of the stair", .output = true}};
    Discrete<double> start{*this, "start", 0.0, {.unit = "s", .description = "of the first step"}};

    void initialise() override {
        start = time();
        next_event(start + period);
    }
    void event() override {
        if (!time_event()) return;
        ++count;
        if (count == last) end_simulation("the last step of the stair is reached");
        // A multiple, not a sum: rounding errors do not add up.
        steps_ += 1.0;
        next_event(start + (steps_ + 1.0) * period);
    }

private:
    Discrete<double> steps_{*this, "steps", 0.0, {.description = "how many periods have passed"}};
};

TANDEM_MODEL(Stair, {.description = "A stair of time events", .stop = 10.0, .step_size = 0.2})
