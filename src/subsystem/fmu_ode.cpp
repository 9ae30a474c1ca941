#include "subsystem/fmu_ode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "subsystem/plain_bytes.hpp"
#include "tandem/error.hpp"

namespace tandem::subsystem {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

FmuOde::FmuOde(const std::shared_ptr<fmi::Fmu>& fmu, const fmi::InstanceOptions& options)
    : instance_(fmu->instantiate_model_exchange(options)),
      variables_(std::make_unique<FmuVariables>(*instance_)),
      states_(std::make_unique<FmuStates>(*instance_)),
      clocks_(std::make_unique<FmuClocks>(*instance_)),
      keeps_old_values_(!fmu->is_reentrant(fmi::Kind::model_exchange)) {
    variables_->before_read = [this] { static_cast<void>(evaluate_anew()); };
    variables_->last_input = [this](std::size_t index, Values& value) {
        return inputs_->last_set(index, value);
    };
    variables_->intercept = [this](const VariableGroup& group, const Values& values) {
        if (now_.phase != Phase::continuous || !variables_->is_discrete(group)) return false;
        now_.waiting.emplace_back(group, values);
        return true;
    };
    build_shape();
}

FmuOde::~FmuOde() = default;

void FmuOde::enter_initialisation(const Experiment& experiment) {
    build_shape();
    const fmi::ExperimentSetup setup{experiment.start, experiment.stop, experiment.tolerance};
    variables_->set_up(setup);
    instance_->enter_initialization(setup);
    set_declared_starts(*instance_, *variables_);
    now_.phase = Phase::initialisation;
    now_.t = experiment.start;
}

void FmuOde::exit_initialisation() {
    instance_->exit_initialization();
    warn_of_lost_start_values(*instance_, *variables_);
    now_.phase = Phase::event;
    if (clocks_->empty()) return;
    clocks_->start(now_.t);
    if (clocks_->next() <= now_.t) clocks_->tick(now_.t);
}

void FmuOde::finish() {
    instance_->terminate();
    now_.phase = Phase::finished;
}

bool FmuOde::set_point(const ode::OdePoint& point) {
    if (!set_states(point.t, point.x)) return false;
    inputs_->set(point.u);
    return true;
}

bool FmuOde::set_states(double t, std::span<const double> x) {
    now_.t = t;
    has_derivatives_ = false;
    if (keeps_old_values_) states_set_.assign(x.begin(), x.end());
    return instance_->set_time(t) && instance_->set_continuous_states(x);
}

bool FmuOde::derivatives(std::span<double> dx) {
    has_derivatives_ = keeps_old_values_;
    bad_state_.reset();
    if (!instance_->get_derivatives(dx)) return false;
    const auto bad = std::ranges::find_if(dx, [](double rate) { return !std::isfinite(rate); });
    if (bad != dx.end()) bad_state_ = static_cast<std::size_t>(bad - dx.begin());
    return bad == dx.end();
}

std::string FmuOde::failure_reason() const {
    return bad_state_ ? fmt::format("the derivative of state '{}' is no finite number",
                                    shape_.states[*bad_state_].name)
                      : std::string();
}

/// FMI does not say in which order values are asked for, but there are FMUs that evaluate a point
/// once, for what is asked first: after derivatives their outputs are those of the point before.
/// States that are set, even to the same values, make them evaluate it anew.
bool FmuOde::evaluate_anew() {
    if (!has_derivatives_ || now_.phase != Phase::continuous) return true;
    has_derivatives_ = false;
    return instance_->set_continuous_states(states_set_);
}

bool FmuOde::outputs(std::span<double> y) {
    if (!evaluate_anew()) return false;
    outputs_->get(y);
    return all_finite(y);
}

bool FmuOde::indicators(std::span<double> z) {
    return evaluate_anew() && instance_->get_event_indicators(z) && all_finite(z);
}

ode::CompletedStep FmuOde::completed_step() {
    const fmi::CompletedStep completed = instance_->completed_integrator_step();
    return {completed.enter_event_mode, completed.terminate};
}

void FmuOde::enter_event_mode() {
    instance_->enter_event_mode();
    has_derivatives_ = false;
    now_.phase = Phase::event;
    for (const auto& [group, values] : now_.waiting) variables_->write_through(group, values);
    now_.waiting.clear();
    if (clocks_->next() <= now_.t) clocks_->tick(now_.t);
}

ode::EventUpdate FmuOde::update_discrete() {
    const fmi::EventInfo info = instance_->update_discrete_states();
    clocks_->update_intervals(now_.t);
    const double next = std::min(info.next_event_time.value_or(never), clocks_->next());
    ode::EventUpdate update{info.again, info.terminate, info.states_changed, info.nominals_changed,
                            std::nullopt};
    if (next < never) update.next_event_time = next;
    return update;
}

void FmuOde::enter_continuous_mode() {
    instance_->enter_continuous_time_mode();
    now_.phase = Phase::continuous;
}

void FmuOde::save(StateSlot slot) {
    states_->save(slot, now_.t);
    now_.ticks = clocks_->ticks();
    saved_[static_cast<int>(slot)] = now_;
}

void FmuOde::restore(StateSlot slot) {
    states_->restore(slot);
    has_derivatives_ = false;
    now_ = saved_[static_cast<int>(slot)];
    clocks_->set_ticks(now_.ticks);
}

void FmuOde::serialise(std::vector<std::byte>& bytes) {
    append_plain(bytes, now_.t);
    append_plain(bytes, now_.phase);
    for (const FmuClocks::Tick& tick : clocks_->ticks()) append_plain(bytes, tick);
    append_waiting(bytes);
    states_->serialise(bytes);
}

void FmuOde::deserialise(std::span<const std::byte> bytes) {
    take_plain(bytes, now_.t);
    take_plain(bytes, now_.phase);
    now_.ticks.resize(clocks_->size());
    for (FmuClocks::Tick& tick : now_.ticks) take_plain(bytes, tick);
    clocks_->set_ticks(now_.ticks);
    take_waiting(bytes);
    states_->deserialise(bytes);
    has_derivatives_ = false;
}

void FmuOde::append_waiting(std::vector<std::byte>& bytes) const {
    append_plain(bytes, now_.waiting.size());
    for (const auto& [group, values] : now_.waiting) {
        append_list(bytes, group.variables);
        append_list(bytes, values.reals);
        append_list(bytes, values.integers);
        append_plain(bytes, values.strings.size());
        for (const std::string& text : values.strings) append_list(bytes, text);
    }
}

void FmuOde::take_waiting(std::span<const std::byte>& bytes) {
    now_.waiting.clear();
    std::size_t writes = 0;
    for (take_plain(bytes, writes); writes > 0; --writes) {
        std::vector<std::size_t> variables;
        take_list(bytes, variables);
        for (const std::size_t variable : variables)
            if (variable >= variables_->list().size()) throw_unfit_state();
        auto& [group, values] = now_.waiting.emplace_back(variables_->group(variables), Values{});
        take_list(bytes, values.reals);
        take_list(bytes, values.integers);
        std::size_t strings = 0;
        for (take_plain(bytes, strings); strings > 0; --strings)
            take_list(bytes, values.strings.emplace_back());
    }
}

}  // namespace tandem::subsystem
