#include "subsystem/cs_fmu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/log.hpp"
#include "fmi/time_limit.hpp"
#include "tandem/error.hpp"

namespace tandem::subsystem {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Rounding of a time: an event nearer than this is due now.
constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();

const fmi::KindInfo& info_of(const fmi::Fmu& fmu) {
    if (!fmu.description().co_simulation)
        throw InputError(fmu.path().string(), "the FMU does not offer Co-Simulation",
                         "run it as Model Exchange");
    return *fmu.description().co_simulation;
}

bool is_course_input(const fmi::Variable& variable) {
    return variable.causality == fmi::Causality::input &&
           storage_of(variable.type) == Storage::reals &&
           variable.variability == fmi::Variability::continuous;
}

bool is_output_inside(const fmi::Variable& variable) {
    return variable.causality == fmi::Causality::output && variable.intermediate_update;
}

/// Whether polynomials can be followed at intermediate points: for all inputs, or not at all.
bool takes_inputs_inside(const fmi::Fmu& fmu) {
    if (fmu.description().version != fmi::Version::v3 || !info_of(fmu).provides_intermediate_update)
        return false;
    const auto& variables = fmu.description().variables;
    return std::any_of(variables.begin(), variables.end(), is_course_input) &&
           std::all_of(variables.begin(), variables.end(), [](const fmi::Variable& variable) {
               return !is_course_input(variable) || variable.intermediate_update;
           });
}

/// Laws are about states; what has none may have no solver either. They give every real input that
/// does not change at events only.
bool suits_laws(const fmi::Fmu& fmu, bool event_mode) {
    const fmi::ModelDescription& description = fmu.description();
    return !description.structure.derivatives.empty() &&
           std::ranges::all_of(description.variables, [&](const fmi::Variable& variable) {
               return variable.causality != fmi::Causality::input ||
                      storage_of(variable.type) != Storage::reals ||
                      (event_mode && variable.variability == fmi::Variability::discrete) ||
                      (is_course_input(variable) && variable.type == ValueType::float64);
           });
}

}  // namespace

CsFmu::CsFmu(const std::shared_ptr<fmi::Fmu>& fmu, CsFmuOptions options)
    : options_(std::move(options)) {
    facets_ = facets_of(this);
    const fmi::KindInfo& info = info_of(*fmu);
    const bool version3 = fmu->description().version == fmi::Version::v3;
    fmi::InstanceOptions& instance = options_.instance;
    instance.event_mode = version3 && info.has_event_mode;
    instance.early_return = instance.early_return || info.might_return_early_from_step;
    is_of_kit_ = queries_are_tried_ = fmu->is_reentrant(fmi::Kind::co_simulation);
    takes_laws_ =
        instance.input_laws && suits_laws(*fmu, instance.event_mode) && fmu->takes_input_laws();
    has_points_ = !instance.on_intermediate && takes_inputs_inside(*fmu);
    follows_course_inside_ = has_points_ && !takes_laws_;
    if (has_points_) {
        for (const fmi::Variable& variable : fmu->description().variables)
            if (is_output_inside(variable) || (follows_course_inside_ && is_course_input(variable)))
                instance.intermediate_variables.push_back(variable.reference);
        instance.on_intermediate = [this](const fmi::IntermediatePoint& point) {
            return at_intermediate_point(point);
        };
    }
    instantiate(*fmu);
    variables_ = std::make_unique<FmuVariables>(*instance_);
    states_ = std::make_unique<FmuStates>(*instance_);
    clocks_ = std::make_unique<FmuClocks>(*instance_);
    variables_->intercept = [this](const VariableGroup& group, const Values&) {
        if (options_.instance.event_mode && variables_->is_discrete(group)) begin_event();
        return false;
    };
    variables_->before_read = [this] { finish_event(); };
    variables_->last_input = [this](std::size_t index, Values& value) {
        if (!inputs_->last_set(index, value)) return false;
        steps_plainly_ = false;  // exchange_step() does not remember what it sets
        return true;
    };
    build_interface();
}

CsFmu::~CsFmu() = default;

