#include "tlm/line_subsystem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::tlm {
namespace {

/// Of efforts that flows follow within the instant.
constexpr numerics::FixedPointOptions direct_options{
    .accelerator = numerics::Accelerator::broyden, .starts_by_identity = true, .tolerance = 1e-12};
/// They are no solution if they are so many times what arrives: any number would be one then.
constexpr double most_amplified = 1e9;

}  // namespace

class TlmSubsystem::DirectEfforts final : public numerics::FixedPointProblem {
public:
    DirectEfforts(const TlmSubsystem& owner, const LawPoint& point, std::span<double> inputs)
        : owner_(owner), point_(point), inputs_(inputs) {}
    std::size_t size() const override { return owner_.direct_.size(); }
    bool evaluate(std::span<const double> z, std::span<double> g) override {
        for (std::size_t k = 0; k < size(); ++k) inputs_[index(owner_.direct_[k])] = z[k];
        owner_.step_law_.put(point_, inputs_);
        for (std::size_t k = 0; k < size(); ++k) g[k] = inputs_[index(owner_.direct_[k])];
        return true;
    }
    bool jacobian(std::span<const double>, std::span<const double>, std::span<const double>,
                  std::span<double>) override {
        return false;
    }

private:
    const TlmSubsystem& owner_;
    const LawPoint& point_;
    std::span<double> inputs_;
};

/// The same between two steps.
class TlmSubsystem::EffortsNow final : public numerics::FixedPointProblem {
public:
    explicit EffortsNow(TlmSubsystem& owner) : owner_(owner) {}
    std::size_t size() const override { return owner_.direct_.size(); }
    bool evaluate(std::span<const double> z, std::span<double> g) override {
        std::vector<double>& inputs = owner_.values_;
        for (std::size_t k = 0; k < size(); ++k) inputs[index(owner_.direct_[k])] = z[k];
        owner_.inner_->set_inputs({.values = inputs});
        owner_.inner_->get_outputs(owner_.outputs_);
        for (const TlmEnd& end : owner_.ends_) end.put_end(owner_.outputs_, inputs);
        for (std::size_t k = 0; k < size(); ++k) g[k] = inputs[index(owner_.direct_[k])];
        return true;
    }
    bool jacobian(std::span<const double>, std::span<const double>, std::span<const double>,
                  std::span<double>) override {
        return false;
    }

private:
    TlmSubsystem& owner_;
};

TlmExchange TlmSubsystem::best(const Capabilities& can, const TlmPorts& ports) {
    if (!ports.times.empty()) return TlmExchange::fine;
    if (follows_waves(can)) return TlmExchange::continuous;
    return can.input_derivatives > 0 || ports.slope >= 0 ? TlmExchange::coarse
                                                         : TlmExchange::sampled;
}

TlmSubsystem::TlmSubsystem(std::unique_ptr<Subsystem> inner, std::vector<TlmEnd> ends)
    : inner_(std::move(inner)), ends_(std::move(ends)) {
    facets_ = facets_of(this);
    describe();
}

void TlmSubsystem::expect_steps(const TlmSteps& steps) {
    for (TlmEnd& end : ends_)
        end.prepare(steps, splits_jumps_, keeps_trace_ && interface_.capabilities.dense_traces);
}

void TlmSubsystem::make_room() {
    for (TlmEnd& end : ends_) end.make_room();
}

void TlmSubsystem::describe() {
    interface_ = inner_->interface();
    interface_.capabilities.serialise = false;
    values_.assign(interface_.inputs.size(), 0.0);
    outputs_.assign(interface_.outputs.size(), 0.0);
    first_outputs_ = outputs_;
    inputs_before_ = values_;
    how_to_exchange();
}

void TlmSubsystem::how_to_exchange() {
    const Capabilities& can = interface_.capabilities;
    uses_law_ = needs_flows_ = false;
    takes_slopes_ = can.input_derivatives > 0;
    for (const TlmEnd& end : ends_) {
        const bool is_held = end.exchange() == TlmExchange::sampled;
        uses_law_ = uses_law_ || (!is_held && can.laws && end.ports().times.empty());
        needs_flows_ = needs_flows_ || !end.ports().takes_waves;
    }
    keeps_trace_ = uses_law_ && can.traces;
    find_direct_inputs();
}

