#include "bspk6_switches.hpp"

#include <tandem/model.hpp>

#include <algorithm>

/// Two switches that are time events.
class BspK6Switches : public tandem::Model {
public:
    Discrete<int> y1{*this, "y1", 0, {.description = "1 where sin(pi t) > 1/2", .output = true}};
    Discrete<int> y2{*this, "y2", 0, {.description = "1 where sin(2 pi t) < -1/2", .output = true}};

    void initialise() override { follow_time(); }
    void event() override { follow_time(); }

private:
    void follow_time() {
        y1 = first_switch.value(time());
        y2 = second_switch.value(time());
        next_event(std::min(first_switch.next(time()), second_switch.next(time())));
    }
};

TANDEM_MODEL(BspK6Switches,
             {.description = "Two switches that are time events", .stop = 5.0, .step_size = 1e-4})