/// Some FMUs claim event mode and then refuse it.
void CsFmu::instantiate(fmi::Fmu& fmu) {
    fmi::InstanceOptions& options = options_.instance;
    try {
        instance_ = fmu.instantiate_co_simulation(options);
    } catch (const FmuError&) {
        if (!options.event_mode) throw;
        options.event_mode = false;
        instance_ = fmu.instantiate_co_simulation(options);
        log(LogLevel::warning, options.name +
                                   ": the FMU refuses the event mode it claims to have; its events "
                                   "are left to itself");
    }
}

void CsFmu::set_scales(const Scales& scales) {
    scales_ = scales;
    build_interface();
}

void CsFmu::build_interface() {
    const fmi::KindInfo& info = instance_->info();
    inputs_ = std::make_unique<FmuPorts>(
        *instance_, *variables_,
        options_.instance.event_mode ? FmuPorts::Side::continuous_inputs : FmuPorts::Side::inputs,
        selection_ ? &selection_->inputs : nullptr);
    outputs_ = std::make_unique<FmuPorts>(*instance_, *variables_, FmuPorts::Side::outputs,
                                          selection_ ? &selection_->outputs : nullptr);
    interface_ = {};
    interface_.inputs = inputs_->ports();
    interface_.outputs = outputs_->ports();
    set_nominals(scales_.nominals, interface_.inputs);
    set_nominals(scales_.nominals, interface_.outputs);
    interface_.may_stop_inside = options_.instance.event_mode || options_.instance.early_return;
    interface_.uses_end_inputs = is_of_kit_;  // where it takes no slopes, it steps by a rule
    find_feed_through();
    Capabilities& can = interface_.capabilities;
    can.rollback = instance_->can_roll_back();
    can.serialise = can.rollback && info.can_serialize_state;
    can.jacobians = info.provides_directional_derivatives && inputs_->is_plain() &&
                    outputs_->is_plain() && shows_outputs_only();
    linear_model_ = FmuLinearModel::make(*instance_, *variables_, *inputs_, *outputs_);
    if (linear_model_ != nullptr) linear_model_->set_nominals(scales_.nominals);
    can.linear_model = linear_model_ != nullptr;
    can.variable_step = info.can_handle_variable_step;
    can.law_states = takes_laws_ && inputs_->is_plain() && inputs_are_continuous();
    can.law_outputs = follows_course_inside_ && gives_outputs_inside();
    can.laws =
        can.law_states || can.law_outputs || (follows_course_inside_ && linear_model_ != nullptr);
    can.input_derivatives = highest_order_of_inputs();
    can.output_derivatives = outputs_->is_plain() && outputs_->is_scalar() && shows_outputs_only()
                                 ? static_cast<int>(info.max_output_derivative_order)
                                 : 0;
    can.traces = has_points_ && gives_outputs_inside();
    prepare_derivatives();
    steps_plainly_ = !options_.instance.event_mode && !has_points_ && inputs_->is_plain() &&
                     outputs_->is_plain();
    exchange_ = {inputs_->references(), {}, outputs_->references(), {}};
}

/// Derivatives can be had of outputs alone; other variables may be shown as ports as well.
bool CsFmu::shows_outputs_only() const {
    return std::ranges::all_of(outputs_->variables(), [&](std::size_t index) {
        return variables_->variable(index).causality == fmi::Causality::output;
    });
}

bool CsFmu::gives_outputs_inside() const {
    const auto& variables = outputs_->variables();
    return std::all_of(variables.begin(), variables.end(), [&](std::size_t index) {
        return is_output_inside(variables_->variable(index));
    });
}

void CsFmu::find_feed_through() {
    const auto connect = [&](FmuPorts::Range output, FmuPorts::Range input) {
        for (std::size_t o = 0; o < output.count; ++o)
            for (std::size_t i = 0; i < input.count; ++i)
                interface_.feed_through.push_back(
                    {static_cast<int>(output.first + o), static_cast<int>(input.first + i)});
    };
    for (const OutputRow& row : output_rows(*instance_, *variables_, *outputs_)) {
        const FmuPorts::Range output = outputs_->range(row.unknown.variable);
        if (!row.unknown.dependencies) {
            connect(output, {0, inputs_->size()});
            continue;
        }
        for (const fmi::Dependency& dependency : *row.unknown.dependencies)
            connect(output, inputs_->range(dependency.variable));
    }
}

