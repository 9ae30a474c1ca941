#include <tandem/model.hpp>

/// An end of a transmission line that is blocked, or moves with a constant speed whatever the
/// force.
class FixedEnd : public tandem::Model {
public:
    Parameter<double> speed{*this, "speed", 0.0, {.unit = "m/s"}};
    Input<double> F{*this, "F", 0.0, {.unit = "N", .description = "force on this end"}};
    Output<double> v{*this, "v", 0.0, {.unit = "m/s", .description = "the speed"}};

    FixedEnd() {
        has_exact_jacobian();
        depends(v, {});
    }
    void outputs() override { v = speed.value(); }
};

TANDEM_MODEL(FixedEnd, {.description = "Moves with a constant speed", .step_size = 1e-3})