void TlmSubsystem::find_direct_inputs() {
    std::vector<int> flows, flows_of_efforts;
    for (const TlmEnd& end : ends_) {
        const std::vector<int>& own = end.ports().flows;
        flows.insert(flows.end(), own.begin(), own.end());
        if (!end.ports().takes_waves)
            flows_of_efforts.insert(flows_of_efforts.end(), own.begin(), own.end());
    }
    const auto moves = [&](int input, const std::vector<int>& outputs) {
        return std::ranges::any_of(interface_.feed_through, [&](const FeedThrough& feed) {
            return feed.input == input && std::ranges::find(outputs, feed.output) != outputs.end();
        });
    };
    direct_.clear();
    flows_follow_ = false;
    for (const TlmEnd& end : ends_) {
        const TlmPorts& ports = end.ports();
        for (const int effort : ports.efforts) {
            flows_follow_ = flows_follow_ || moves(effort, flows);
            if (moves(effort, flows_of_efforts)) direct_.push_back(effort);
        }
        for (const int point : ports.points) flows_follow_ = flows_follow_ || moves(point, flows);
        flows_follow_ = flows_follow_ || moves(ports.slope, flows);
    }
    splits_jumps_ = !flows_follow_ || uses_law_ || !needs_flows_;
    std::vector<double> nominals;
    for (const int effort : direct_) nominals.push_back(interface_.inputs[index(effort)].nominal);
    direct_efforts_.assign(direct_.size(), 0.0);
    direct_solver_ = direct_.empty() ? nullptr
                                     : std::make_unique<numerics::FixedPointSolver>(
                                           direct_.size(), nominals, direct_options);
}

void TlmSubsystem::enter_initialisation(const Experiment& experiment) {
    is_initialised_ = false;
    start_ = time_ = experiment.start;
    stop_ = experiment.stop.value_or(std::numeric_limits<double>::infinity());
    inner_->enter_initialisation(experiment);
    describe();
}

void TlmSubsystem::exit_initialisation() {
    inner_->exit_initialisation();
    inner_->get_outputs(outputs_);
    for (TlmEnd& end : ends_) end.start(time_, outputs_);
    inner_->keep_trace(keeps_trace_);
    const std::size_t highest = index(interface_.capabilities.input_derivatives);
    derivatives_.reserve(values_.size() * std::max<std::size_t>(highest, 1));
    for (Saved& slot : slots_) {
        slot.ends.resize(ends_.size());
        slot.values = values_;
        slot.derivatives.reserve(derivatives_.capacity());
    }
    is_initialised_ = true;
    set_inputs({.values = values_});
}

void TlmSubsystem::finish() {
    for (TlmEnd& end : ends_) end.finish();
    inner_->finish();
}

void TlmSubsystem::keep(const InputCourse& course) {
    std::ranges::copy(course.values, values_.begin());
    derivatives_.assign(course.derivatives.begin(), course.derivatives.end());
    order_ = course.order;
    law_ = course.law;
}

InputCourse TlmSubsystem::kept() const { return {values_, derivatives_, order_, law_}; }

void TlmSubsystem::set_inputs(const InputCourse& course) {
    keep(course);
    for (const TlmEnd& end : ends_) {
        if (is_initialised_)
            end.put_now(values_);
        else
            end.put_preload(values_);
    }
    inner_->set_inputs({.values = values_});
}

StepResult TlmSubsystem::step(Interval interval) {
    if (interval.length() <= 0.0) return react(interval);
    const StepResult result = inner_->exchange_step(step_course(interval), interval, outputs_);
    if (!result) return result;
    for (TlmEnd& end : ends_) end.reach_end();
    if (!is_law()) end_course(interval);
    const OutputTrace* trace = keeps_trace_ ? &inner_->trace() : nullptr;
    const bool jumps = std::ranges::any_of(ends_, &TlmEnd::jumps);
    if (jumps && flows_follow_)
        for (TlmEnd& end : ends_) end.expect_jump();
    for (TlmEnd& end : ends_) end.end_step(outputs_, trace);
    if (jumps) go_behind_jump(interval);
    time_ = interval.end;
    return result;
}

/// Flows may jump with an event.
StepResult TlmSubsystem::react(Interval instant) {
    const StepResult result = inner_->step(instant);
    inner_->get_outputs(outputs_);
    for (TlmEnd& end : ends_) end.take_flow(outputs_);
    return result;
}

/// What was held or extrapolated has come to its end: what is sent and recorded there follows from
/// what has really arrived.
void TlmSubsystem::end_course(Interval interval) {
    end_values(interval);
    for (const TlmEnd& end : ends_) end.put_end(outputs_, values_);
    inner_->set_inputs({.values = values_});
    inner_->get_outputs(outputs_);
}

/// What couplings give, at the end of the step.
void TlmSubsystem::end_values(Interval interval) {
    if (law_ != nullptr) return inner_->get_inputs(values_);
    if (order_ == 0) return;
    const InputCourse course = kept();
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = course.at(interval.length(), i);
}

