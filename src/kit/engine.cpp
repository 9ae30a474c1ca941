#include "kit/engine.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/times.hpp"
#include "kit/access.hpp"
#include "kit/elements.hpp"

namespace tandem::kit {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Time events are met within a few units in the last place: an importer that steps on a grid may
// compute the event's time in another order than the model did.
bool has_come(double event, double t) {
    const double rounding =
        is_late(t, 1.0) ? 2.0 * spacing_of_times(t)
                        : 8.0 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
    return event <= t + rounding;
}

bool is_periodic(const Record& record) {
    return record.role == Role::clock && !record.clock.output && record.clock.interval > 0.0;
}

double tick_time(const Record& record, double start, double count) {
    return start + record.clock.shift + count * record.clock.interval;
}

}  // namespace

Engine::Engine(const ModelClass& model_class, EngineOptions options)
    : class_(model_class), options_(std::move(options)) {
    build();
}

void Engine::build() {
    model_ = class_.make();
    records_ = &Access::records(*model_);
    Access::set_logger(*model_, options_.log);
    Access::set_resources(*model_, options_.resources);
    std::vector<double>& z = Access::indicators(*model_);
    for (std::size_t i = 0; i < z.size(); ++i) {
        Record record =
            make_record("event_indicator_" + std::to_string(i + 1), Role::indicator, {});
        record.data = &z[i];
        records_->push_back(std::move(record));
    }
    ticks_.assign(records_->size(), 0.0);
    outputs_first_ = Access::outputs_come_first(*model_);
    find_what_affects_outputs();
    index_states();
}

void Engine::index_states() {
    ++layout_;
    states_.clear();
    derivatives_.clear();
    nominals_.clear();
    offsets_.clear();
    std::size_t elements = 0;
    for (const Record& record : *records_) {
        offsets_.push_back(elements);
        elements += record.size;
        if (record.role != Role::derivative) continue;
        const Record& state = (*records_)[*record.state];
        for (std::size_t i = 0; i < record.size; ++i) {
            states_.push_back(static_cast<double*>(state.data) + i);
            derivatives_.push_back(static_cast<double*>(record.data) + i);
            nominals_.push_back(state.attributes.nominal.value_or(1.0));
        }
    }
    seeds_.assign(elements, 0.0);
    results_.assign(elements, 0.0);
    before_.resize(states_.size());
}

void Engine::reset() {
    phase_ = Phase::instantiated;
    initialised_ = false;
    steps_ = 0.0;
    build();
    touch();
}

std::size_t Engine::indicator_count() const { return Access::indicators(*model_).size(); }

void Engine::get_states(std::span<double> x) const {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = *states_[i];
}

void Engine::set_states(std::span<const double> x) {
    for (std::size_t i = 0; i < x.size(); ++i) *states_[i] = x[i];
    touch();
}

void Engine::get_nominals(std::span<double> nominals) const {
    std::copy(nominals_.begin(), nominals_.end(), nominals.begin());
}

double Engine::time() const { return Access::time(*model_); }

void Engine::set_time(double time) {
    Access::time(*model_) = time;
    touch();
}

void Engine::touch() {
    derivatives_valid_ = outputs_valid_ = jacobian_valid_ = false;
    if (phase_ == Phase::initialising) initialised_ = false;
}

void Engine::touch_inputs(bool affect_outputs) {
    if (affect_outputs || !outputs_first_ || phase_ != Phase::running) return touch();
    derivatives_valid_ = jacobian_valid_ = false;
}

void Engine::find_what_affects_outputs() {
    affects_outputs_.assign(records_->size(), 0);
    for (const Record& record : *records_) {
        if (record.role != Role::output && record.role != Role::local) continue;
        if (!record.dependencies) {
            affects_outputs_.assign(records_->size(), 1);
            return;
        }
        for (const std::size_t known : *record.dependencies) affects_outputs_[known] = 1;
    }
}

void Engine::apply_structure() {
    for (Record& record : *records_) {
        if (record.extents.empty()) continue;
        std::size_t size = 1;
        for (Extent& extent : record.extents) {
            if (extent.parameter)
                extent.size =
                    static_cast<std::size_t>(read_integer((*records_)[*extent.parameter], 0));
            size *= extent.size;
        }
        if (size != record.size) record.resize(record.owner, record, size);
    }
    index_states();
    touch();
}

void Engine::enter_initialisation(double start) {
    phase_ = Phase::initialising;
    start_ = start;
    steps_ = 1.0;
    set_time(start);
}

void Engine::exit_initialisation() {
    if (!initialised_) model_->initialise();
    initialised_ = true;
    phase_ = Phase::running;
    touch();
}

void Engine::refresh(Role role) {
    if (phase_ == Phase::instantiated) return;
    if (phase_ == Phase::initialising && !initialised_) {
        model_->initialise();
        initialised_ = true;
    }
    const bool wants_outputs = role == Role::output || role == Role::local;
    if (!wants_outputs && role != Role::derivative && role != Role::indicator) return;
    if (outputs_first_) {
        refresh_outputs();
        if (role == Role::derivative || role == Role::local) refresh_derivatives();
    } else if (role != Role::indicator) {
        refresh_derivatives();
        if (wants_outputs) refresh_outputs();
    }
    if (role == Role::indicator) model_->indicators(Access::indicators(*model_));
}

