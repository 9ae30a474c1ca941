#include <tandem/model.hpp>

class BouncingBallExample : public tandem::Model {
public:
    Parameter<double> g{*this, "g", 9.81, {.unit = "m/s2", .description = "gravity"}};
    Parameter<double> e{*this, "e", 0.8, {.description = "restitution"}};
    Parameter<double> v_min{*this, "v_min", 0.01, {.unit = "m/s", .description = "rest below"}};
    State h{*this, "h", 1.0, {.unit = "m", .description = "height", .output = true}};
    State v{*this, "v", 0.0, {.unit = "m/s", .description = "velocity", .output = true}};
    Discrete<bool> lying{*this, "lying", false, {.description = "it bounces no more"}};

    BouncingBallExample() {
        has_indicators(1);
        depends(h.der, {v});
        depends(v.der, {});
    }
    void derivatives() override {
        h.der = lying ? 0.0 : v.value();
        v.der = lying ? 0.0 : -g;
    }
    void indicators(std::span<double> z) override { z[0] = lying ? 1.0 : h.value(); }
    void event() override {
        if (lying || h > 0.0 || v >= 0.0) return;
        h = 0.0;
        v = -e * v;
        lying = v < v_min;
        if (lying) v = 0.0;
    }
};

TANDEM_MODEL(BouncingBallExample, {.description = "A ball bounces on the ground", .stop = 3.0})
