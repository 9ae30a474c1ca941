#include <algorithm>
#include <cmath>

#include "ode/group/group_updates.hpp"
#include "ode/group/ode_group_impl.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::ode {
namespace {

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
    first_updates = order_updates(*net, wiring.typed, members, DiscreteCycles::together);
    later_updates = order_updates(*net, wiring.typed, members, DiscreteCycles::as_listed);
    for (auto* work : {&x, &d_x, &d_dx}) work->resize(index(net->state_count()));
    for (auto* work : {&u, &d_u}) work->resize(index(net->input_count()));
    for (auto* work : {&y, &y_own, &d_y, &d_y_own}) work->resize(index(net->output_count()));
    base.resize(index(net->state_count() + net->output_count()));
    x_trial = x;
    u_trial = u;
    is_presented.assign(members.size(), 0);
    std::size_t most = 0;
    for (const FunctionLink& function : net->functions)
        most = std::max(most, function.outputs.size());
    signals.resize(most);
    for (Saved& slot : saved)
        slot = {u, y, events.memory, {switches.held().begin(), switches.held().end()}};
    events.prepare(members, net->state_begin);
    make_loops();
    make_member_calls();
    jacobian.reset();
    make_shape();
}

/// By values that change at events only.
std::vector<bool> OdeGroup::Impl::held_inputs() const {
    std::vector<bool> is_held(index(net->input_count()));
    for (const TypedLink& link : wiring.typed)
        if (link.input >= 0) is_held[index(link.input)] = true;
    for (const GroupEvent& event : events.all())
        for (const GroupEvent::Action& action : event.actions)
            if (action.input >= 0) is_held[index(action.input)] = true;
    return is_held;
}

void OdeGroup::Impl::make_shape() {
    shape = {};
    shape.exact_jacobian = shape.assembles_jacobian = true;
    shape.can_save = shape.can_serialise = true;
    shape.has_events = false;
    free_inputs.clear();
    is_shown.assign(index(net->input_count()), 0);
    shown_outputs.clear();
    indicator_begin = {0};
    kink_indicators.clear();
    const std::vector<bool> is_held = held_inputs();
    for (std::size_t m = 0; m < members.size(); ++m) {
        const OdeShape& own = *net->shapes[m];
        const std::string& member = members[m]->name();
        for (const Port& state : own.states) shape.states.push_back(prefixed(member, state));
        const auto& given = own.absolute_tolerances;
        shape.absolute_tolerances.insert(shape.absolute_tolerances.end(), given.begin(),
                                         given.end());
        shape.absolute_tolerances.resize(shape.states.size());
        for (std::size_t i = 0; i < own.inputs.size(); ++i) {
            const int input = net->input_begin[m] + static_cast<int>(i);
            Port port = prefixed(member, own.inputs[i]);
            if (!net->is_free(input) || is_held[index(input)] ||
                (selection && !selection->inputs.contains(port.name)))
                continue;
            free_inputs.push_back(input);
            is_shown[index(input)] = 1;
            shape.inputs.push_back(std::move(port));
        }
        for (std::size_t i = 0; i < own.outputs.size(); ++i) {
            Port port = prefixed(member, own.outputs[i]);
            if (selection && !selection->outputs.contains(port.name)) continue;
            shown_outputs.push_back(net->output_begin[m] + static_cast<int>(i));
            shape.outputs.push_back(std::move(port));
        }
        for (const int kink : kink_indicators_of(*members[m]))
            kink_indicators.push_back(indicator_begin.back() + kink);
        indicator_begin.push_back(indicator_begin.back() + own.indicators);
        shape.needs_completed_step = shape.needs_completed_step || own.needs_completed_step;
        shape.has_events = shape.has_events || own.has_events;
        shape.can_save = shape.can_save && own.can_save;
        shape.can_serialise = shape.can_serialise && own.can_serialise;
    }
    shape.indicators =
        indicator_begin.back() + events.indicator_count() + switches.indicator_count();
    for (int k = switches.kink_count(); k > 0; --k) kink_indicators.push_back(shape.indicators - k);
    shape.needs_completed_step = shape.needs_completed_step || events.is_armed_at_steps();
    shape.has_events = shape.has_events || !events.empty() || !switches.held().empty();
    shape.a = derivative_pattern(true);
    shape.b = derivative_pattern(false);
    shape.c = output_pattern(true);
    shape.d = output_pattern(false);
}

namespace {

/// Writes rows of a pattern, from causes that count states first and all inputs behind them.
class RowWriter {
public:
    RowWriter(const std::vector<int>& free_inputs, const GroupNet& net, bool by_states)
        : states_(net.state_count()), by_states_(by_states) {
        position_.assign(index(net.input_count()), -1);
        for (std::size_t i = 0; i < free_inputs.size(); ++i)
            position_[index(free_inputs[i])] = static_cast<int>(i);
    }

    void add(std::span<const int> causes) {
        for (const int cause : causes) {
            if (by_states_ != (cause < states_)) continue;
            const int column = by_states_ ? cause : position_[index(cause - states_)];
            if (column >= 0) row_.push_back(column);
        }
    }

    void end_row(int row) {
        std::ranges::sort(row_);
        const auto repeated = std::ranges::unique(row_);
        row_.erase(repeated.begin(), repeated.end());
        for (const int column : row_) entries_.emplace_back(row, column);
        row_.clear();
    }

    Pattern pattern() { return {std::move(entries_)}; }

private:
    int states_;
    bool by_states_;
    std::vector<int> position_;  ///< of each input among the free ones
    std::vector<int> row_;
    std::vector<std::pair<int, int>> entries_;
};

}  // namespace

Pattern OdeGroup::Impl::derivative_pattern(bool by_states) const {
    RowWriter writer(free_inputs, *net, by_states);
    for (int m = 0; m < net->size(); ++m) {
        const OdeShape& own = *net->shapes[index(m)];
        const auto by_own_states = rows_of(own.a, own.states.size(), own.states.size());
        const auto by_own_inputs = rows_of(own.b, own.states.size(), own.inputs.size());
        const int first = net->state_begin[index(m)];
        for (std::size_t row = 0; row < own.states.size(); ++row) {
            for (const int state : by_own_states[row]) {
                const int cause = first + state;
                writer.add(std::span(&cause, 1));
            }
            for (const int input : by_own_inputs[row])
                writer.add(plan.input_causes[index(net->input_begin[index(m)] + input)]);
            writer.end_row(first + static_cast<int>(row));
        }
    }
    return writer.pattern();
}

Pattern OdeGroup::Impl::output_pattern(bool by_states) const {
    RowWriter writer(free_inputs, *net, by_states);
    for (std::size_t row = 0; row < shown_outputs.size(); ++row) {
        writer.add(plan.output_causes[index(shown_outputs[row])]);
        writer.end_row(static_cast<int>(row));
    }
    return writer.pattern();
}

}  // namespace tandem::ode