void CsFmu::select_ports(const PortSelection& selection) {
    selection_ = selection;
    build_interface();
}

namespace {

/// The stop time that an FMU is told: rounding may carry the last step of a run beyond the time
/// asked for, and an FMU that counts its own steps is to get the whole of it.
std::optional<double> stop_for(const Experiment& experiment) {
    if (!experiment.stop || !experiment.step || !(*experiment.step > 0.0)) return experiment.stop;
    const double steps = std::round((*experiment.stop - experiment.start) / *experiment.step);
    const double last = experiment.start + (steps - 1.0) * *experiment.step;
    const double end = last + *experiment.step;
    return fmi::is_beyond(end, *experiment.stop) ? experiment.stop
                                                 : std::max(end, *experiment.stop);
}

}  // namespace

void CsFmu::enter_initialisation(const Experiment& experiment) {
    now_ = Own{};
    law_is_expected_ = false;
    build_interface();
    const fmi::ExperimentSetup setup{experiment.start, stop_for(experiment), experiment.tolerance,
                                     experiment.step};
    variables_->set_up(setup);
    instance_->enter_initialization(setup);
    set_declared_starts(*instance_, *variables_);
    phase_ = Phase::initialisation;
    now_.t = experiment.start;
    now_.next_event = never;
}

void CsFmu::exit_initialisation() {
    instance_->exit_initialization();
    warn_of_lost_start_values(*instance_, *variables_);
    phase_ = Phase::step;
    if (!options_.instance.event_mode) return;
    phase_ = Phase::event;
    clocks_->start(now_.t);
    if (clocks_->next() <= now_.t) clocks_->tick(now_.t);
    finish_event();
}

void CsFmu::finish() {
    finish_event();
    instance_->terminate();
    phase_ = Phase::finished;
}

StepResult CsFmu::step(Interval interval) {
    now_.t = interval.begin;
    now_.events.begin_step(interval);
    if (interval.length() <= 0.0) begin_event();
    finish_event();
    if (interval.length() <= 0.0)
        return {phase_ == Phase::finished ? Outcome::terminated : Outcome::complete, now_.t};
    now_.has_stepped = true;
    now_.inputs_are_new = false;
    if (follows_course_inside_ && now_.course.law() != nullptr) read_inside();
    if (keeps_trace_ && phase_ == Phase::step) begin_trace();
    hold_inputs_of(interval.begin + 0.5 * interval.length());
    for (;;) {
        if (phase_ == Phase::finished) return {Outcome::terminated, now_.t};
        const StepResult result = step_to_event({now_.t, interval.end});
        if (result.outcome != Outcome::complete) return result;
        if (result.reached < interval.end) continue;
        hold_inputs_of(interval.end);
        return result;
    }
}

/// The way of most steps of most FMUs, and the shortest.
StepResult CsFmu::exchange_step(const InputCourse& course, Interval interval,
                                std::span<double> outputs) {
    if (!steps_plainly_ || course.order > 0 || course.law != nullptr || now_.order_set > 0 ||
        now_.law_is_set)
        return Subsystem::exchange_step(course, interval, outputs);
    exchange_.values = course.values;
    exchange_.results = outputs;
    const fmi::DoStepResult result = instance_->exchange_step(
        exchange_, interval.begin, interval.end, !states_->has_state_before(interval.begin));
    now_.t = result.reached;
    now_.has_stepped = true;
    now_.inputs_are_new = false;
    switch (result.outcome) {
        case fmi::DoStepOutcome::discarded: return {Outcome::rejected, result.reached};
        case fmi::DoStepOutcome::terminated: return {Outcome::terminated, result.reached};
        case fmi::DoStepOutcome::early: return {Outcome::early_return, result.reached};
        case fmi::DoStepOutcome::complete: break;
    }
    check_finite(outputs);
    return {Outcome::complete, interval.end};
}

