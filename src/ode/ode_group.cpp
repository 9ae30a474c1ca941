#include "ode/ode_group.hpp"

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

/// Loops are solved to 1e-10; what moves by less has settled.
bool has_moved(std::span<const double> now, std::span<const double> before) {
    constexpr double rounding = 1e-9;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (!(std::abs(now[i] - before[i]) <= rounding * std::max(1.0, std::abs(now[i]))))
            return true;
    return false;
}

}  // namespace

OdeGroup::Impl::Impl(std::string the_name, std::vector<std::unique_ptr<OdeModel>> the_members,
                     GroupWiring the_wiring)
    : name(std::move(the_name)),
      members(std::move(the_members)),
      wiring(std::move(the_wiring)),
      variables(std::make_unique<GroupVariables>(members)) {
    make_plan();
}

/// At the start more may depend on inputs than is declared: a state whose start value is one.
void OdeGroup::Impl::resolve_until_settled() {
    const int most = spare_passes + net->size();
    for (int pass = 0; pass < most; ++pass) {
        const std::vector<double> before = y;
        if (!resolve())
            throw NumericsError(name + ": the connected values cannot be computed at the start" +
                                (trouble.empty() ? "" : ": " + trouble));
        if (!has_moved(y, before) && pass > 0) return;
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
    for (int m = 0; m < size(); ++m) group.members[at(m)]->get_start_inputs(group.inputs_of(m));
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
    if (impl_->phase != Impl::Phase::initialising && !impl_->resolve())
        throw NumericsError(impl_->name + ": the connected values cannot be computed" +
                            (impl_->trouble.empty() ? "" : ": " + impl_->trouble));
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

bool OdeGroup::indicators(std::span<double> z) {
    const std::vector<int>& begin = impl_->indicator_begin;
    for (int m = 0; m < size(); ++m) {
        const auto own = z.subspan(at(begin[at(m)]), at(begin[at(m) + 1] - begin[at(m)]));
        if (!own.empty() && !impl_->members[at(m)]->indicators(own)) return false;
    }
    return true;
}

CompletedStep OdeGroup::completed_step() {
    CompletedStep all;
    for (const auto& model : impl_->members) {
        if (!model->shape().needs_completed_step) continue;
        const CompletedStep one = model->completed_step();
        all.enter_event_mode = all.enter_event_mode || one.enter_event_mode;
        all.terminate = all.terminate || one.terminate;
    }
    return all;
}

bool OdeGroup::has_waiting_writes() const {
    return std::ranges::any_of(impl_->members,
                               [](const auto& model) { return model->has_waiting_writes(); });
}

void OdeGroup::enter_event_mode() {
    for (const auto& model : impl_->members) model->enter_event_mode();
    impl_->phase = Impl::Phase::event;
}

/// One pass over all members, then the connections; again while a member wants it or a connected
/// value has changed.
EventUpdate OdeGroup::update_discrete() {
    Impl& group = *impl_;
    EventUpdate all;
    double next = std::numeric_limits<double>::infinity();
    for (const auto& model : group.members) {
        const EventUpdate one = model->update_discrete();
        all.again = all.again || one.again;
        all.terminate = all.terminate || one.terminate;
        all.states_changed = all.states_changed || one.states_changed;
        all.nominals_changed = all.nominals_changed || one.nominals_changed;
        next = std::min(next, one.next_event_time.value_or(next));
    }
    if (next < std::numeric_limits<double>::infinity()) all.next_event_time = next;
    if (all.terminate) return all;
    const std::vector<double> before = group.u;
    if (!group.resolve())
        throw NumericsError(group.name + ": the connected values cannot be computed at an event" +
                            (group.trouble.empty() ? "" : ": " + group.trouble));
    const bool exchanged = group.wiring.exchange_discrete && group.wiring.exchange_discrete();
    all.again = all.again || exchanged || has_moved(group.u, before);
    return all;
}

void OdeGroup::enter_continuous_mode() {
    for (const auto& model : impl_->members) model->enter_continuous_mode();
    impl_->phase = Impl::Phase::continuous;
}

void OdeGroup::save(StateSlot slot) {
    Impl& group = *impl_;
    for (const auto& model : group.members) model->save(slot);
    Impl::Saved& kept = group.saved[static_cast<int>(slot)];
    kept.u = group.u;
    kept.y = group.y;
}

void OdeGroup::restore(StateSlot slot) {
    Impl& group = *impl_;
    for (const auto& model : group.members) model->restore(slot);
    const Impl::Saved& kept = group.saved[static_cast<int>(slot)];
    group.u = kept.u;
    group.y = kept.y;
    for (Impl::Loop& loop : group.loops) loop.has_factors = false;
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
    for (const auto& model : group.members) {
        std::uint64_t count = 0;
        take(&count, sizeof count);
        std::vector<std::byte> own(count);
        take(own.data(), own.size());
        model->deserialise(own);
    }
    for (Impl::Loop& loop : group.loops) loop.has_factors = false;
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
    for (std::size_t i = 0; i < d_y.size(); ++i) d_y[i] = group.d_y[at(group.shown_outputs[i])];
    return true;
}

}  // namespace tandem::ode
