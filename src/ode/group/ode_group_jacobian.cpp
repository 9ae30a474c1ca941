#include <algorithm>
#include <cmath>
#include <limits>

#include "core/function_slope.hpp"
#include "ode/block_jacobian.hpp"
#include "ode/group/ode_group_impl.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::ode {
/// (d_dx, d_y_own) of member m from (d_x, d_u), at the point that is set.
bool OdeGroup::Impl::product(int m) {
    if (!net->shapes[index(m)]->exact_jacobian) return difference_product(m);
    return members[index(m)]->jacobian_times(
        slice(d_x, net->state_begin, m), slice(d_u, net->input_begin, m),
        slice(d_dx, net->state_begin, m), slice(d_y_own, net->output_begin, m));
}

/// (f(p + e d) - f(p)) / e, with e d of the size of the increments of single differences.
bool OdeGroup::Impl::difference_product(int m) {
    const OdeShape& own = *net->shapes[index(m)];
    OdeModel& model = *members[index(m)];
    const auto dx = slice(d_x, net->state_begin, m);
    const auto du = slice(d_u, net->input_begin, m);
    const auto point_x = states_of(m);
    const auto point_u = inputs_of(m);
    double step = std::numeric_limits<double>::infinity();
    const auto limit = [&](std::span<const double> direction, std::span<const double> values,
                           const std::vector<Port>& ports) {
        for (std::size_t i = 0; i < direction.size(); ++i)
            if (direction[i] != 0.0)
                step = std::min(step,
                                difference_increment(values[i], usable_nominal(ports[i].nominal)) /
                                    std::abs(direction[i]));
    };
    limit(dx, point_x, own.states);
    limit(du, point_u, own.inputs);
    const auto result_x = slice(d_dx, net->state_begin, m);
    const auto result_y = slice(d_y_own, net->output_begin, m);
    std::ranges::fill(result_x, 0.0);
    std::ranges::fill(result_y, 0.0);
    if (!std::isfinite(step)) return true;
    const bool is_continuous = phase == Phase::continuous;  // otherwise only inputs can be moved
    const auto base_x = std::span(base).first(result_x.size());
    const auto base_y = std::span(base).subspan(index(net->state_count()), result_y.size());
    if ((is_continuous && !model.derivatives(base_x)) || !model.outputs(base_y)) return false;
    const auto moved_x = std::span(x_trial).first(dx.size());
    const auto moved_u = std::span(u_trial).first(du.size());
    for (std::size_t i = 0; i < dx.size(); ++i) moved_x[i] = point_x[i] + step * dx[i];
    for (std::size_t i = 0; i < du.size(); ++i) moved_u[i] = point_u[i] + step * du[i];
    if (!is_continuous) {
        model.set_inputs(moved_u);
        const bool good = model.outputs(result_y);
        for (std::size_t i = 0; i < result_y.size(); ++i)
            result_y[i] = (result_y[i] - base_y[i]) / step;
        model.set_inputs(point_u);
        return good;
    }
    const bool good = model.set_point({t, moved_x, moved_u}) && model.derivatives(result_x) &&
                      model.outputs(result_y);
    for (std::size_t i = 0; i < result_x.size(); ++i)
        result_x[i] = (result_x[i] - base_x[i]) / step;
    for (std::size_t i = 0; i < result_y.size(); ++i)
        result_y[i] = (result_y[i] - base_y[i]) / step;
    return model.set_point({t, point_x, point_u}) && good;
}

/// The direction of an input from those of the outputs.
void OdeGroup::Impl::differentiate(int input) {
    const GroupNet::Feeder& feeder = net->feeders[index(input)];
    if (feeder.link >= 0) {
        const Link& link = net->links[index(feeder.link)];
        d_u[index(input)] = link.gain * d_y[index(link.output)];
        return;
    }
    if (feeder.function < 0) return;
    const FunctionLink& function = net->functions[index(feeder.function)];
    const auto values = std::span(signals).first(function.outputs.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = y[index(function.outputs[i])];
    d_u[index(input)] = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto output = index(function.outputs[i]);
        if (d_y[output] != 0.0)
            d_u[index(input)] +=
                slope_of(function, t, values, i, net->output_nominals[output]) * d_y[output];
    }
}

