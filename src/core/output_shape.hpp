#pragma once

namespace tandem {

/// Beside the class Subsystem, with capability linear_model: what is known of the shape of outputs.
class OutputShape {
public:
    virtual ~OutputShape() = default;
    /// True if C, D and the slopes in time of linear models are the same everywhere, as far as
    /// samples near the present tell, for times up to `step` later.
    virtual bool has_affine_outputs(double step) = 0;
};

}  // namespace tandem
