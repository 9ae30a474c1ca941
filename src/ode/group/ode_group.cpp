#include "ode/group/ode_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "ode/group/ode_group_impl.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::ode {
namespace {

/// Loops are solved to 1e-10; what moves by less than this part has converged.
constexpr double convergence_tolerance = 1e-9;

std::vector<Variables*> variables_of(const std::vector<std::unique_ptr<OdeModel>>& members) {
    std::vector<Variables*> result;
    for (const auto& model : members) result.push_back(&model->variables());
    return result;
}

}  // namespace

bool OdeGroup::Impl::has_moved(std::span<const double> now, std::span<const double> before,
                               std::span<const double> nominals) {
    for (std::size_t i = 0; i < now.size(); ++i)
        if (!(std::abs(now[i] - before[i]) <=
              convergence_tolerance * std::max(nominals[i], std::abs(now[i]))))
            return true;
    return false;
}

OdeGroup::Impl::Impl(std::string the_name, std::vector<std::unique_ptr<OdeModel>> the_members,
                     GroupWiring the_wiring)
    : name(std::move(the_name)),
      members(std::move(the_members)),
      wiring(std::move(the_wiring)),
      switches(wiring.functions),
      events(std::move(wiring.events)),
      typed(variables_of(members), wiring.typed),
      variables(std::make_unique<GroupVariables>(members)) {
    for (const auto& model : members)
        if (const auto* one = dynamic_cast<const Kinked*>(model.get())) kinked.push_back(one);
    make_plan();
}

void OdeGroup::Impl::fail(const char* when) const {
    throw NumericsError(sentence(name,
                                 fmt::format("the connected values cannot be computed {}{}{}", when,
                                             failure_reason.empty() ? "" : ": ", failure_reason),
                                 "look at the connections and start values of these variables"));
}

/// Loops begin with what members say to the start values of their inputs. An FMU of FMI 1.0 is
/// initialised when it is first asked, and may sample or take its side of an event then: values
/// from outside its cycle, and discrete ones, must have come before.
void OdeGroup::Impl::guess_outputs() {
    std::vector<char> is_asked(members.size(), 0);
    for (const std::vector<std::vector<int>>& cycle : order_of_start()) {
        for (const std::vector<int>& batch : cycle) guess_outputs(batch, is_asked);
        for (const std::vector<int>& batch : cycle)
            for (const int m : batch) is_asked[index(m)] = 1;
    }
}

void OdeGroup::Impl::guess_outputs(const std::vector<int>& batch,
                                   const std::vector<char>& is_asked) {
    typed.exchange_into([&](const Variables* of, int input) {
        return std::ranges::any_of(batch, [&](int m) {
            return of == nullptr ? net->member_of_input(input) == m
                                 : of == &members[index(m)]->variables();
        });
    });
    for (const int m : batch) feed_from(is_asked, m);
    for (const int m : batch) guess_outputs(m);
}

/// Cycles, sources first; the members of each in batches, by the order of their discrete values.
std::vector<std::vector<std::vector<int>>> OdeGroup::Impl::order_of_start() const {
    std::vector<std::pair<int, int>> flows;
    for (int input = 0; input < net->input_count(); ++input)
        for (const int output : net->sources(input))
            flows.emplace_back(net->member_of_output(output), net->member_of_input(input));
    for (const TypedLink& link : wiring.typed)
        flows.emplace_back(link.from.subsystem,
                           link.input >= 0 ? net->member_of_input(link.input) : link.to.subsystem);
    std::vector<std::vector<std::vector<int>>> order;
    const numerics::Components components =
        numerics::strongly_connected_components({net->size(), std::move(flows)});
    for (const std::vector<int>& cycle : components.members) {
        order.emplace_back();
        for (const std::vector<int>& batch : first_updates) {
            std::vector<int> part;
            std::ranges::copy_if(batch, std::back_inserter(part),
                                 [&](int m) { return std::ranges::find(cycle, m) != cycle.end(); });
            if (!part.empty()) order.back().push_back(std::move(part));
        }
    }
    return order;
}

