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
#include "kit/exported_values.hpp"

namespace tandem::kit {
namespace {

using fmi::Kind;
using fmi::ValueReference;
using fmi::Version;

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

template <class T>
void append_all(std::vector<std::byte>& bytes, const std::vector<T>& values) {
    append(bytes, values.size());
    for (const T& value : values) append(bytes, value);
}

template <class T>
void take_all(std::span<const std::byte>& bytes, std::vector<T>& values) {
    for (auto count = take<std::size_t>(bytes); count > 0; --count)
        values.push_back(take<T>(bytes));
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
        : setup_(setup),
          engine_(model_class, engine_options(setup)),
          values_(engine_, setup.version) {}

    void get(ValueType type, std::span<const ValueReference> references, Values& values) override {
        values_.get(type, references, values);
    }

    void set(ValueType type, std::span<const ValueReference> references,
             const Values& values) override {
        if (!values_.set(type, references, values)) return;
        engine_.touch();
        if (!stepper_) return;
        stepper_->invalidate();
        stepper_->request_event();
    }

    void get(std::span<const ValueReference> references, std::span<double> values) override {
        values_.get(references, values);
    }

    void set(std::span<const ValueReference> references, std::span<const double> values) override {
        const ExportedValues::Change change = values_.set(references, values);
        if (change.differs) engine_.touch_inputs(change.affects_outputs);
        if (!stepper_) return;
        if (change.only_inputs)
            stepper_->inputs_set(change.differs);
        else if (change.differs)
            stepper_->invalidate();
    }

    std::size_t value_count(std::span<const ValueReference> references) const override {
        return values_.count(references);
    }

    void exit_configuration() override {
        engine_.apply_structure();
        values_.rebuild();
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
        expected_law_.reset();
        relative_tolerance_ = 0.0;
        experiment_ = {};
        engine_.reset();
        values_.rebuild();
    }

    void save_state(std::vector<std::byte>& state) override {
        append(state, static_cast<std::byte>(stepper_ != nullptr));
        append(state, stepper_ ? stepper_->forget_history() : 0.0);
        append(state, relative_tolerance_);
        append(state, pending_.size());
        for (const InputDerivative& pending : pending_) {
            append(state, pending.reference);
            append(state, pending.order);
            append(state, pending.value);
        }
        save_reached(state);
        engine_.save(state);
    }

    void restore_state(std::span<const std::byte> state) override {
        const auto has_stepper = take<std::byte>(state);
        const auto initial_step = take<double>(state);
        relative_tolerance_ = take<double>(state);
        pending_.clear();
        for (auto count = take<std::size_t>(state); count > 0; --count) {
            const auto reference = take<ValueReference>(state);
            const auto order = take<int>(state);
            pending_.push_back({reference, order, take<double>(state)});
        }
        CsStepper::Reached reached = take_reached(state);
        engine_.restore(state);
        values_.rebuild();
        for (const InputDerivative& pending : pending_) check_derivative(pending);
        stepper_.reset();
        if (has_stepper == std::byte{0}) return;
        make_stepper();
        stepper_->begin_with(initial_step);
        stepper_->go_on_from(std::move(reached));
    }

    void directional_derivative(std::span<const ValueReference> unknowns,
                                std::span<const ValueReference> knowns,
                                std::span<const double> seed,
                                std::span<double> sensitivity) override {
        engine_.directional_derivative(values_.real_slots(unknowns), values_.real_slots(knowns),
                                       seed, sensitivity);
    }

    void enter_event_mode() override {}

    fmi::EventInfo update_discrete_states() override {
        const Update update = engine_.update();
        if (stepper_) stepper_->event_handled();
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
            stepper_->set_input_derivative(values_.slot(d.reference), d.order, d.value);
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
        engine_.time_derivative(values_.real_slots(references), inputs, rates, values);
    }

    void enter_step_mode() override {
        if (stepper_) stepper_->invalidate();
    }

    void expect_input_law(std::span<const ValueReference> inputs,
                          std::span<const double> own_nominals) override {
        if (!stepper_ || engine_.model_class().is_step_function)
            throw std::invalid_argument("only a solver inside can follow a law");
        for (const ValueReference input : inputs)
            if (values_.known(input, ValueType::float64).role != Role::input)
                throw std::invalid_argument("only inputs follow a law");
        expected_law_ = {values_.real_slots(inputs), {own_nominals.begin(), own_nominals.end()}};
        stepper_->expect_law(*expected_law_);
    }

    void set_input_law(const fmi::InputLaw* law) override {
        if (!expected_law_) {
            if (law == nullptr) return;
            throw std::invalid_argument("a law is announced before it is set");
        }
        stepper_->follow_law(law);
    }

private:
    void save_reached(std::vector<std::byte>& state) const {
        const CsStepper::Reached reached = stepper_ ? stepper_->reached() : CsStepper::Reached{};
        append(state, static_cast<std::byte>(reached.event_is_due));
        append_all(state, reached.signs);
        append_all(state, reached.discrete);
    }

    static CsStepper::Reached take_reached(std::span<const std::byte>& state) {
        CsStepper::Reached reached;
        reached.event_is_due = take<std::byte>(state) != std::byte{0};
        take_all(state, reached.signs);
        take_all(state, reached.discrete);
        return reached;
    }

    void check_derivative(const InputDerivative& derivative) {
        const Record& record = values_.known(derivative.reference, ValueType::float64);
        if (record.role != Role::input || derivative.order < 1)
            throw std::invalid_argument(record.name +
                                        ": only inputs have derivatives, of order 1 and more");
    }

    const Record& clock_record(ValueReference reference) {
        return values_.known(reference, ValueType::clock);
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
        if (expected_law_) stepper_->expect_law(*expected_law_);
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
        if (!options.on_intermediate) return hooks;
        hooks.after_internal_step = [this](double t) {
            const bool can_stop = setup_.options.early_return;
            return setup_.options.on_intermediate({.time = t,
                                                   .inputs_may_be_set = true,
                                                   .outputs_may_be_read = true,
                                                   .step_finished = true,
                                                   .can_return_early = can_stop}) &&
                   can_stop;
        };
        const auto is_input = [&](ValueReference r) { return values_.is_real_input(r); };
        if (std::ranges::any_of(options.intermediate_variables, is_input))
            hooks.at_evaluation = [this](double t) {
                setup_.options.on_intermediate(
                    {.time = t, .inputs_may_be_set = true, .outputs_may_be_read = true});
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
    ExportedValues values_;
    fmi::ExperimentSetup experiment_;
    double relative_tolerance_ = 0.0;
    std::vector<InputDerivative> pending_;     ///< for the next step
    std::optional<ExpectedLaw> expected_law_;  ///< stays when a state is restored
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
