#include "ode/block_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/extend/index.hpp"

namespace tandem::ode {
namespace {

bool of_derivatives(JacobianBlock block) {
    return block == JacobianBlock::a || block == JacobianBlock::b;
}
bool by_states(JacobianBlock block) {
    return block == JacobianBlock::a || block == JacobianBlock::c;
}
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
    blocks_ = {make_block(shape.a, states, states), make_block(shape.b, states, inputs),
               make_block(shape.c, outputs, states), make_block(shape.d, outputs, inputs)};
    for (auto* work : {&x_, &seed_x_, &d_dx_}) work->resize(index(states));
    for (auto* work : {&u_, &seed_u_}) work->resize(index(inputs));
    d_y_.resize(index(outputs));
    for (auto* work : {&base_, &trial_}) work->resize(index(std::max(states, outputs)));
    increments_.resize(index(std::max(states, inputs)));
    state_nominals_.assign(index(states), 1.0);
    for (const Port& input : shape.inputs) input_nominals_.push_back(usable_nominal(input.nominal));
}

BlockJacobian::Block BlockJacobian::make_block(const Pattern& pattern, int rows, int columns) {
    Block block;
    block.colouring = colour_columns(pattern, rows, columns);
    block.sparse.begin = {0};
    for (const auto& own : block.colouring.rows) {
        block.sparse.rows.insert(block.sparse.rows.end(), own.begin(), own.end());
        block.sparse.begin.push_back(block.sparse.rows.size());
    }
    block.entries.resize(block.sparse.rows.size());
    if (!pattern.entries) return block;
    for (const auto& [row, column] : *pattern.entries) {
        const auto& own = block.colouring.rows[index(column)];
        const auto found = std::ranges::lower_bound(own, row);
        block.order.push_back(block.sparse.begin[index(column)] +
                              static_cast<std::size_t>(found - own.begin()));
    }
    return block;
}

void BlockJacobian::set_state_nominals(std::span<const double> nominals) {
    std::ranges::copy(nominals, state_nominals_.begin());
}

std::size_t BlockJacobian::colour_count(JacobianBlock block) const {
    return of(block).colouring.colours.size();
}

bool BlockJacobian::evaluate(JacobianBlock block, const OdePoint& point, std::span<double> matrix) {
    Block& own = of(block);
    std::ranges::fill(matrix, 0.0);
    if (!evaluate_sparse(block, point, own.entries)) return false;
    const std::size_t rows = of_derivatives(block) ? d_dx_.size() : d_y_.size();
    for (std::size_t column = 0; column + 1 < own.sparse.begin.size(); ++column)
        for (std::size_t k = own.sparse.begin[column]; k < own.sparse.begin[column + 1]; ++k)
            matrix[column * rows + index(own.sparse.rows[k])] = own.entries[k];
    return true;
}

bool BlockJacobian::evaluate_sparse(JacobianBlock block, const OdePoint& point,
                                    std::span<double> entries) {
    if (!model_.set_point(point)) return false;
    if (model_.shape().assembles_jacobian) return assembled(block, entries);
    if (model_.shape().exact_jacobian) return exact(block, entries);
    const bool good = differences(block, point, entries);
    return model_.set_point(point) && good;
}

bool BlockJacobian::assembled(JacobianBlock block, std::span<double> entries) {
    const std::vector<std::size_t>& order = of(block).order;
    assembled_.resize(order.size());
    ++evaluations_;
    if (!model_.jacobian_entries(block, assembled_)) return false;
    for (std::size_t k = 0; k < order.size(); ++k) entries[order[k]] = assembled_[k];
    return true;
}

/// One product with the sum of the unit vectors of a colour holds all its columns.
bool BlockJacobian::exact(JacobianBlock block, std::span<double> entries) {
    const Block& own = of(block);
    std::vector<double>& seed = by_states(block) ? seed_x_ : seed_u_;
    const std::vector<double>& product = of_derivatives(block) ? d_dx_ : d_y_;
    std::ranges::fill(seed_x_, 0.0);
    std::ranges::fill(seed_u_, 0.0);
    for (const auto& columns : own.colouring.colours) {
        for (const int column : columns) seed[index(column)] = 1.0;
        ++evaluations_;
        if (!model_.jacobian_times(seed_x_, seed_u_, d_dx_, d_y_)) return false;
        for (const int column : columns) {
            seed[index(column)] = 0.0;
            for (std::size_t k = own.sparse.begin[index(column)];
                 k < own.sparse.begin[index(column) + 1]; ++k)
                entries[k] = product[index(own.sparse.rows[k])];
        }
    }
    return true;
}

bool BlockJacobian::differences(JacobianBlock block, const OdePoint& point,
                                std::span<double> entries) {
    const Block& own = of(block);
    const std::size_t rows = of_derivatives(block) ? d_dx_.size() : d_y_.size();
    if (own.colouring.colours.empty()) return true;
    if (!result_at(block, point, std::span(base_).first(rows))) return false;
    for (const auto& columns : own.colouring.colours) {
        // Where the model ends on one side, the other one is tried.
        if (!difference(block, point, columns, +1.0) && !difference(block, point, columns, -1.0))
            return false;
        for (const int column : columns)
            for (std::size_t k = own.sparse.begin[index(column)];
                 k < own.sparse.begin[index(column) + 1]; ++k) {
                const std::size_t row = index(own.sparse.rows[k]);
                entries[k] = (trial_[row] - base_[row]) / increments_[index(column)];
            }
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
        const double value = moved[index(column)];
        moved[index(column)] =
            value + direction * difference_increment(value, nominals[index(column)]);
        // What was really added, after rounding.
        increments_[index(column)] = moved[index(column)] - value;
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
