#include <tandem/model.hpp>

/// A constant flow into the end of a transmission line, whatever the pressure; none where it is
/// closed.
class HydraulicSource : public tandem::Model {
public:
    Parameter<double> flow{*this, "flow", 0.0, {.unit = "m3/s"}};
    Input<double> p{
        *this, "p", 0.0, {.unit = "Pa", .description = "pressure there", .nominal = 1e5}};
    Output<double> q{
        *this, "q", 0.0, {.unit = "m3/s", .description = "into the line", .nominal = 1e-4}};

    HydraulicSource() {
        has_exact_jacobian();
        depends(q, {});
    }
    void outputs() override { q = flow.value(); }
};

TANDEM_MODEL(HydraulicSource, {.description = "A constant flow", .step_size = 1e-3})