/// I - D L of one loop, column by column.
bool OdeGroup::Impl::loop_matrix(const GroupLoop& loop, std::span<double> matrix) {
    const std::size_t n = loop.outputs.size();
    std::ranges::fill(d_x, 0.0);
    for (auto* direction : {&d_u, &d_y}) std::ranges::fill(*direction, 0.0);
    for (std::size_t column = 0; column < n; ++column) {
        for (const int output : loop.outputs) d_y[index(output)] = 0.0;
        d_y[index(loop.outputs[column])] = 1.0;
        for (const int input : loop.inputs) differentiate(input);
        for (const int m : loop.members)
            if (!product(m)) return false;
        for (std::size_t row = 0; row < n; ++row)
            matrix[column * n + row] =
                (row == column ? 1.0 : 0.0) - d_y_own[index(loop.outputs[row])];
    }
    return true;
}

/// (I - D L) d_y = what comes from states and from outside the loop.
bool OdeGroup::Impl::differentiate_loop(Loop& loop) {
    const GroupLoop& own = *loop.plan;
    if (!loop.is_current) {
        const std::vector<double> kept_x = d_x;
        const std::vector<double> kept_u = d_u;
        const std::vector<double> kept_y = d_y;
        const bool good = factorise(loop);
        d_x = kept_x;
        d_u = kept_u;
        d_y = kept_y;
        if (!good) return false;
    }
    for (const int output : own.outputs) d_y[index(output)] = 0.0;
    for (const int input : own.external) differentiate(input);
    for (const int input : own.inputs) differentiate(input);
    for (const int m : own.members)
        if (!product(m)) return false;
    const auto n = static_cast<Eigen::Index>(own.outputs.size());
    Eigen::VectorXd right(n), solution(n);
    for (Eigen::Index i = 0; i < n; ++i)
        right[i] = d_y_own[index(own.outputs[static_cast<std::size_t>(i)])];
    loop.matrix.solve(right, solution);
    for (Eigen::Index i = 0; i < n; ++i)
        d_y[index(own.outputs[static_cast<std::size_t>(i)])] = solution[i];
    for (const int input : own.inputs) differentiate(input);
    return true;
}

/// The plan once more, for directions instead of values.
bool OdeGroup::Impl::jacobian_times(std::span<const double> states,
                                    std::span<const double> inputs) {
    std::ranges::copy(states, d_x.begin());
    std::ranges::fill(d_u, 0.0);
    std::ranges::fill(d_y, 0.0);
    for (std::size_t i = 0; i < inputs.size(); ++i) d_u[index(free_inputs[i])] = inputs[i];
    for (const GroupPlan::Step& step : plan.steps) {
        if (step.loop >= 0) {
            if (!differentiate_loop(loops[index(step.loop)])) return false;
            continue;
        }
        const GroupCall& call = plan.calls[index(step.call)];
        for (const int input : call.inputs) differentiate(input);
        if (!product(call.member)) return false;
        for (const int output : call.outputs) d_y[index(output)] = d_y_own[index(output)];
    }
    for (int m = 0; m < net->size(); ++m) {
        for (const int input : plan.late_inputs[index(m)]) differentiate(input);
        if (!product(m)) return false;
    }
    return true;
}

bool OdeGroup::Impl::linearise() {
    if (is_linearised) return true;
    if (!jacobian) jacobian = std::make_unique<GroupJacobian>(*net, plan, members);
    is_linearised = jacobian->evaluate({t, x, u, y});
    if (!is_linearised) is_resolved = false;  // a member may stand beside the point
    return is_linearised;
}

bool OdeGroup::jacobian_entries(JacobianBlock block, std::span<double> entries) {
    Impl& group = *impl_;
    if (!group.linearise()) return false;
    const bool by_states = block == JacobianBlock::a || block == JacobianBlock::c;
    const bool of_derivatives = block == JacobianBlock::a || block == JacobianBlock::b;
    const int states = group.net->state_count();
    std::size_t next = 0;
    const auto write = [&](const GroupJacobian::Row& row) {
        for (std::size_t k = 0; k < row.causes.size(); ++k)
            if (by_states
                    ? row.causes[k] < states
                    : row.causes[k] >= states && group.is_shown[index(row.causes[k] - states)])
                entries[next++] = row.values[k];
    };
    if (of_derivatives)
        for (int state = 0; state < states; ++state) write(group.jacobian->derivative(state));
    else
        for (const int output : group.shown_outputs) write(group.jacobian->output(output));
    return true;
}

}  // namespace tandem::ode
