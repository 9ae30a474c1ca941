#include "ode/host/coursed_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::ode {
namespace {

// Where KLU becomes faster than dense factors, measured on chains and on the race car.
constexpr std::size_t smallest_sparse = 20;
constexpr double largest_density = 0.4;

}  // namespace

CoursedProblem::CoursedProblem(OdeModel& model, const HeldCourse& course, BlockJacobian& jacobian,
                               std::size_t law_states)
    : model_(model),
      course_(course),
      jacobian_(jacobian),
      model_states_(model.shape().states.size()) {
    u_.resize(model.shape().inputs.size());
    for (auto* work : {&x_, &dx_}) work->resize(model_states_ + law_states);
    nominals_.assign(x_.size(), 1.0);
}

int CoursedProblem::size() const { return static_cast<int>(x_.size()); }
int CoursedProblem::indicator_count() const { return model_.shape().indicators; }

void CoursedProblem::set_state_nominals(std::span<const double> nominals) {
    std::ranges::copy(nominals, nominals_.begin());
}

LawPoint CoursedProblem::point(double t, std::span<const double> x) const {
    return {t, x.first(model_states_), x.subspan(model_states_), this};
}

/// Where the model cannot be evaluated, the derivatives that are asked for next say so.
void CoursedProblem::read(const LawPoint& point, std::span<const double> inputs,
                          std::span<double> outputs) const {
    if (!model_.set_point({point.t, point.states, inputs}) || !model_.outputs(outputs))
        std::ranges::fill(outputs, std::numeric_limits<double>::quiet_NaN());
}

bool CoursedProblem::set_point(double t, std::span<const double> x) {
    course_.evaluate(point(t, x), u_, remainder());
    if (model_.set_point({t, x.first(model_states_), u_})) return true;
    failure_reason_ = {Failure::Kind::refused, t, 0};
    return false;
}

bool CoursedProblem::derivatives(double t, std::span<const double> x, std::span<double> dx) {
    if (!set_point(t, x)) return false;
    const auto rates = dx.first(model_states_);
    if (!model_.derivatives(rates)) {
        failure_reason_ = {Failure::Kind::refused, t, 0};
        return false;
    }
    for (std::size_t i = 0; i < rates.size(); ++i) {
        if (std::isfinite(rates[i])) continue;
        failure_reason_ = {Failure::Kind::not_finite, t, i};
        return false;
    }
    if (model_states_ == x.size()) return true;
    std::ranges::fill(dx.subspan(model_states_), 0.0);
    if (course_.law() != nullptr)
        course_.law()->rates(point(t, x), rates, dx.subspan(model_states_));
    return true;
}

bool CoursedProblem::indicators(double t, std::span<const double> x, std::span<double> z) {
    return set_point(t, x) && model_.indicators(z);
}

bool CoursedProblem::jacobian(double t, std::span<const double> x, std::span<const double> dx,
                              std::span<double> matrix) {
    if (!model_jacobian_is_all()) return total_jacobian(t, x, dx, matrix);
    course_.evaluate(point(t, x), u_, remainder());
    return jacobian_.evaluate(JacobianBlock::a, {t, x, u_}, matrix);
}

/// A law may tie any state to any other.
bool CoursedProblem::model_jacobian_is_all() const {
    return course_.law() == nullptr && model_states_ == x_.size();
}

const SparseColumns* CoursedProblem::sparsity() const {
    const SparseColumns& sparse = jacobian_.sparse_columns(JacobianBlock::a);
    const std::size_t n = x_.size();
    const bool is_worth_it = n >= smallest_sparse &&
                             static_cast<double>(sparse.rows.size()) <
                                 largest_density * static_cast<double>(n) * static_cast<double>(n);
    return is_worth_it && model_jacobian_is_all() ? &sparse : nullptr;
}

/// Without what a law may add: a sparse solver goes on with it until the next restart.
bool CoursedProblem::sparse_jacobian(double t, std::span<const double> x,
                                     std::span<double> entries) {
    course_.evaluate(point(t, x), u_, remainder());
    return jacobian_.evaluate_sparse(JacobianBlock::a, {t, x, u_}, entries);
}

/// With a law u = u(t, x) the derivative is A + B du/dx, and any state may act on any other:
/// differences of the whole, column by column.
bool CoursedProblem::total_jacobian(double t, std::span<const double> x, std::span<const double> dx,
                                    std::span<double> matrix) {
    std::ranges::copy(x, x_.begin());
    for (std::size_t j = 0; j < x_.size(); ++j) {
        x_[j] = x[j] + difference_increment(x[j], nominals_[j]);
        const double increment = x_[j] - x[j];
        if (!derivatives(t, x_, dx_)) return false;
        for (std::size_t i = 0; i < dx_.size(); ++i)
            matrix[j * dx_.size() + i] = (dx_[i] - dx[i]) / increment;
        x_[j] = x[j];
    }
    return true;
}

std::string CoursedProblem::failure_reason() const {
    switch (failure_reason_.kind) {
        case Failure::Kind::none: return {};
        case Failure::Kind::refused:
            return fmt::format("the model could not be evaluated at t = {}{}{}", failure_reason_.t,
                               model_.failure_reason().empty() ? "" : ": ",
                               model_.failure_reason());
        case Failure::Kind::not_finite:
            return fmt::format("the derivative of state '{}' was not a finite number at t = {}",
                               model_.shape().states[failure_reason_.state].name,
                               failure_reason_.t);
    }
    return {};
}

}  // namespace tandem::ode