bool CsFmu::event_is_due(const fmi::DoStepResult& result) const {
    return options_.instance.event_mode &&
           (result.event_needed || result.reached >= now_.next_event);
}

/// One step, at most to the next event, which is handled. `complete` tells that `reached` is as far
/// as it should be, which is the end or the event.
StepResult CsFmu::step_to_event(Interval interval) {
    if (now_.next_event <= interval.begin + rounding * std::abs(interval.begin))
        return handle_event(interval.begin);
    const double target = std::min(interval.end, now_.next_event);
    const fmi::DoStepResult result =
        instance_->do_step(interval.begin, target, !states_->has_state_before(interval.begin));
    now_.t = result.reached;
    switch (result.outcome) {
        case fmi::DoStepOutcome::discarded: return {Outcome::rejected, result.reached};
        case fmi::DoStepOutcome::terminated: return {Outcome::terminated, result.reached};
        default: break;
    }
    if (keeps_trace_) trace_row(now_.t);
    if (event_is_due(result)) return handle_event(result.reached);
    const bool early = result.outcome == fmi::DoStepOutcome::early;
    return {early ? Outcome::early_return : Outcome::complete, result.reached};
}

/// The FMU stays where it is; its event may lie a rounding error ahead.
StepResult CsFmu::handle_event(double reached) {
    watch_for_chattering();
    if (options_.on_event) options_.on_event(reached, false);
    begin_event();
    const double due = std::max(reached, now_.next_event);
    if (clocks_->next() <= reached + rounding * std::abs(reached)) clocks_->tick(due);
    finish_event();
    if (phase_ == Phase::finished) return {Outcome::terminated, reached};
    if (options_.on_event) options_.on_event(reached, true);
    if (keeps_trace_) trace_row(reached);
    return {Outcome::complete, reached};
}

void CsFmu::watch_for_chattering() {
    if (now_.events.admits(now_.t, options_.max_events_per_instant)) return;
    throw NumericsError(fmt::format(
        "{}: more than {} events at (nearly) t = {}\n  hint: the FMU chatters, or its events "
        "accumulate (Zeno behaviour): give its switching conditions a hysteresis, or the model a "
        "state of rest",
        name(), options_.max_events_per_instant, now_.t));
}

void CsFmu::begin_event() {
    if (phase_ != Phase::step || !options_.instance.event_mode) return;
    instance_->enter_event_mode();
    phase_ = Phase::event;
}

/// Finishes an event that was begun: iterates, then goes back to stepping.
void CsFmu::finish_event() {
    if (phase_ != Phase::event) return;
    update_discrete();
    if (phase_ == Phase::finished) return;
    instance_->enter_step_mode();
    phase_ = Phase::step;
}

void CsFmu::update_discrete() {
    fmi::EventInfo info;
    for (int iteration = 0; iteration == 0 || info.again; ++iteration) {
        if (iteration == options_.max_event_iterations)
            throw NumericsError(
                fmt::format("{}: the event iteration at t = {} did not converge within {} updates",
                            name(), now_.t, options_.max_event_iterations));
        info = instance_->update_discrete_states();
        if (info.terminate) {
            phase_ = Phase::finished;
            return;
        }
    }
    clocks_->update_intervals(now_.t);
    now_.next_event = std::min(info.next_event_time.value_or(never), clocks_->next());
}

void CsFmu::get_inputs(std::span<double> inputs) {
    finish_event();
    inputs_->get(inputs);
}

void CsFmu::get_outputs(std::span<double> outputs) {
    finish_event();
    outputs_->get(outputs);
    check_finite(outputs);
}

void CsFmu::check_finite(std::span<const double> outputs) const {
    double probe = 0.0;  // not zero if a value is infinite or no number
    for (const double value : outputs) probe += value - value;
    if (probe == 0.0) return;
    if (const std::string* bad = outputs_->first_not_finite(outputs))
        throw FmuError(name(), "get",
                       fmt::format("gave a value for output {} that is no finite number, at t = {}",
                                   *bad, now_.t));
}

}  // namespace tandem::subsystem
