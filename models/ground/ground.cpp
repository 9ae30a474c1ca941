#include <tandem/model.hpp>

#include <cmath>
#include <numbers>

/// The road under a wheel that rolls over one smooth bump.
class Ground : public tandem::Model {
public:
    Parameter<double> speed{
        *this, "speed", 10.0, {.unit = "m/s", .description = "of the car", .nominal = 10.0}};
    Parameter<double> begin{*this, "begin", 5.0, {.unit = "m", .description = "of the bump"}};
    Parameter<double> length{
        *this, "length", 2.0, {.unit = "m", .description = "of the bump", .min = 1e-3}};
    Parameter<double> height{*this, "height", 0.1, {.unit = "m", .description = "of the bump"}};
    Output<double> z{
        *this, "z", 0.0, {.unit = "m", .description = "height of the road", .nominal = 0.1}};
    Output<double> w{*this, "w", 0.0, {.unit = "m/s", .description = "dz/dt", .nominal = 1.0}};

    Ground() {
        has_exact_jacobian();
        depends(z, {});
        depends(w, {});
    }
    void outputs() override {
        const double s = speed * time() - begin;
        const bool on_bump = s > 0.0 && s < length;
        const double a = 2.0 * std::numbers::pi / length;
        z = on_bump ? 0.5 * height * (1.0 - std::cos(a * s)) : 0.0;
        w = on_bump ? 0.5 * height * a * speed * std::sin(a * s) : 0.0;
    }
};

TANDEM_MODEL(Ground, {.description = "A road with one smooth bump", .stop = 4.0, .step_size = 1e-3})
