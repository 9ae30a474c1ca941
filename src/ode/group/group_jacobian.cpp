#include "ode/group/group_jacobian.hpp"
#include "core/function_slope.hpp"
#include "tandem/extend/index.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::ode {
GroupJacobian::GroupJacobian(const GroupNet& net, const GroupPlan& plan,
                             const std::vector<std::unique_ptr<OdeModel>>& members)
    : net_(net), plan_(plan) {
    for (const auto& member : members) blocks_.emplace_back(*member);
    input_partials_.resize(index(net.input_count()));
    for (const Link& link : net.links)
        input_partials_[index(link.input)] = {{link.output, link.gain}};
    std::size_t most = 0;
    for (const FunctionLink& function : net.functions) {
        for (const int output : function.outputs)
            input_partials_[index(function.input)].push_back({output, 0.0});
        most = std::max(most, function.outputs.size());
    }
    signals_.resize(most);
    sum_.assign(index(net.state_count() + net.input_count()), 0.0);
    is_inside_.assign(index(net.output_count()), 0);
    loop_position_.assign(index(net.output_count()), 0);
    for (const auto& causes : plan.output_causes)
        outputs_.push_back({causes, std::vector<double>(causes.size())});
    derivatives_.resize(index(net.state_count()));
    std::vector<char> is_cause(sum_.size(), 0);
    for (int m = 0; m < net.size(); ++m) {
        const auto states = static_cast<int>(net.shapes[index(m)]->states.size());
        for (int row = 0; row < states; ++row) {
            std::vector<int>& causes = derivatives_[index(net.state_begin[index(m)] + row)].causes;
            const auto note = [&](int cause) {
                if (!std::exchange(is_cause[index(cause)], 1)) causes.push_back(cause);
            };
            for (const auto& entry : blocks_[index(m)].row(row)) {
                if (entry.column < states) {
                    note(net.state_begin[index(m)] + entry.column);
                    continue;
                }
                const int input = net.input_begin[index(m)] + entry.column - states;
                std::ranges::for_each(plan.input_causes[index(input)], note);
            }
            std::ranges::sort(causes);
            for (const int cause : causes) is_cause[index(cause)] = 0;
            derivatives_[index(net.state_begin[index(m)] + row)].values.resize(causes.size());
        }
    }
}

long GroupJacobian::evaluations() const {
    long all = 0;
    for (const MemberBlocks& own : blocks_) all += own.evaluations();
    return all;
}

bool GroupJacobian::evaluate(const GroupPoint& point) {
    for (int m = 0; m < net_.size(); ++m) {
        const auto part = [&](std::span<const double> all, const std::vector<int>& begin) {
            return all.subspan(index(begin[index(m)]),
                               index(begin[index(m) + 1] - begin[index(m)]));
        };
        if (!blocks_[index(m)].evaluate(
                {point.t, part(point.x, net_.state_begin), part(point.u, net_.input_begin)}))
            return false;
    }
    if (!differentiate_functions(point)) return false;
    for (const GroupPlan::Step& step : plan_.steps) {
        if (step.loop >= 0) {
            if (!solve(plan_.loops[index(step.loop)])) return false;
            continue;
        }
        const GroupCall& call = plan_.calls[index(step.call)];
        const auto states = static_cast<int>(net_.shapes[index(call.member)]->states.size());
        for (const int output : call.outputs) {
            add_entries(call.member, states + output - net_.output_begin[index(call.member)]);
            store(outputs_[index(output)]);
        }
    }
    for (int m = 0; m < net_.size(); ++m)
        for (int state = net_.state_begin[index(m)]; state < net_.state_begin[index(m) + 1];
             ++state) {
            add_entries(m, state - net_.state_begin[index(m)]);
            store(derivatives_[index(state)]);
        }
    return true;
}

bool GroupJacobian::differentiate_functions(const GroupPoint& point) {
    for (const FunctionLink& function : net_.functions) {
        const auto signals = std::span(signals_).first(function.outputs.size());
        for (std::size_t i = 0; i < signals.size(); ++i)
            signals[i] = point.y[index(function.outputs[i])];
        for (std::size_t k = 0; k < signals.size(); ++k) {
            double& slope = input_partials_[index(function.input)][k].value;
            slope = slope_of(function, point.t, signals, k,
                             net_.output_nominals[index(function.outputs[k])]);
            if (!std::isfinite(slope)) return false;
        }
    }
    return true;
}

