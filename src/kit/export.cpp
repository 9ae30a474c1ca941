#include "kit/export.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "kit/cs_stepper.hpp"
#include "kit/describe.hpp"
#include "kit/elements.hpp"
#include "kit/engine.hpp"

namespace tandem::kit {
namespace {

using fmi::Kind;
using fmi::ValueReference;
using fmi::Version;

bool suits(Version version, ValueType asked, Type type) {
    if (version == Version::v3)
        return asked == value_type(type) ||
               (asked == ValueType::int64 && type == Type::enumeration);
    switch (asked) {
        case ValueType::float64: return type == Type::float32 || type == Type::float64;
        case ValueType::boolean: return type == Type::boolean;
        case ValueType::string: return type == Type::string;
        default: return storage_of(value_type(type)) == Storage::integers && type != Type::boolean;
    }
}

bool same(const Values& a, const Values& b) {
    return a.reals == b.reals && a.integers == b.integers && a.strings == b.strings;
}

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
    const auto* data = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), data, data + sizeof value);
}

template <class T>
T take(std::span<const std::byte>& bytes) {
    T value;
    if (bytes.size() < sizeof value) throw std::runtime_error("the saved state is incomplete");
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
    return value;
}

struct InputDerivative {
    ValueReference reference = 0;
    int order = 1;
    double value = 0.0;
};

EngineOptions engine_options(const fmi::ExportSetup& setup) {
    EngineOptions options;
    options.resources = setup.resources;
    const bool cs = setup.kind == Kind::co_simulation;
    options.external_steps = cs;
    options.external_clocks = setup.version == Version::v3 && (!cs || setup.options.event_mode);
    options.log = [say = setup.options.on_message](int level, const std::string& text) {
        if (!say) return;
        say(level == 0 ? fmi::Status::ok : fmi::Status::warning, level == 0 ? "info" : "warning",
            text);
    };
    return options;
}

/// Calls of the importer, carried out on an engine; in Co-Simulation with a solver of its own.
class KitInstance final : public fmi::ExportedInstance {
public:
    KitInstance(const ModelClass& model_class, const fmi::ExportSetup& setup)
        : setup_(setup), engine_(model_class, engine_options(setup)) {
        make_slot_table();
    }

    void get(ValueType type, std::span<const ValueReference> references, Values& values) override {
        values.clear();
        for (const ValueReference reference : references) {
            const Record& record = readable(reference, type);
            append_values(record, slots_[reference].first, count(reference), values);
        }
    }

    void set(ValueType type, std::span<const ValueReference> references,
             const Values& values) override {
        before_.clear();
        after_.clear();
        std::size_t from = 0;
        for (const ValueReference reference : references) {
            const Record& record = writable(reference, type);
            append_values(record, slots_[reference].first, count(reference), before_);
            write_values(record, slots_[reference].first, count(reference), values, from);
            append_values(record, slots_[reference].first, count(reference), after_);
            from += count(reference);
        }
        if (!same(before_, after_)) changed();
    }

    void get(std::span<const ValueReference> references, std::span<double> values) override {
        locate();
        std::size_t k = 0;
        auto refreshed = Role::time;  // which needs no refreshing
        for (const ValueReference reference : references) {
            if (reference < places_.size() && places_[reference].value != nullptr) {
                const Place& place = places_[reference];
                if (place.role != refreshed) engine_.refresh(refreshed = place.role);
                for (std::size_t i = 0; i < place.count; ++i) values[k++] = place.value[i];
                continue;
            }
            const Record& record = readable(reference, ValueType::float64);
            for (std::size_t i = 0; i < count(reference); ++i)
                values[k++] = read_real(record, slots_[reference].first + i);
        }
    }

