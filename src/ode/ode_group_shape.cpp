#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "ode/ode_group_impl.hpp"

namespace tandem::ode {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Port prefixed(const std::string& member, Port port) {
    port.name = member + "." + port.name;
    return port;
}

}  // namespace

/// Everything that depends on the shapes of the members.
void OdeGroup::Impl::make_plan() {
    std::vector<const OdeShape*> shapes;
    for (const auto& model : members) shapes.push_back(&model->shape());
    net.emplace(std::move(shapes), wiring.links, wiring.functions);
    plan = plan_group(*net);
    for (auto* work : {&x, &d_x, &d_dx}) work->resize(at(net->state_count()));
    for (auto* work : {&u, &d_u}) work->resize(at(net->input_count()));
    for (auto* work : {&y, &y_own, &d_y, &d_y_own}) work->resize(at(net->output_count()));
    for (auto* work : {&base, &trial}) work->resize(at(net->state_count() + net->output_count()));
    x_trial = x;
    u_trial = u;
    is_presented.assign(members.size(), 0);
    std::size_t most = 0;
    for (const FunctionLink& function : net->functions)
        most = std::max(most, function.outputs.size());
    signals.resize(most);
    for (Saved& slot : saved) slot = {u, y};
    make_loops();
    make_errands();
    make_shape();
}

void OdeGroup::Impl::make_shape() {
    shape = {};
    shape.exact_jacobian = true;
    shape.can_save = shape.can_serialise = true;
    shape.has_events = false;
    free_inputs.clear();
    shown_outputs.clear();
    indicator_begin = {0};
    for (std::size_t m = 0; m < members.size(); ++m) {
        const OdeShape& own = *net->shapes[m];
        const std::string& member = members[m]->name();
        for (const Port& state : own.states) shape.states.push_back(prefixed(member, state));
        for (std::size_t i = 0; i < own.inputs.size(); ++i) {
            const int input = net->input_begin[m] + static_cast<int>(i);
            Port port = prefixed(member, own.inputs[i]);
            if (!net->is_free(input) || (selection && !selection->inputs.contains(port.name)))
                continue;
            free_inputs.push_back(input);
            shape.inputs.push_back(std::move(port));
        }
        for (std::size_t i = 0; i < own.outputs.size(); ++i) {
            Port port = prefixed(member, own.outputs[i]);
            if (selection && !selection->outputs.contains(port.name)) continue;
            shown_outputs.push_back(net->output_begin[m] + static_cast<int>(i));
            shape.outputs.push_back(std::move(port));
        }
        indicator_begin.push_back(indicator_begin.back() + own.indicators);
        shape.needs_completed_step = shape.needs_completed_step || own.needs_completed_step;
        shape.has_events = shape.has_events || own.has_events;
        shape.can_save = shape.can_save && own.can_save;
        shape.can_serialise = shape.can_serialise && own.can_serialise;
    }
    shape.indicators = indicator_begin.back();
    shape.a = derivative_pattern(true);
    shape.b = derivative_pattern(false);
    shape.c = output_pattern(true);
    shape.d = output_pattern(false);
}

namespace {

/// The entries of one row, from causes that count states first and all inputs behind them.
struct RowWriter {
    const std::vector<int>& free_inputs;
    int states;
    bool by_states;
    Pattern& pattern;

    void write(int row, std::span<const int> causes) const {
        for (const int cause : causes) {
            if (by_states && cause < states) pattern.entries->emplace_back(row, cause);
            if (by_states || cause < states) continue;
            const auto found = std::ranges::find(free_inputs, cause - states);
            if (found != free_inputs.end())
                pattern.entries->emplace_back(row, static_cast<int>(found - free_inputs.begin()));
        }
    }
};

}  // namespace

Pattern OdeGroup::Impl::derivative_pattern(bool by_states) const {
    Pattern pattern{std::vector<std::pair<int, int>>{}};
    const RowWriter writer{free_inputs, net->state_count(), by_states, pattern};
    for (int m = 0; m < net->size(); ++m) {
        const OdeShape& own = *net->shapes[at(m)];
        const int first = net->state_begin[at(m)];
        const auto states = static_cast<int>(own.states.size());
        const auto inputs = static_cast<int>(own.inputs.size());
        const auto add = [&](int row, int column, bool of_states) {
            if (of_states) {
                const int cause = first + column;
                writer.write(first + row, std::span(&cause, 1));
            } else {
                writer.write(first + row, plan.input_causes[at(net->input_begin[at(m)] + column)]);
            }
        };
        const auto add_block = [&](const Pattern& block, int columns, bool of_states) {
            if (block.entries) {
                for (const auto& [row, column] : *block.entries) add(row, column, of_states);
                return;
            }
            for (int row = 0; row < states; ++row)
                for (int column = 0; column < columns; ++column) add(row, column, of_states);
        };
        add_block(own.a, states, true);
        add_block(own.b, inputs, false);
    }
    return pattern;
}

Pattern OdeGroup::Impl::output_pattern(bool by_states) const {
    Pattern pattern{std::vector<std::pair<int, int>>{}};
    const RowWriter writer{free_inputs, net->state_count(), by_states, pattern};
    for (std::size_t row = 0; row < shown_outputs.size(); ++row)
        writer.write(static_cast<int>(row), plan.output_causes[at(shown_outputs[row])]);
    return pattern;
}

}  // namespace tandem::ode