/// Adds factor * du to the sum; sources inside the loop being solved are its unknowns.
void GroupJacobian::add_input(int input, double factor) {
    if (net_.is_free(input)) sum_[index(net_.state_count() + input)] += factor;
    for (const Partial& partial : input_partials_[index(input)]) {
        if (is_inside_[index(partial.output)]) continue;
        const Row& source = outputs_[index(partial.output)];
        const double weight = factor * partial.value;
        for (std::size_t k = 0; k < source.causes.size(); ++k)
            sum_[index(source.causes[k])] += weight * source.values[k];
    }
}

void GroupJacobian::add_entries(int member, int row) {
    const auto states = static_cast<int>(net_.shapes[index(member)]->states.size());
    for (const auto& [column, value] : blocks_[index(member)].row(row)) {
        if (value == 0.0) continue;
        if (column < states)
            sum_[index(net_.state_begin[index(member)] + column)] += value;
        else
            add_input(net_.input_begin[index(member)] + column - states, value);
    }
}

void GroupJacobian::store(Row& row) {
    for (std::size_t k = 0; k < row.causes.size(); ++k)
        row.values[k] = std::exchange(sum_[index(row.causes[k])], 0.0);
}

/// I - D L among the outputs of the loop.
void GroupJacobian::fill_loop_matrix(const GroupLoop& loop) {
    const auto n = static_cast<Eigen::Index>(loop.outputs.size());
    Eigen::MatrixXd& matrix = matrix_.entries();
    matrix.setIdentity(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const int output = loop.outputs[static_cast<std::size_t>(i)];
        const int m = net_.member_of_output(output);
        const auto states = static_cast<int>(net_.shapes[index(m)]->states.size());
        for (const auto& [column, value] :
             blocks_[index(m)].row(states + output - net_.output_begin[index(m)])) {
            if (column < states) continue;
            for (const Partial& partial :
                 input_partials_[index(net_.input_begin[index(m)] + column - states)])
                if (is_inside_[index(partial.output)])
                    matrix(i, loop_position_[index(partial.output)]) -= value * partial.value;
        }
    }
}

/// (I - D L) dy = C + D du, with du from outside the loop only.
bool GroupJacobian::solve(const GroupLoop& loop) {
    for (std::size_t i = 0; i < loop.outputs.size(); ++i) {
        is_inside_[index(loop.outputs[i])] = 1;
        loop_position_[index(loop.outputs[i])] = static_cast<int>(i);
    }
    fill_loop_matrix(loop);
    const Row& first =
        outputs_[index(loop.outputs.front())];  // all rows of a loop have these causes
    right_.resize(std::ssize(loop.outputs), static_cast<Eigen::Index>(first.causes.size()));
    for (std::size_t i = 0; i < loop.outputs.size(); ++i) {
        const int output = loop.outputs[i];
        const int m = net_.member_of_output(output);
        const auto states = static_cast<int>(net_.shapes[index(m)]->states.size());
        add_entries(m, states + output - net_.output_begin[index(m)]);
        for (std::size_t k = 0; k < first.causes.size(); ++k)
            right_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
                std::exchange(sum_[index(first.causes[k])], 0.0);
    }
    for (const int output : loop.outputs) is_inside_[index(output)] = 0;
    if (!matrix_.factorise() || matrix_.is_singular(numerics::exact_rounding)) return false;
    if (right_.cols() == 0) return true;  // nothing outside changes what the loop finds
    solution_.resize(right_.rows(), right_.cols());
    for (Eigen::Index k = 0; k < right_.cols(); ++k) matrix_.solve(right_.col(k), solution_.col(k));
    for (std::size_t i = 0; i < loop.outputs.size(); ++i)
        for (std::size_t k = 0; k < first.causes.size(); ++k)
            outputs_[index(loop.outputs[i])].values[k] =
                solution_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
    return true;
}

}  // namespace tandem::ode