    void set(std::span<const ValueReference> references, std::span<const double> values) override {
        locate();
        std::size_t k = 0;
        bool differs = false;
        bool only_inputs = true, affects_outputs = false;
        for (const ValueReference reference : references) {
            if (reference < places_.size() && places_[reference].role == Role::input) {
                const Place& place = places_[reference];
                bool place_differs = false;
                for (std::size_t i = 0; i < place.count; ++i) {
                    place_differs |= place.value[i] != values[k];
                    place.value[i] = values[k++];
                }
                differs |= place_differs;
                affects_outputs |= place_differs && place.affects_outputs;
                continue;
            }
            const Record& record = writable(reference, ValueType::float64);
            only_inputs = only_inputs && record.role == Role::input;
            affects_outputs = true;
            for (std::size_t i = 0; i < count(reference); ++i) {
                const std::size_t element = slots_[reference].first + i;
                differs |= read_real(record, element) != values[k];
                write_real(record, element, values[k++]);
            }
        }
        if (differs) engine_.touch_inputs(affects_outputs);
        if (!stepper_) return;
        if (only_inputs)
            stepper_->inputs_set(differs);
        else if (differs)
            stepper_->invalidate();
    }

    std::size_t value_count(std::span<const ValueReference> references) const override {
        std::size_t total = 0;
        for (const ValueReference reference : references)
            total += reference < slots_.size() ? count(reference) : 1;
        return total;
    }

    void exit_configuration() override {
        engine_.apply_structure();
        make_slot_table();
    }

    void enter_initialization(const fmi::ExperimentSetup& setup) override {
        experiment_ = setup;
        if (setup_.version == Version::v3) exit_configuration();
        engine_.enter_initialisation(setup.start);
    }

    void exit_initialization() override {
        engine_.exit_initialisation();
        if (setup_.kind != Kind::co_simulation) return;
        make_stepper();
        if (!setup_.options.event_mode) stepper_->start();
    }

    void terminate() override {}

    void reset() override {
        stepper_.reset();
        pending_.clear();
        relative_tolerance_ = 0.0;
        experiment_ = {};
        engine_.reset();
        make_slot_table();
    }

    void save_state(std::vector<std::byte>& state) override {
        if (stepper_) stepper_->invalidate();
        append(state, static_cast<std::byte>(stepper_ != nullptr));
        append(state, relative_tolerance_);
        append(state, pending_.size());
        for (const InputDerivative& pending : pending_) {
            append(state, pending.reference);
            append(state, pending.order);
            append(state, pending.value);
        }
        engine_.save(state);
    }

    void restore_state(std::span<const std::byte> state) override {
        const auto has_stepper = take<std::byte>(state);
        relative_tolerance_ = take<double>(state);
        pending_.clear();
        for (auto count = take<std::size_t>(state); count > 0; --count) {
            const auto reference = take<ValueReference>(state);
            const auto order = take<int>(state);
            pending_.push_back({reference, order, take<double>(state)});
        }
        engine_.restore(state);
        make_slot_table();
        for (const InputDerivative& pending : pending_) check_derivative(pending);
        stepper_.reset();
        if (has_stepper != std::byte{0}) make_stepper();
    }

    void directional_derivative(std::span<const ValueReference> unknowns,
                                std::span<const ValueReference> knowns,
                                std::span<const double> seed,
                                std::span<double> sensitivity) override {
        engine_.directional_derivative(real_slots(unknowns), real_slots(knowns), seed, sensitivity);
    }

    void enter_event_mode() override {}

    fmi::EventInfo update_discrete_states() override {
        const Update update = engine_.update();
        if (stepper_) stepper_->invalidate();
        return {.again = update.again,
                .terminate = update.terminate,
                .nominals_changed = false,
                .states_changed = update.states_changed,
                .next_event_time = update.next_event_time};
    }

    void get_clock(ValueReference clock, bool& active) override {
        active = read_integer(clock_record(clock), 0) != 0;
    }

    void set_clock(ValueReference clock, bool active) override {
        const Record& record = clock_record(clock);
        if (record.clock.output)
            throw std::invalid_argument(record.name + ": an output clock cannot be set");
        write_integer(record, 0, active ? 1 : 0);
        engine_.touch();
    }

    std::optional<ClockTiming> clock_timing(ValueReference clock) override {
        const Record& record = clock_record(clock);
        if (record.clock.interval <= 0.0) return std::nullopt;
        return ClockTiming{record.clock.interval, record.clock.shift};
    }

