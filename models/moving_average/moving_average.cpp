#include <tandem/model.hpp>

/// The mean of the last four inputs: a model that is nothing but a function of time and step.
class MovingAverage : public tandem::Model {
public:
    Input<double> u{*this, "u", 0.0, {.description = "what is averaged"}};
    Output<double> y{*this, "y", 0.0, {.description = "mean of the last four inputs"}};
    Discrete<double[]> last{*this, "last", {4}, 0.0, {.description = "the last four inputs"}};
    Discrete<int> next{*this, "next", 0, {.description = "where the next input goes"}};

    MovingAverage() { depends(y, {}); }
    void step(double, double) override {
        last[static_cast<std::size_t>(next)] = u;
        next = (next + 1) % 4;
    }
    void outputs() override { y = (last[0] + last[1] + last[2] + last[3]) / 4.0; }
};

TANDEM_MODEL(MovingAverage,
             {.description = "Mean of the last four inputs", .stop = 1.0, .step_size = 0.1})