/// Hands member m the inputs that are made of values of those members alone.
void OdeGroup::Impl::feed_from(const std::vector<char>& is_asked, int m) {
    std::vector<int> known;
    for (int input = net->input_begin[index(m)]; input < net->input_begin[index(m) + 1]; ++input)
        if (!net->is_free(input) && std::ranges::all_of(net->sources(input), [&](int output) {
                return is_asked[index(net->member_of_output(output))] != 0;
            }))
            known.push_back(input);
    if (known.empty()) return;
    MemberCall member_call;
    member_call.member = m;
    add_sources(member_call, known);
    feed(member_call);
    const std::span<const double> inputs = inputs_of(m);
    if (std::ranges::all_of(inputs, [](double value) { return std::isfinite(value); }))
        members[index(m)]->set_inputs(inputs);
}

void OdeGroup::Impl::guess_outputs(int m) {
    if (!members[index(m)]->outputs(outputs_of(m))) return;
    for (int i = net->output_begin[index(m)]; i < net->output_begin[index(m) + 1]; ++i)
        if (std::isfinite(y_own[index(i)])) y[index(i)] = y_own[index(i)];
}

/// At the start more may depend on inputs than is declared: a state whose start value is one.
void OdeGroup::Impl::resolve_until_converged() {
    const int most = spare_passes + net->size();
    numerics::CorrectionLimits limits(net->output_nominals, convergence_tolerance);
    std::vector<double> moved(y.size());
    for (int pass = 0; pass < most; ++pass) {
        limits.see(y);
        std::ranges::transform(y, moved.begin(), std::negate{});
        if (!resolve()) fail("at the start");
        std::ranges::transform(y, moved, moved.begin(), std::plus{});
        const bool is_last = pass + 1 == most;
        if (typed.exchange() || pass == 0) continue;
        if (limits.are_met(moved, y) || (is_last && limits.are_met_by_rounding(moved, y, 1.0)))
            return;
    }
    throw NumericsError(name +
                        ": the connected values did not converge at the start\n  hint: look "
                        "for a loop through start values");
}

OdeGroup::OdeGroup(std::string name, std::vector<std::unique_ptr<OdeModel>> members,
                   GroupWiring wiring)
    : impl_(std::make_unique<Impl>(std::move(name), std::move(members), std::move(wiring))) {}
OdeGroup::~OdeGroup() = default;

const std::string& OdeGroup::name() const { return impl_->name; }
const OdeShape& OdeGroup::shape() const { return impl_->shape; }
Variables& OdeGroup::variables() { return *impl_->variables; }
Variables& OdeGroup::member_variables(int m) { return impl_->variables->of_member(index(m)); }
OdeModel& OdeGroup::member(int m) { return *impl_->members[index(m)]; }
int OdeGroup::size() const { return static_cast<int>(impl_->members.size()); }

OdeGroup::Statistics OdeGroup::statistics() const {
    Statistics result = impl_->statistics;
    result.loops = static_cast<int>(impl_->loops.size());
    for (const Impl::Loop& loop : impl_->loops)
        result.largest_loop =
            std::max(result.largest_loop, static_cast<int>(loop.plan->outputs.size()));
    result.calls = static_cast<int>(impl_->plan.calls.size());
    if (impl_->jacobian) result.jacobian_evaluations = impl_->jacobian->evaluations();
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
    for (int m = 0; m < size(); ++m) group.members[index(m)]->get_start_inputs(group.inputs_of(m));
    group.typed.start(group.u);
    group.switches.release();
    group.guess_outputs();
    group.events.start(group.t);
    group.switches.set_end(experiment.stop.value_or(std::numeric_limits<double>::max()));
    group.switches.update_timed(group.t);
}