    void set_time(double time) override { engine_.set_time(time); }
    void set_continuous_states(std::span<const double> states) override {
        engine_.set_states(states);
    }
    void get_continuous_states(std::span<double> states) override { engine_.get_states(states); }
    void get_derivatives(std::span<double> derivatives) override {
        engine_.get_derivatives(derivatives);
    }
    void get_event_indicators(std::span<double> indicators) override {
        engine_.get_indicators(indicators);
    }
    void get_nominals(std::span<double> nominals) override { engine_.get_nominals(nominals); }
    void enter_continuous_time_mode() override {}
    fmi::CompletedStep completed_integrator_step() override {
        const bool event = engine_.completed_step();
        return {event, engine_.terminate_requested()};
    }
    std::size_t state_count() const override { return engine_.state_count(); }
    std::size_t indicator_count() const override { return engine_.indicator_count(); }

    fmi::DoStepResult do_step(double begin, double end) override {
        const double t = engine_.time();
        if (std::abs(begin - t) > 1e-6 * std::max(end - begin, std::abs(t) * 1e-3))
            throw std::invalid_argument("the step begins at " + std::to_string(begin) +
                                        " but the model is at " + std::to_string(t));
        for (const InputDerivative& d : pending_)
            stepper_->set_input_derivative(slots_[d.reference], d.order, d.value);
        pending_.clear();
        if (engine_.model_class().is_step_function) return call_step_function(begin, end);
        try {
            return finished(stepper_->advance(end, hooks()), end);
        } catch (const Discard& discard) {
            if (setup_.options.on_message)
                setup_.options.on_message(fmi::Status::discard, "error", discard.what());
            return {.outcome = fmi::DoStepOutcome::discarded, .reached = engine_.time()};
        }
    }

    void set_input_derivatives(std::span<const ValueReference> references,
                               std::span<const int> orders,
                               std::span<const double> values) override {
        for (std::size_t i = 0; i < references.size(); ++i) {
            const InputDerivative given{references[i], orders[i], values[i]};
            check_derivative(given);
            pending_.push_back(given);
        }
    }

    void get_output_derivatives(std::span<const ValueReference> references,
                                std::span<const int> orders, std::span<double> values) override {
        if (!std::ranges::all_of(orders, [](int order) { return order == 1; }))
            throw std::invalid_argument("only output derivatives of order 1 are known");
        std::vector<Slot> inputs;
        std::vector<double> rates;
        if (stepper_) stepper_->input_rates(inputs, rates);
        engine_.time_derivative(real_slots(references), inputs, rates, values);
    }

    void enter_step_mode() override {
        if (stepper_) stepper_->invalidate();
    }

private:
    /// Where the values of a reference are, if they are of type Float64; otherwise null.
    struct Place {
        double* value = nullptr;
        std::size_t count = 0;
        Role role = Role::time;
        bool affects_outputs = true;
    };

    void make_slot_table() {
        slots_ = make_slots(engine_.records(), setup_.version);
        layout_ = 0;
    }

