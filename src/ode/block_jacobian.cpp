#include "ode/block_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::ode {
namespace {

bool of_derivatives(JacobianBlock block) {
    return block == JacobianBlock::a || block == JacobianBlock::b;
}
bool by_states(JacobianBlock block) {
    return block == JacobianBlock::a || block == JacobianBlock::c;
}
std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

double usable_nominal(double nominal) {
    const double size = std::abs(nominal);
    return size > 0.0 && std::isfinite(size) ? size : 1.0;
}

double difference_increment(double value, double nominal) {
    static const double root = std::sqrt(std::numeric_limits<double>::epsilon());
    return root * std::max(std::abs(value), nominal);
}

BlockJacobian::BlockJacobian(OdeModel& model) : model_(model) {
    const OdeShape& shape = model.shape();
    const auto states = static_cast<int>(shape.states.size());
    const auto inputs = static_cast<int>(shape.inputs.size());
    const auto outputs = static_cast<int>(shape.outputs.size());
    colourings_ = {colour_columns(shape.a, states, states), colour_columns(shape.b, states, inputs),
                   colour_columns(shape.c, outputs, states),
                   colour_columns(shape.d, outputs, inputs)};
    for (auto* work : {&x_, &seed_x_, &d_dx_}) work->resize(at(states));
    for (auto* work : {&u_, &seed_u_}) work->resize(at(inputs));
    d_y_.resize(at(outputs));
    for (auto* work : {&base_, &trial_}) work->resize(at(std::max(states, outputs)));
    increments_.resize(at(std::max(states, inputs)));
    state_nominals_.assign(at(states), 1.0);
    for (const Port& input : shape.inputs) input_nominals_.push_back(usable_nominal(input.nominal));
}

void BlockJacobian::set_state_nominals(std::span<const double> nominals) {
    std::ranges::copy(nominals, state_nominals_.begin());
}

std::size_t BlockJacobian::colour_count(JacobianBlock block) const {
    return colouring(block).colours.size();
}

bool BlockJacobian::evaluate(JacobianBlock block, const OdePoint& point, std::span<double> matrix) {
    std::ranges::fill(matrix, 0.0);
    if (!model_.set_point(point)) return false;
    if (model_.shape().exact_jacobian) return exact(block, matrix);
    const bool good = differences(block, point, matrix);
    return model_.set_point(point) && good;
}

/// One product with the sum of the unit vectors of a colour holds all its columns.
bool BlockJacobian::exact(JacobianBlock block, std::span<double> matrix) {
    const Colouring& groups = colouring(block);
    std::vector<double>& seed = by_states(block) ? seed_x_ : seed_u_;
    const std::vector<double>& product = of_derivatives(block) ? d_dx_ : d_y_;
    std::ranges::fill(seed_x_, 0.0);
    std::ranges::fill(seed_u_, 0.0);
    for (const auto& columns : groups.colours) {
        for (const int column : columns) seed[at(column)] = 1.0;
        ++evaluations_;
        if (!model_.jacobian_times(seed_x_, seed_u_, d_dx_, d_y_)) return false;
        for (const int column : columns) {
            seed[at(column)] = 0.0;
            for (const int row : groups.rows[at(column)])
                matrix[at(column) * product.size() + at(row)] = product[at(row)];
        }
    }
    return true;
}

bool BlockJacobian::differences(JacobianBlock block, const OdePoint& point,
                                std::span<double> matrix) {
    const Colouring& groups = colouring(block);
    const std::size_t rows = of_derivatives(block) ? d_dx_.size() : d_y_.size();
    if (groups.colours.empty()) return true;
    if (!result_at(block, point, std::span(base_).first(rows))) return false;
    for (const auto& columns : groups.colours) {
        // Where the model ends on one side, the other one is tried.
        if (!difference(block, point, columns, +1.0) && !difference(block, point, columns, -1.0))
            return false;
        for (const int column : columns)
            for (const int row : groups.rows[at(column)])
                matrix[at(column) * rows + at(row)] =
                    (trial_[at(row)] - base_[at(row)]) / increments_[at(column)];
    }
    return true;
}

bool BlockJacobian::difference(JacobianBlock block, const OdePoint& point,
                               const std::vector<int>& columns, double direction) {
    std::ranges::copy(point.x, x_.begin());
    std::ranges::copy(point.u, u_.begin());
    std::vector<double>& moved = by_states(block) ? x_ : u_;
    const std::vector<double>& nominals = by_states(block) ? state_nominals_ : input_nominals_;
    for (const int column : columns) {
        const double value = moved[at(column)];
        moved[at(column)] = value + direction * difference_increment(value, nominals[at(column)]);
        // What was really added, after rounding.
        increments_[at(column)] = moved[at(column)] - value;
    }
    const std::size_t rows = of_derivatives(block) ? d_dx_.size() : d_y_.size();
    return result_at(block, {point.t, x_, u_}, std::span(trial_).first(rows));
}

bool BlockJacobian::result_at(JacobianBlock block, const OdePoint& point,
                              std::span<double> result) {
    ++evaluations_;
    if (!model_.set_point(point)) return false;
    const bool good = of_derivatives(block) ? model_.derivatives(result) : model_.outputs(result);
    return good && std::ranges::all_of(result, [](double value) { return std::isfinite(value); });
}

}  // namespace tandem::ode