/// Outputs may follow waves within the instant, flows among them.
void TlmSubsystem::go_behind_jump(Interval interval) {
    if (is_law()) end_values(interval);
    std::ranges::copy(values_, inputs_before_.begin());
    for (const TlmEnd& end : ends_) end.put_end(outputs_, inputs_before_);
    for (TlmEnd& end : ends_)
        if (end.jumps()) end.go_behind_jump();
    for (const TlmEnd& end : ends_) end.put_now(values_);
    inner_->set_inputs({.values = values_});
    inner_->get_outputs(outputs_);
    if (!direct_.empty()) {
        for (std::size_t k = 0; k < direct_.size(); ++k)
            direct_efforts_[k] = values_[index(direct_[k])];
        EffortsNow problem(*this);
        solve_efforts(problem, interval.end);
    }
    end_jump(interval.end);
}

StepResult TlmSubsystem::exchange_step(const InputCourse& course, Interval interval,
                                       std::span<double> outputs) {
    for (const TlmEnd& end : ends_) end.prefetch();
    keep(course);
    const StepResult result = step(interval);
    if (result) std::ranges::copy(outputs_, outputs.begin());
    return result;
}

InputCourse TlmSubsystem::step_course(Interval interval) {
    begin_ = interval.begin;
    const auto side = splits_jumps_ ? TlmEnd::Side::before : TlmEnd::Side::behind;
    for (TlmEnd& end : ends_) end.begin_step(interval, side);
    if (interval.begin == start_) owe_start();
    if (is_law()) {
        for (const TlmEnd& end : ends_) end.put_now(values_);
        if (needs_flows_ && !interface_.capabilities.law_outputs) {
            inner_->set_inputs({.values = values_});
            inner_->linearise(linear_, LinearParts::all);
            inner_->get_outputs(first_outputs_);
        }
        return {.values = values_, .law = &step_law_};
    }
    if (takes_slopes_ && order_ == 0) derivatives_.assign(values_.size(), 0.0);
    const auto slopes =
        takes_slopes_ ? std::span(derivatives_).first(values_.size()) : std::span<double>();
    for (TlmEnd& end : ends_) end.put_line(values_, slopes);
    return {values_, derivatives_, takes_slopes_ ? std::max(order_, 1) : order_};
}

void TlmSubsystem::StepLaw::evaluate(const LawPoint& point, std::span<double> inputs) const {
    const InputCourse course = owner_.kept();
    if (course.law != nullptr) {
        if (const auto* law = dynamic_cast<const RoundedTime*>(course.law))
            law->set_remainder(remainder());
        course.law->evaluate(point, inputs);
    } else {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            inputs[i] = course.at(point.t - owner_.begin_ + remainder(), i);
    }
    put(point, inputs);
    if (!owner_.direct_.empty() && point.outputs != nullptr) solve(point, inputs);
}

void TlmSubsystem::StepLaw::put(const LawPoint& point, std::span<double> inputs) const {
    if (owner_.needs_flows_) outputs_at(point, inputs);
    const Instant instant{point.t, remainder()};
    for (const TlmEnd& end : owner_.ends_) end.put(instant, owner_.outputs_, inputs);
}

void TlmSubsystem::StepLaw::solve(const LawPoint& point, std::span<double> inputs) const {
    for (std::size_t k = 0; k < owner_.direct_.size(); ++k)
        owner_.direct_efforts_[k] = inputs[index(owner_.direct_[k])];
    DirectEfforts problem(owner_, point, inputs);
    owner_.solve_efforts(problem, point.t);
}

void TlmSubsystem::solve_efforts(numerics::FixedPointProblem& problem, double t) {
    double size = 0.0, solved = 0.0;
    for (std::size_t k = 0; k < direct_.size(); ++k)
        size = std::max(
            size, std::abs(direct_efforts_[k]) + interface_.inputs[index(direct_[k])].nominal);
    const bool converged = direct_solver_->solve(problem, direct_efforts_).converged;
    for (const double effort : direct_efforts_) solved = std::max(solved, std::abs(effort));
    if (converged && solved <= most_amplified * size) return;
    throw NumericsError(fmt::format(
        "'{}' at {:.9g}: the efforts of its transmission lines and the flows that follow them "
        "within the instant do not agree\n  hint: give the part that has neither mass nor volume "
        "a little of it",
        name(), t));
}

/// The subsystem tells them, or the linear model at the start of the step: y + C (x - x(begin)).
void TlmSubsystem::StepLaw::outputs_at(const LawPoint& point,
                                       std::span<const double> inputs) const {
    std::vector<double>& outputs = owner_.outputs_;
    if (point.outputs != nullptr) return point.outputs->read(point, inputs, outputs);
    const LinearModel& linear = owner_.linear_;
    std::ranges::copy(owner_.first_outputs_, outputs.begin());
    for (std::size_t j = 0; j < linear.states.size(); ++j) {
        const double change = point.states[j] - linear.states[j];
        for (std::size_t i = 0; i < outputs.size(); ++i)
            outputs[i] += linear.c[j * outputs.size() + i] * change;
    }
}