void OdeGroup::exit_initialisation() {
    Impl& group = *impl_;
    group.resolve_until_converged();
    for (const auto& model : group.members) model->exit_initialisation();
    group.phase = Impl::Phase::event;
    group.is_first_update = true;
    group.events.finish_event(group.t);
}

void OdeGroup::finish() {
    for (const auto& model : impl_->members) model->finish();
}

void OdeGroup::get_start_inputs(std::span<double> u) {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = impl_->u[index(impl_->free_inputs[i])];
}

void OdeGroup::set_inputs(std::span<const double> u) {
    for (std::size_t i = 0; i < u.size(); ++i) impl_->u[index(impl_->free_inputs[i])] = u[i];
    if (impl_->phase != Impl::Phase::initialising && !impl_->resolve()) impl_->fail("at an event");
}

void OdeGroup::get_states(std::span<double> x) {
    Impl& group = *impl_;
    for (int m = 0; m < size(); ++m)
        group.members[index(m)]->get_states(Impl::slice(group.x, group.net->state_begin, m));
    std::ranges::copy(group.x, x.begin());
}

void OdeGroup::get_nominals(std::span<double> nominals) {
    const std::vector<int>& begin = impl_->net->state_begin;
    for (int m = 0; m < size(); ++m)
        impl_->members[index(m)]->get_nominals(
            nominals.subspan(index(begin[index(m)]), index(begin[index(m) + 1] - begin[index(m)])));
}

void OdeGroup::save(StateSlot slot) {
    Impl& group = *impl_;
    for (const auto& model : group.members) model->save(slot);
    Impl::Saved& kept = group.saved[static_cast<int>(slot)];
    kept.u = group.u;
    kept.y = group.y;
    kept.events = group.events.memory;
    kept.held.assign(group.switches.held().begin(), group.switches.held().end());
}

void OdeGroup::restore(StateSlot slot) {
    Impl& group = *impl_;
    for (const auto& model : group.members) model->restore(slot);
    const Impl::Saved& kept = group.saved[static_cast<int>(slot)];
    group.u = kept.u;
    group.y = kept.y;
    group.events.memory = kept.events;
    group.switches.restore(kept.held);
    group.typed.start(group.u);
    group.forget_loops();
    group.is_resolved = false;
    group.find_places();
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
    append(group.switches.held().data(), group.switches.held().size_bytes());
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
    const auto expect = [&](std::size_t count) {
        if (bytes.size() < count)
            throw InputError(group.name, "the saved state does not fit this group",
                             "use a state that was saved from the same system");
    };
    const auto take = [&](void* data, std::size_t count) {
        expect(count);
        if (count > 0) std::memcpy(data, bytes.data(), count);
        bytes = bytes.subspan(count);
    };
    take(group.u.data(), group.u.size() * sizeof(double));
    take(group.y.data(), group.y.size() * sizeof(double));
    GroupEvents::Memory& events = group.events.memory;
    take(events.is_armed.data(), events.is_armed.size());
    take(events.next.data(), events.next.size() * sizeof(std::size_t));
    std::vector<double> held(group.switches.held().size());
    take(held.data(), held.size() * sizeof(double));
    group.switches.restore(held);
    for (const auto& model : group.members) {
        std::uint64_t count = 0;
        take(&count, sizeof count);
        expect(count);
        std::vector<std::byte> own(count);
        take(own.data(), own.size());
        model->deserialise(own);
    }
    group.typed.start(group.u);
    group.forget_loops();
    group.is_resolved = false;
    group.find_places();
}

bool OdeGroup::jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                              std::span<double> d_dx, std::span<double> d_y) {
    Impl& group = *impl_;
    if (!group.jacobian_times(d_x, d_u)) {
        group.is_resolved = false;  // a member may stand beside the point
        return false;
    }
    std::ranges::copy(group.d_dx, d_dx.begin());
    for (std::size_t i = 0; i < d_y.size(); ++i) d_y[i] = group.d_y[index(group.shown_outputs[i])];
    return true;
}

}  // namespace tandem::ode
