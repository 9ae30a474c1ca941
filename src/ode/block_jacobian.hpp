#pragma once

#include <array>
#include <span>
#include <vector>

#include "ode/colouring.hpp"
#include "ode/ode_model.hpp"

namespace tandem::ode {

/// The size that makes a value dimensionless; nominals that say nothing (0, NaN) count as 1.
double usable_nominal(double nominal);
/// The increment of a one-sided difference at `value`: sqrt(eps) * max(|value|, nominal).
double difference_increment(double value, double nominal);

/// The blocks A, B, C, D of a model at a point: exact with jacobian_times, otherwise by one-sided
/// differences; either way all columns of a colour of the declared pattern at once.
class BlockJacobian {
public:
    explicit BlockJacobian(OdeModel& model);

    void set_state_nominals(std::span<const double> nominals);
    /// `matrix` is dense and column-major. The model is left at `point`. False: the model cannot be
    /// evaluated at or near the point.
    [[nodiscard]] bool evaluate(JacobianBlock block, const OdePoint& point,
                                std::span<double> matrix);
    std::size_t colour_count(JacobianBlock block) const;
    long evaluations() const { return evaluations_; }

private:
    const Colouring& colouring(JacobianBlock block) const {
        return colourings_[static_cast<std::size_t>(block)];
    }
    bool exact(JacobianBlock block, std::span<double> matrix);
    bool differences(JacobianBlock block, const OdePoint& point, std::span<double> matrix);
    bool difference(JacobianBlock block, const OdePoint& point, const std::vector<int>& columns,
                    double direction);
    bool result_at(JacobianBlock block, const OdePoint& point, std::span<double> result);

    OdeModel& model_;
    std::array<Colouring, 4> colourings_;
    std::vector<double> state_nominals_, input_nominals_;
    std::vector<double> x_, u_, seed_x_, seed_u_, d_dx_, d_y_, base_, trial_, increments_;
    long evaluations_ = 0;
};

}  // namespace tandem::ode
