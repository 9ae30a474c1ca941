#pragma once

#include <tandem/model.hpp>

/// The node of BspK6 without saying who integrates it. `Memory`: State or Discrete.
template <class Memory>
class BspK6NodeEquation : public tandem::Model {
public:
    Input<double> u1{*this, "u1", 0.0, {.description = "voltage at port 1"}};
    Input<double> u2{*this, "u2", 0.0, {.description = "voltage at port 2"}};
    Input<int> u3{*this, "u3", 0, {.description = "1: no current flows at port 2"}};
    Input<int> u4{*this, "u4", 0, {.description = "1: no current flows at port 1"}};
    Memory x{*this, "x", 0.0, {.description = "voltage of the node", .output = true}};
    Output<double> y1{*this, "y1", 0.0, {.description = "current at port 1"}};
    Output<double> y2{*this, "y2", 0.0, {.description = "current at port 2"}};

    BspK6NodeEquation() {
        depends(y1, {x, u1, u4});
        depends(y2, {x, u2, u3});
    }
    void outputs() override {
        y1 = is_closed(u4) ? u1 - x : 0.0;
        y2 = is_closed(u3) ? u2 - x : 0.0;
    }

protected:
    static bool is_closed(int open) { return open == 0; }
};
