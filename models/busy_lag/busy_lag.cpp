#include <tandem/model.hpp>

/// A lag of first order that computes more than it needs to: for measurements of run time.
class BusyLag : public tandem::Model {
public:
    Parameter<double> T{*this, "T", 1.0, {.unit = "s", .description = "time constant"}};
    Parameter<int> work{*this, "work", 40000, {.description = "Euler steps in one step"}};
    Input<double> u{*this, "u"};
    Discrete<double> x{*this, "x", 0.0};
    Output<double> y{*this, "y", 0.0, {.description = "x"}};

    BusyLag() { depends(y, {}); }
    void step(double, double h) override {
        const double part = h / (work * T);
        double now = x;
        for (int i = 0; i < work; ++i) now += part * (u - now);
        x = now;
    }
    void outputs() override { y = x; }
};

TANDEM_MODEL(BusyLag, {.description = "A lag that takes its time", .stop = 1.0, .step_size = 0.001})