void Engine::refresh_outputs() {
    if (!outputs_valid_) model_->outputs();
    outputs_valid_ = true;
}

void Engine::refresh_derivatives() {
    if (!derivatives_valid_) model_->derivatives();
    derivatives_valid_ = true;
}

void Engine::get_derivatives(std::span<double> dx) {
    refresh(Role::derivative);
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = *derivatives_[i];
}

void Engine::get_indicators(std::span<double> z) {
    refresh(Role::indicator);
    std::copy_n(Access::indicators(*model_).begin(), z.size(), z.begin());
}

// Input clocks tick before the event; output clocks of the last event have been seen.
void Engine::tick_clocks(bool due) {
    for (std::size_t i = 0; i < records_->size(); ++i) {
        Record& record = (*records_)[i];
        if (record.role != Role::clock) continue;
        const bool own = is_periodic(record) && !options_.external_clocks;
        if (!due && (own || !record.clock.output)) write_integer(record, 0, 0);
        if (due && record.clock.output) write_integer(record, 0, 0);
        if (!due || !own || !has_come(tick_time(record, start_, ticks_[i]), time())) continue;
        write_integer(record, 0, 1);
        ticks_[i] += 1.0;
    }
}

Update Engine::update() {
    get_states(before_);
    double& next = Access::next_event(*model_);
    Access::time_event(*model_) = has_come(next, time());
    if (Access::time_event(*model_)) {
        // A model that compares the two must not find that the event is still to come.
        if (time() < next) set_time(next);
        next = never;
    }
    Access::again(*model_) = false;
    tick_clocks(true);
    model_->event();
    if (class_.is_step_function && !options_.external_steps) {
        const double h = class_.info.step_size;
        if (has_come(start_ + steps_ * h, time())) {
            model_->step(start_ + (steps_ - 1.0) * h, h);
            steps_ += 1.0;
        }
    }
    tick_clocks(false);
    Access::time_event(*model_) = false;
    touch();

    Update result{.again = Access::again(*model_), .terminate = terminate_requested()};
    for (const Record& record : *records_)
        if (record.role == Role::clock && record.clock.output && read_integer(record, 0) != 0)
            result.again = true;
    for (std::size_t i = 0; i < states_.size(); ++i)
        result.states_changed |= std::memcmp(states_[i], &before_[i], sizeof(double)) != 0;
    if (next_event_time() < never) result.next_event_time = next_event_time();
    return result;
}

bool Engine::time_event_has_come() const { return has_come(next_event_time(), time()); }

double Engine::next_event_time() const {
    double next = Access::next_event(*model_);
    if (class_.is_step_function && !options_.external_steps)
        next = std::min(next, start_ + steps_ * class_.info.step_size);
    if (options_.external_clocks) return next;
    for (std::size_t i = 0; i < records_->size(); ++i)
        if (is_periodic((*records_)[i]))
            next = std::min(next, tick_time((*records_)[i], start_, ticks_[i]));
    return next;
}

bool Engine::completed_step() {
    Access::event_requested(*model_) = false;
    refresh(Role::derivative);
    model_->after_step();
    return Access::event_requested(*model_);
}

bool Engine::terminate_requested() const { return Access::terminate(*model_); }

void Engine::step(double t, double h) {
    model_->step(t, h);
    touch();
}

void Engine::save(std::vector<std::byte>& bytes) const {
    const auto append = [&](const auto& value) {
        const auto* data = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), data, data + sizeof value);
    };
    append(phase_);
    append(initialised_);
    append(Access::next_event(*model_));
    append(Access::terminate(*model_));
    append(start_);
    append(steps_);
    for (const double count : ticks_) append(count);
    for (const Record& record : *records_) store(record, bytes);
}

void Engine::restore(std::span<const std::byte> bytes) {
    const auto take = [&](auto& value) {
        if (bytes.size() < sizeof value) throw std::runtime_error("the saved state is incomplete");
        std::memcpy(&value, bytes.data(), sizeof value);
        bytes = bytes.subspan(sizeof value);
    };
    bool initialised = false;
    take(phase_);
    take(initialised);
    take(Access::next_event(*model_));
    take(Access::terminate(*model_));
    take(start_);
    take(steps_);
    for (double& count : ticks_) take(count);
    ++layout_;  // also if what follows fails halfway
    for (Record& record : *records_) bytes = bytes.subspan(load(record, bytes));
    if (!bytes.empty()) throw std::runtime_error("the saved state is that of another model");
    for (Record& record : *records_)
        for (Extent& extent : record.extents)
            if (extent.parameter)
                extent.size =
                    static_cast<std::size_t>(read_integer((*records_)[*extent.parameter], 0));
    index_states();
    touch();
    initialised_ = initialised;
}

}  // namespace tandem::kit
