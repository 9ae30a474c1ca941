#include "bspk6_switches.hpp"

#include <tandem/model.hpp>

/// Two switches that are looked at when a step has ended.
class BspK6SwitchesSampled : public tandem::Model {
public:
    Output<int> y1{*this, "y1", 0, {.description = "1 where sin(pi t) > 1/2"}};
    Output<int> y2{*this, "y2", 0, {.description = "1 where sin(2 pi t) < -1/2"}};

    BspK6SwitchesSampled() {
        depends(y1, {});
        depends(y2, {});
    }
    void step(double, double) override {}
    void outputs() override {
        y1 = first_switch.value(time());
        y2 = second_switch.value(time());
    }
};

TANDEM_MODEL(BspK6SwitchesSampled,
             {.description = "Two switches that are seen at communication points only",
              .stop = 5.0,
              .step_size = 1e-4})
