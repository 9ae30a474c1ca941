#include <tandem/model.hpp>

/// The ground: an end of a transmission line in space that does not move.
class FixedEnd3D : public tandem::Model {
public:
    Parameter<double[]> position{*this, "position", {3}, 0.0, {.unit = "m"}};
    Parameter<double[]> orientation{*this,
                                    "orientation",
                                    {9},
                                    {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                                    {.description = "its columns are the axes of the end"}};
    Input<double[]> F{*this, "F", {3}, 0.0, {.unit = "N", .description = "force on the ground"}};
    Input<double[]> M{*this, "M", {3}, 0.0, {.unit = "N.m", .description = "moment on the ground"}};
    Output<double[]> r{*this, "r", {3}, 0.0, {.unit = "m", .description = "the position"}};
    Output<double[]> R{*this,
                       "R",
                       {9},
                       {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                       {.description = "the orientation"}};
    Output<double[]> v{*this, "v", {3}, 0.0, {.unit = "m/s", .description = "always 0"}};
    Output<double[]> w{*this, "w", {3}, 0.0, {.unit = "rad/s", .description = "always 0"}};

    FixedEnd3D() {
        has_exact_jacobian();
        depends(r, {});
        depends(R, {});
        depends(v, {});
        depends(w, {});
    }
    void outputs() override {
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = position[i];
        for (std::size_t i = 0; i < R.size(); ++i) R[i] = orientation[i];
    }
};

TANDEM_MODEL(FixedEnd3D, {.description = "The ground in space", .step_size = 1e-3})
