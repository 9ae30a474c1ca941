#include "kit/native_ode.hpp"

#include <algorithm>

#include "kit/access.hpp"
#include "tandem/error.hpp"

namespace tandem::kit {

namespace {

bool are_float64(const std::vector<Record>& records, const NativePorts& ports) {
    return std::ranges::all_of(
        ports.slots, [&](const Slot& slot) { return records[slot.record].type == Type::float64; });
}

int add(std::vector<SomePorts>& list, std::span<const int> positions) {
    list.push_back({{positions.begin(), positions.end()}});
    return static_cast<int>(list.size()) - 1;
}

void keep_only(const std::set<std::string>& names, NativePorts& ports) {
    NativePorts kept;
    for (std::size_t i = 0; i < ports.ports.size(); ++i) {
        if (!names.contains(ports.ports[i].name)) continue;
        kept.ports.push_back(ports.ports[i]);
        kept.slots.push_back(ports.slots[i]);
    }
    ports = std::move(kept);
}

}  // namespace

NativeOde::NativeOde(const ModelClass& model_class, std::string name, EngineOptions options)
    : name_(std::move(name)),
      engine_((name_.call("its constructor"), model_class), std::move(options)),
      variables_(name_, engine_) {
    build_shape();
}

NativeOde::~NativeOde() { freeing_.emplace(name_.shared(), "its destructor"); }

bool NativeOde::is_tunable(const std::string& parameter) {
    const auto found = std::ranges::find(engine_.records(), parameter, &Record::name);
    return found != engine_.records().end() && found->attributes.tunable;
}

void NativeOde::select_ports(const PortSelection& selection) {
    selection_ = selection;
    build_shape();
}

void NativeOde::set_scales(const Scales& scales) {
    scales_ = scales;
    build_shape();
}

void NativeOde::build_shape() {
    const std::vector<Record>& records = engine_.records();
    inputs_ = continuous_inputs(records);
    outputs_ = selection_ ? outputs_named(records, selection_->outputs) : all_outputs(records);
    if (selection_) keep_only(selection_->inputs, inputs_);
    some_inputs_.clear();
    some_outputs_.clear();
    states_ = all_states(records);
    const std::vector<Slot> derivatives = derivative_slots(records);
    shape_ = {};
    shape_.states = states_.ports;
    shape_.inputs = inputs_.ports;
    shape_.outputs = outputs_.ports;
    given_nominals_ = ode::take_scales(scales_, shape_);
    shape_.indicators = static_cast<int>(engine_.indicator_count());
    shape_.a = pattern(derivatives, states_.slots);
    shape_.b = pattern(derivatives, inputs_.slots);
    shape_.c = pattern(outputs_.slots, states_.slots);
    shape_.d = pattern(outputs_.slots, inputs_.slots);
    shape_.needs_completed_step = engine_.model_class().uses_after_step;
    shape_.has_events =
        shape_.indicators > 0 || shape_.needs_completed_step || engine_.model_class().uses_event;
    shape_.can_save = shape_.can_serialise = true;
    // Exact rows exist for derivatives, outputs and states; other variables shown have none.
    shape_.exact_jacobian =
        Access::has_exact_jacobian(engine_.model()) &&
        std::ranges::all_of(outputs_.slots, [&](const Slot& slot) {
            const Role role = records[slot.record].role;
            return role == Role::output || role == Role::state || role == Role::derivative;
        });
    knowns_ = states_.slots;
    knowns_.insert(knowns_.end(), inputs_.slots.begin(), inputs_.slots.end());
    unknowns_ = derivatives;
    unknowns_.insert(unknowns_.end(), outputs_.slots.begin(), outputs_.slots.end());
    seed_.resize(knowns_.size());
    sensitivity_.resize(unknowns_.size());
}

ode::Pattern NativeOde::pattern(std::span<const Slot> rows, std::span<const Slot> columns) {
    ode::Pattern result{std::vector<std::pair<int, int>>{}};
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < columns.size(); ++c)
            if (depends_on(engine_.records(), rows[r], columns[c]))
                result.entries->emplace_back(static_cast<int>(r), static_cast<int>(c));
    return result;
}

void NativeOde::enter_initialisation(const Experiment& experiment) {
    const ForeignCall mark = name_.call("initialise()");
    build_shape();
    engine_.enter_initialisation(experiment.start);
}

