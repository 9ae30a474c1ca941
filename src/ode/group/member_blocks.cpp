#include "ode/group/member_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "ode/block_jacobian.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::ode {
namespace {

/// Where a block stands in the whole, and its size.
struct Part {
    const Pattern& pattern;
    int first_row, first_column, rows, columns;
};

void add(std::vector<std::pair<int, int>>& all, const Part& part) {
    if (part.pattern.entries) {
        for (const auto& [row, column] : *part.pattern.entries)
            all.emplace_back(part.first_row + row, part.first_column + column);
        return;
    }
    for (int row = 0; row < part.rows; ++row)
        for (int column = 0; column < part.columns; ++column)
            all.emplace_back(part.first_row + row, part.first_column + column);
}

}  // namespace

MemberBlocks::MemberBlocks(OdeModel& model) : model_(model), states_(model.shape().states.size()) {
    const OdeShape& shape = model.shape();
    const auto states = static_cast<int>(states_);
    const auto inputs = static_cast<int>(shape.inputs.size());
    const auto outputs = static_cast<int>(shape.outputs.size());
    Pattern whole{std::vector<std::pair<int, int>>{}};
    add(*whole.entries, {shape.a, 0, 0, states, states});
    add(*whole.entries, {shape.b, 0, states, states, inputs});
    add(*whole.entries, {shape.c, states, 0, outputs, states});
    add(*whole.entries, {shape.d, states, states, outputs, inputs});
    colouring_ = colour_columns(whole, states + outputs, states + inputs);
    find_entries(states + outputs, states + inputs);
    for (const auto* ports : {&shape.states, &shape.inputs})
        for (const Port& port : *ports) nominals_.push_back(usable_nominal(port.nominal));
    for (auto* work : {&moved_, &increments_}) work->resize(index(states + inputs));
    for (auto* work : {&base_, &trial_}) work->resize(index(states + outputs));
}

void MemberBlocks::find_entries(int rows, int columns) {
    std::vector<std::size_t> next(index(rows) + 1, 0);
    for (const auto& own : colouring_.rows)
        for (const int row : own) ++next[index(row) + 1];
    for (std::size_t row = 1; row < next.size(); ++row) next[row] += next[row - 1];
    begin_ = next;
    entries_.resize(begin_.back());
    position_.resize(index(columns));
    for (int column = 0; column < columns; ++column)
        for (const int row : colouring_.rows[index(column)]) {
            const std::size_t position = next[index(row)]++;
            entries_[position] = {column, 0.0};
            position_[index(column)].push_back(position);
        }
}

void MemberBlocks::take(const std::vector<int>& columns, std::span<const double> product) {
    for (const int column : columns) {
        const auto& rows = colouring_.rows[index(column)];
        for (std::size_t k = 0; k < rows.size(); ++k)
            entries_[position_[index(column)][k]].value = product[index(rows[k])];
    }
}

bool MemberBlocks::evaluate(const OdePoint& point) {
    if (is_known_ && model_.shape().constant_jacobian) return true;
    is_known_ = model_.shape().exact_jacobian ? products() : differences(point);
    return is_known_;
}

bool MemberBlocks::products() {
    const std::span<double> seed(moved_), product(trial_);
    std::ranges::fill(seed, 0.0);
    for (const auto& columns : colouring_.colours) {
        for (const int column : columns) seed[index(column)] = 1.0;
        ++evaluations_;
        if (!model_.jacobian_times(seed.first(states_), seed.subspan(states_),
                                   product.first(states_), product.subspan(states_)))
            return false;
        for (const int column : columns) seed[index(column)] = 0.0;
        take(columns, product);
    }
    return true;
}

/// One-sided differences; where the model ends on one side, the other one is tried.
bool MemberBlocks::differences(const OdePoint& point) {
    if (colouring_.colours.empty()) return true;
    if (!model_.derivatives(std::span(base_).first(states_)) ||
        !model_.outputs(std::span(base_).subspan(states_)))
        return false;
    std::ranges::copy(point.u, std::ranges::copy(point.x, moved_.begin()).out);
    for (const auto& columns : colouring_.colours) {
        const bool good = move(point, columns, +1.0) || move(point, columns, -1.0);
        for (const int column : columns) {
            const std::size_t i = index(column);
            moved_[i] = i < states_ ? point.x[i] : point.u[i - states_];
            const auto& rows = colouring_.rows[i];
            for (std::size_t k = 0; k < rows.size(); ++k)
                entries_[position_[i][k]].value =
                    (trial_[index(rows[k])] - base_[index(rows[k])]) / increments_[i];
        }
        if (!good) return false;
    }
    return model_.set_point(point);
}

bool MemberBlocks::move(const OdePoint& point, const std::vector<int>& columns, double direction) {
    for (const int column : columns) {
        const std::size_t i = index(column);
        const double value = i < states_ ? point.x[i] : point.u[i - states_];
        moved_[i] = value + direction * difference_increment(value, nominals_[i]);
        increments_[i] = moved_[i] - value;  // what was really added, after rounding
    }
    return result_at(
        {point.t, std::span(moved_).first(states_), std::span(moved_).subspan(states_)}, trial_);
}

bool MemberBlocks::result_at(const OdePoint& point, std::span<double> result) {
    ++evaluations_;
    return model_.set_point(point) && model_.derivatives(result.first(states_)) &&
           model_.outputs(result.subspan(states_)) &&
           std::ranges::all_of(result, [](double value) { return std::isfinite(value); });
}

}  // namespace tandem::ode