    void locate() {
        if (layout_ == engine_.layout()) return;
        layout_ = engine_.layout();
        places_.assign(slots_.size(), {});
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            const Record& record = engine_.records()[slots_[i].record];
            if (record.type == Type::float64)
                places_[i] = {static_cast<double*>(record.data) + slots_[i].first, slots_[i].count,
                              record.role, engine_.affects_outputs(slots_[i].record)};
        }
    }

    std::size_t count(ValueReference reference) const { return slots_[reference].count; }

    const Record& known(ValueReference reference, ValueType type) {
        if (reference >= slots_.size())
            throw std::invalid_argument("value reference " + std::to_string(reference) +
                                        " does not exist");
        const Record& record = engine_.records()[slots_[reference].record];
        if (!suits(setup_.version, type, record.type))
            throw std::invalid_argument(record.name + ": is of type " +
                                        std::string(to_string(value_type(record.type))) + ", not " +
                                        std::string(to_string(type)));
        return record;
    }

    const Record& readable(ValueReference reference, ValueType type) {
        const Record& record = known(reference, type);
        engine_.refresh(record.role);
        if (setup_.version != Version::v3 && record.type == Type::uint64 &&
            read_integer(record, slots_[reference].first) < 0)
            throw std::range_error(record.name + ": its value does not fit an Integer");
        return record;
    }

    const Record& writable(ValueReference reference, ValueType type) {
        const Record& record = known(reference, type);
        const bool running = engine_.is_running();
        switch (record.role) {
            case Role::input: return record;
            case Role::parameter:
                if (!running || record.attributes.tunable) return record;
                throw std::invalid_argument(record.name +
                                            ": a fixed parameter, not to be changed after "
                                            "initialisation");
            case Role::structural_parameter:
                if (setup_.version == Version::v3 && !running) return record;
                break;
            case Role::state:
            case Role::discrete:
                if (!running) return record;
                break;
            default: break;
        }
        throw std::invalid_argument(record.name + ": cannot be set" +
                                    (running ? " after initialisation" : ""));
    }

    void check_derivative(const InputDerivative& derivative) {
        const Record& record = known(derivative.reference, ValueType::float64);
        if (record.role != Role::input || derivative.order < 1)
            throw std::invalid_argument(record.name +
                                        ": only inputs have derivatives, of order 1 and more");
    }

    const Record& clock_record(ValueReference reference) {
        return known(reference, ValueType::clock);
    }

    void changed() {
        engine_.touch();
        if (stepper_) stepper_->invalidate();
    }

    std::vector<Slot> real_slots(std::span<const ValueReference> references) {
        std::vector<Slot> slots;
        for (const ValueReference reference : references) {
            known(reference, ValueType::float64);
            slots.push_back(slots_[reference]);
        }
        return slots;
    }

    void make_stepper() {
        const ModelInfo& info = engine_.model_class().info;
        if (experiment_.tolerance && *experiment_.tolerance > 0.0)
            relative_tolerance_ = *experiment_.tolerance;
        else if (relative_tolerance_ == 0.0)
            relative_tolerance_ = info.tolerance;
        ode::SolverOptions options = default_solver(info);
        options.relative_tolerance = relative_tolerance_;
        stepper_ = std::make_unique<CsStepper>(engine_, options);
    }

    fmi::DoStepResult call_step_function(double begin, double end) {
        engine_.step(begin, end - begin);
        engine_.set_time(end);
        const bool ends = engine_.terminate_requested();
        return {.outcome = ends ? fmi::DoStepOutcome::terminated : fmi::DoStepOutcome::complete,
                .reached = end};
    }

    StepHooks hooks() {
        StepHooks hooks;
        const auto& options = setup_.options;
        hooks.leave_events = options.event_mode && options.early_return;
        if (options.on_intermediate)
            hooks.after_internal_step = [this](double t) {
                const bool stop = setup_.options.on_intermediate(
                    {.time = t,
                     .inputs_may_be_set = true,
                     .outputs_may_be_read = true,
                     .step_finished = true,
                     .can_return_early = setup_.options.early_return});
                return stop && setup_.options.early_return;
            };
        return hooks;
    }

    static fmi::DoStepResult finished(const Advance& advance, double end) {
        fmi::DoStepResult result;
        result.reached = advance.reached;
        result.event_needed = advance.event;
        if (advance.terminate)
            result.outcome = fmi::DoStepOutcome::terminated;
        else if (advance.reached < end)
            result.outcome = fmi::DoStepOutcome::early;
        return result;
    }

    fmi::ExportSetup setup_;
    Engine engine_;
    std::vector<Slot> slots_;
    std::vector<Place> places_;
    std::size_t layout_ = 0;  ///< to which they belong
    fmi::ExperimentSetup experiment_;
    double relative_tolerance_ = 0.0;
    std::vector<InputDerivative> pending_;  ///< for the next step
    Values before_, after_;
    std::unique_ptr<CsStepper> stepper_;
};

}  // namespace

fmi::ExportedModel make_exported_model(const ModelClass& model_class) {
    fmi::ExportedModel model;
    model.make_description = [&model_class](Version version) {
        return describe(model_class, version);
    };
    model.instantiate = [&model_class](const fmi::ExportSetup& setup) {
        return std::make_unique<KitInstance>(model_class, setup);
    };
    model.status_of = [](const std::exception& problem) {
        if (dynamic_cast<const Discard*>(&problem) != nullptr) return fmi::Status::discard;
        if (dynamic_cast<const Fatal*>(&problem) != nullptr) return fmi::Status::fatal;
        return fmi::Status::error;
    };
    return model;
}

}  // namespace tandem::kit