void NativeOde::exit_initialisation() {
    const ForeignCall mark = name_.call("initialise()");
    engine_.exit_initialisation();
}

template <class Body>
bool NativeOde::evaluate(const char* function, Body body) {
    try {
        body();
        return true;
    } catch (const Discard&) {
        return false;
    } catch (const std::exception& problem) {
        throw FmuError(name_, function, std::string("failed: ") + problem.what());
    }
}

bool NativeOde::set_point(const ode::OdePoint& point) {
    set_ports(engine_, inputs_, point.u);
    engine_.set_time(point.t);
    engine_.set_states(point.x);
    return true;
}

bool NativeOde::derivatives(std::span<double> dx) {
    return evaluate("derivatives()", [&] { engine_.get_derivatives(dx); });
}

bool NativeOde::outputs(std::span<double> y) {
    return evaluate("outputs()", [&] { get_ports(engine_, outputs_, y); });
}

bool NativeOde::indicators(std::span<double> z) {
    return evaluate("indicators()", [&] { engine_.get_indicators(z); });
}

int NativeOde::prepare_inputs(std::span<const int> inputs) {
    return are_float64(engine_.records(), inputs_) ? add(some_inputs_, inputs) : -1;
}

int NativeOde::prepare_outputs(std::span<const int> outputs) {
    return are_float64(engine_.records(), outputs_) ? add(some_outputs_, outputs) : -1;
}

bool NativeOde::set_states(double t, std::span<const double> x) {
    engine_.set_time(t);
    engine_.set_states(x);
    return true;
}

void NativeOde::set_prepared(int inputs, std::span<const double> u) {
    set_some(engine_, inputs_, some_inputs_[static_cast<std::size_t>(inputs)], u);
}

std::span<double* const> NativeOde::places_of(int inputs) {
    return places(engine_, inputs_, some_inputs_[static_cast<std::size_t>(inputs)]);
}

void NativeOde::inputs_written(int inputs) {
    engine_.touch_inputs(some_inputs_[static_cast<std::size_t>(inputs)].affect_outputs);
}

bool NativeOde::get_prepared(int outputs, std::span<double> y) {
    SomePorts& some = some_outputs_[static_cast<std::size_t>(outputs)];
    return evaluate("outputs()", [&] { get_some(engine_, outputs_, some, y); });
}

bool NativeOde::jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                               std::span<double> d_dx, std::span<double> d_y) {
    return evaluate("jacobian()", [&] {
        std::ranges::copy(d_x, seed_.begin());
        std::ranges::copy(d_u, seed_.begin() + static_cast<std::ptrdiff_t>(d_x.size()));
        engine_.directional_derivative(unknowns_, knowns_, seed_, sensitivity_);
        std::copy_n(sensitivity_.begin(), d_dx.size(), d_dx.begin());
        std::copy_n(sensitivity_.begin() + static_cast<std::ptrdiff_t>(d_dx.size()), d_y.size(),
                    d_y.begin());
    });
}

ode::CompletedStep NativeOde::completed_step() {
    ode::CompletedStep result;
    evaluate("after_step()", [&] { result.enter_event_mode = engine_.completed_step(); });
    result.terminate = engine_.terminate_requested();
    return result;
}

ode::EventUpdate NativeOde::update_discrete() {
    ode::EventUpdate result;
    variables_.discrete_written = false;
    const bool done = evaluate("event()", [&] {
        const Update update = engine_.update();
        result.again = update.again;
        result.terminate = update.terminate;
        result.states_changed = update.states_changed;
        result.next_event_time = update.next_event_time;
    });
    if (!done) throw FmuError(name_, "event()", "discarded the event");
    return result;
}

void NativeOde::save(StateSlot slot) {
    auto& bytes = saved_[static_cast<std::size_t>(slot)];
    bytes.clear();
    serialise(bytes);
}

void NativeOde::restore(StateSlot slot) { deserialise(saved_[static_cast<std::size_t>(slot)]); }

void NativeOde::serialise(std::vector<std::byte>& bytes) {
    bytes.push_back(static_cast<std::byte>(variables_.discrete_written));
    engine_.save(bytes);
}

void NativeOde::deserialise(std::span<const std::byte> bytes) {
    if (bytes.empty())
        throw InputError(name_, "the saved state is empty", "use a state saved from this model");
    variables_.discrete_written = bytes.front() != std::byte{0};
    engine_.restore(bytes.subspan(1));
}

}  // namespace tandem::kit
