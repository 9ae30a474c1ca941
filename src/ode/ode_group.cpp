#include "ode/ode_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "ode/ode_group_impl.hpp"

namespace tandem::ode {
namespace {

constexpr int spare_passes = 20;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::vector<Variables*> variables_of(const std::vector<std::unique_ptr<OdeModel>>& members) {
    std::vector<Variables*> result;
    for (const auto& model : members) result.push_back(&model->variables());
    return result;
}

Port prefixed(const std::string& member, Port port) {
    port.name = member + "." + port.name;
    return port;
}

}  // namespace

/// Loops are solved to 1e-10; what moves by less has settled.
bool OdeGroup::Impl::has_moved(std::span<const double> now, std::span<const double> before) {
    constexpr double rounding = 1e-9;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (!(std::abs(now[i] - before[i]) <= rounding * std::max(1.0, std::abs(now[i]))))
            return true;
    return false;
}

OdeGroup::Impl::Impl(std::string the_name, std::vector<std::unique_ptr<OdeModel>> the_members,
                     GroupWiring the_wiring)
    : name(std::move(the_name)),
      members(std::move(the_members)),
      wiring(std::move(the_wiring)),
      events(std::move(wiring.events)),
      typed(variables_of(members), wiring.typed),
      variables(std::make_unique<GroupVariables>(members)) {
    make_plan();
}

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
    for (Saved& slot : saved) slot = {u, y, events.memory};
    events.prepare(members, net->state_begin);
    make_loops();
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
    std::vector<bool> is_held(at(net->input_count()));  // by a value that changes at events only
    for (const TypedLink& link : wiring.typed)
        if (link.input >= 0) is_held[at(link.input)] = true;
    for (const GroupEvent& event : events.all())
        for (const GroupEvent::Action& action : event.actions)
            if (action.input >= 0) is_held[at(action.input)] = true;
    for (std::size_t m = 0; m < members.size(); ++m) {
        const OdeShape& own = *net->shapes[m];
        const std::string& member = members[m]->name();
        for (const Port& state : own.states) shape.states.push_back(prefixed(member, state));
        for (std::size_t i = 0; i < own.inputs.size(); ++i) {
            const int input = net->input_begin[m] + static_cast<int>(i);
            Port port = prefixed(member, own.inputs[i]);
            if (!net->is_free(input) || is_held[at(input)] ||
                (selection && !selection->inputs.contains(port.name)))
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
    shape.indicators = indicator_begin.back() + events.indicator_count();
    shape.needs_completed_step = shape.needs_completed_step || events.is_armed_at_steps();
    shape.has_events = shape.has_events || !events.empty();
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

void OdeGroup::Impl::route(int input) {
    const GroupNet::Feeder& feeder = net->feeders[at(input)];
    if (feeder.link >= 0) {
        const Link& link = net->links[at(feeder.link)];
        u[at(input)] = link.gain * y[at(link.output)] + link.offset;
    } else if (feeder.function >= 0) {
        const FunctionLink& function = net->functions[at(feeder.function)];
        for (std::size_t i = 0; i < function.outputs.size(); ++i)
            signals[i] = y[at(function.outputs[i])];
        u[at(input)] = function.function(t, std::span(signals).first(function.outputs.size()));
    }
}

/// Hands a member its inputs and, once for each point, time and states.
bool OdeGroup::Impl::present(int m) {
    if (phase != Phase::continuous || is_presented[at(m)]) {
        members[at(m)]->set_inputs(inputs_of(m));
        is_presented[at(m)] = 1;
        return true;
    }
    is_presented[at(m)] = 1;
    return members[at(m)]->set_point({t, states_of(m), inputs_of(m)});
}

bool OdeGroup::Impl::read_outputs(int m) { return members[at(m)]->outputs(outputs_of(m)); }

bool OdeGroup::Impl::ask(const GroupCall& call) {
    for (const int input : call.inputs) route(input);
    if ((!call.inputs.empty() || !is_presented[at(call.member)]) && !present(call.member))
        return false;
    if (!read_outputs(call.member)) return false;
    for (const int output : call.outputs) y[at(output)] = y_own[at(output)];
    return true;
}

/// All outputs and inputs at the point that is set.
bool OdeGroup::Impl::resolve() {
    std::ranges::fill(is_presented, 0);
    for (Loop& loop : loops) loop.is_current = false;
    for (const GroupPlan::Step& step : plan.steps)
        if (!(step.call >= 0 ? ask(plan.calls[at(step.call)]) : solve(loops[at(step.loop)])))
            return false;
    for (int m = 0; m < net->size(); ++m) {
        const std::vector<int>& late = plan.late_inputs[at(m)];
        for (const int input : late) route(input);
        if ((!late.empty() || !is_presented[at(m)]) && !present(m)) return false;
    }
    return true;
}

void OdeGroup::Impl::fail(const char* when) const {
    throw NumericsError(fmt::format("{}: the connected values cannot be computed {}{}{}", name,
                                    when, trouble.empty() ? "" : ": ", trouble));
}

/// At the start more may depend on inputs than is declared: a state whose start value is one.
void OdeGroup::Impl::resolve_until_settled() {
    const int most = spare_passes + net->size();
    for (int pass = 0; pass < most; ++pass) {
        const std::vector<double> before = y;
        if (!resolve()) fail("at the start");
        if (!typed.exchange() && !has_moved(y, before) && pass > 0) return;
    }
    throw NumericsError(name +
                        ": the connected values did not settle at the start\n  hint: look "
                        "for a loop through start values");
}

OdeGroup::OdeGroup(std::string name, std::vector<std::unique_ptr<OdeModel>> members,
                   GroupWiring wiring)
    : impl_(std::make_unique<Impl>(std::move(name), std::move(members), std::move(wiring))) {}
OdeGroup::~OdeGroup() = default;

const std::string& OdeGroup::name() const { return impl_->name; }
const OdeShape& OdeGroup::shape() const { return impl_->shape; }
Variables& OdeGroup::variables() { return *impl_->variables; }
OdeModel& OdeGroup::member(int m) { return *impl_->members[at(m)]; }
int OdeGroup::size() const { return static_cast<int>(impl_->members.size()); }
std::string OdeGroup::trouble() const { return impl_->trouble; }

OdeGroup::Statistics OdeGroup::statistics() const {
    Statistics result = impl_->statistics;
    result.loops = static_cast<int>(impl_->loops.size());
    for (const Impl::Loop& loop : impl_->loops)
        result.largest_loop =
            std::max(result.largest_loop, static_cast<int>(loop.plan->outputs.size()));
    result.calls = static_cast<int>(impl_->plan.calls.size());
    return result;
}

void OdeGroup::select_ports(const PortSelection& selection) {
    impl_->selection = selection;
    impl_->make_shape();
}

void OdeGroup::enter_initialisation(const Experiment& experiment) {
    Impl& group = *impl_;
    group.t = experiment.start;
    group.phase = Impl::Phase::initialising;
    for (const auto& model : group.members) model->enter_initialisation(experiment);
    group.make_plan();
    for (int m = 0; m < size(); ++m) group.members[at(m)]->get_start_inputs(group.inputs_of(m));
    group.typed.start(group.u);
    group.events.start(group.t);
}

void OdeGroup::exit_initialisation() {
    Impl& group = *impl_;
    group.resolve_until_settled();
    for (const auto& model : group.members) model->exit_initialisation();
    group.phase = Impl::Phase::event;
}

void OdeGroup::finish() {
    for (const auto& model : impl_->members) model->finish();
}

void OdeGroup::get_start_inputs(std::span<double> u) {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = impl_->u[at(impl_->free_inputs[i])];
}

void OdeGroup::set_inputs(std::span<const double> u) {
    for (std::size_t i = 0; i < u.size(); ++i) impl_->u[at(impl_->free_inputs[i])] = u[i];
    if (impl_->phase != Impl::Phase::initialising && !impl_->resolve()) impl_->fail("at an event");
}

void OdeGroup::get_states(std::span<double> x) {
    Impl& group = *impl_;
    for (int m = 0; m < size(); ++m)
        group.members[at(m)]->get_states(Impl::slice(group.x, group.net->state_begin, m));
    std::ranges::copy(group.x, x.begin());
}

void OdeGroup::get_nominals(std::span<double> nominals) {
    const std::vector<int>& begin = impl_->net->state_begin;
    for (int m = 0; m < size(); ++m)
        impl_->members[at(m)]->get_nominals(
            nominals.subspan(at(begin[at(m)]), at(begin[at(m) + 1] - begin[at(m)])));
}

bool OdeGroup::set_point(const OdePoint& point) {
    Impl& group = *impl_;
    group.t = point.t;
    std::ranges::copy(point.x, group.x.begin());
    for (std::size_t i = 0; i < point.u.size(); ++i) group.u[at(group.free_inputs[i])] = point.u[i];
    return group.resolve();
}

bool OdeGroup::derivatives(std::span<double> dx) {
    const std::vector<int>& begin = impl_->net->state_begin;
    for (int m = 0; m < size(); ++m)
        if (!impl_->members[at(m)]->derivatives(
                dx.subspan(at(begin[at(m)]), at(begin[at(m) + 1] - begin[at(m)]))))
            return false;
    return true;
}

bool OdeGroup::outputs(std::span<double> y) {
    if (impl_->phase == Impl::Phase::initialising) impl_->resolve_until_settled();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = impl_->y[at(impl_->shown_outputs[i])];
    return true;
}

void OdeGroup::save(StateSlot slot) {
    Impl& group = *impl_;
    for (const auto& model : group.members) model->save(slot);
    Impl::Saved& kept = group.saved[static_cast<int>(slot)];
    kept.u = group.u;
    kept.y = group.y;
    kept.events = group.events.memory;
}

void OdeGroup::restore(StateSlot slot) {
    Impl& group = *impl_;
    for (const auto& model : group.members) model->restore(slot);
    const Impl::Saved& kept = group.saved[static_cast<int>(slot)];
    group.u = kept.u;
    group.y = kept.y;
    group.events.memory = kept.events;
    group.typed.start(group.u);
    for (Impl::Loop& loop : group.loops) loop.has_factors = false;
}

void OdeGroup::serialise(std::vector<std::byte>& bytes) {
    Impl& group = *impl_;
    const auto append = [&](const void* data, std::size_t count) {
        const auto* first = static_cast<const std::byte*>(data);
        bytes.insert(bytes.end(), first, first + count);
    };
    append(group.u.data(), group.u.size() * sizeof(double));
    append(group.y.data(), group.y.size() * sizeof(double));
    GroupEvents::Memory& events = group.events.memory;
    append(events.is_armed.data(), events.is_armed.size());
    append(events.next.data(), events.next.size() * sizeof(std::size_t));
    for (const auto& model : group.members) {
        std::vector<std::byte> own;
        model->serialise(own);
        const std::uint64_t count = own.size();
        append(&count, sizeof count);
        append(own.data(), own.size());
    }
}

void OdeGroup::deserialise(std::span<const std::byte> bytes) {
    Impl& group = *impl_;
    const auto take = [&](void* data, std::size_t count) {
        if (bytes.size() < count)
            throw InputError(group.name, "the saved state does not fit this group",
                             "use a state that was saved from the same system");
        if (count > 0) std::memcpy(data, bytes.data(), count);
        bytes = bytes.subspan(count);
    };
    take(group.u.data(), group.u.size() * sizeof(double));
    take(group.y.data(), group.y.size() * sizeof(double));
    GroupEvents::Memory& events = group.events.memory;
    take(events.is_armed.data(), events.is_armed.size());
    take(events.next.data(), events.next.size() * sizeof(std::size_t));
    for (const auto& model : group.members) {
        std::uint64_t count = 0;
        take(&count, sizeof count);
        std::vector<std::byte> own(count);
        take(own.data(), own.size());
        model->deserialise(own);
    }
    group.typed.start(group.u);
    for (Impl::Loop& loop : group.loops) loop.has_factors = false;
}

bool OdeGroup::jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                              std::span<double> d_dx, std::span<double> d_y) {
    Impl& group = *impl_;
    if (!group.jacobian_times(d_x, d_u)) return false;
    std::ranges::copy(group.d_dx, d_dx.begin());
    for (std::size_t i = 0; i < d_y.size(); ++i) d_y[i] = group.d_y[at(group.shown_outputs[i])];
    return true;
}

}  // namespace tandem::ode