double TlmSubsystem::StepLaw::next_kink(double t) const {
    const auto* law = dynamic_cast<const Kinked*>(owner_.law_);
    double next = law == nullptr ? std::numeric_limits<double>::infinity() : law->next_kink(t);
    for (const TlmEnd& end : owner_.ends_) next = std::min(next, end.next_stop(t));
    return next;
}

int TlmSubsystem::StepLaw::state_count() const {
    return owner_.law_ == nullptr ? 0 : owner_.law_->state_count();
}

void TlmSubsystem::StepLaw::start(std::span<double> own) const { owner_.law_->start(own); }

void TlmSubsystem::StepLaw::rates(const LawPoint& point, std::span<const double> state_rates,
                                  std::span<double> own_rates) const {
    if (owner_.law_ != nullptr) return owner_.law_->rates(point, state_rates, own_rates);
    std::ranges::fill(own_rates, 0.0);  // announced, and not given for this step
}

void TlmSubsystem::save(StateSlot slot) {
    inner_->save(slot);
    Saved& saved = slots_[static_cast<std::size_t>(slot)];
    saved.time = time_;
    saved.begin = begin_;
    for (std::size_t k = 0; k < ends_.size(); ++k) ends_[k].save(saved.ends[k]);
    saved.values = values_;
    saved.derivatives = derivatives_;
    saved.order = order_;
    saved.law = law_;
}

/// What is inside comes last: it asks the law for its inputs.
void TlmSubsystem::restore(StateSlot slot) {
    const Saved& saved = slots_[static_cast<std::size_t>(slot)];
    time_ = saved.time;
    begin_ = saved.begin;
    for (std::size_t k = 0; k < ends_.size(); ++k) ends_[k].restore(saved.ends[k]);
    keep({saved.values, saved.derivatives, saved.order, saved.law});
    inner_->restore(slot);
}

void TlmSubsystem::linearise(LinearModel& model, LinearParts parts) {
    inner_->linearise(model, parts);
    if (!interface_.capabilities.laws) return;  // flows are held
    for (const TlmEnd& end : ends_) {
        const bool is_held = end.exchange() == TlmExchange::sampled && !is_law();
        if (!end.ports().takes_waves && !is_held) add_answers(model, parts, end);
    }
}

std::vector<TlmSubsystem::Touched> TlmSubsystem::touched_inertias() {
    std::vector<Touched> touched;
    if (!interface_.capabilities.linear_model) return touched;
    inner_->linearise(linear_, LinearParts::all);
    const std::size_t n = linear_.states.size(), outputs = linear_.output_slopes.size();
    for (const TlmEnd& end : ends_) {
        const TlmOptions& line = end.element().options();
        Touched worst{&end, 0.0, 1.0};
        for (std::size_t k = 0; k < end.ports().efforts.size(); ++k) {
            double mobility = 0.0;  // d flow' / d effort = C B
            for (std::size_t j = 0; j < n; ++j)
                mobility += linear_.c[j * outputs + index(end.ports().flows[k])] *
                            linear_.b[index(end.ports().efforts[k]) * n + j];
            const double own = line.impedance[k] * line.delay / (1.0 - line.damping);
            if (own * std::abs(mobility) > worst.own / worst.inertia)
                worst = {&end, own, 1.0 / std::abs(mobility)};
        }
        if (worst.own > 0.0 && !end.ports().takes_waves) touched.push_back(worst);
    }
    return touched;
}

/// The effort changes by Z times what the flow C x + s t does, and as the wave does: with the
/// column b of the effort
///   A += b Z C,   rate_slopes += b (wave' + Z s).
/// What a flow follows within the instant is left out.
void TlmSubsystem::add_answers(LinearModel& model, LinearParts parts, const TlmEnd& end) {
    const TlmEnd::Vector slopes = end.slope_of_waves();
    const std::size_t n = model.states.size(), outputs = model.output_slopes.size();
    for (std::size_t k = 0; k < end.ports().efforts.size(); ++k) {
        const double* column = model.b.data() + index(end.ports().efforts[k]) * n;
        const std::size_t flow = index(end.ports().flows[k]);
        const double z = end.effort_by_flow(k);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n && parts == LinearParts::all; ++j)
                model.a[j * n + i] += column[i] * z * model.c[j * outputs + flow];
            model.rate_slopes[i] += column[i] * (slopes[k] + z * model.output_slopes[flow]);
        }
    }
}

}  // namespace tandem::tlm
