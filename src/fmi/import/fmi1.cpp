#include <cstdlib>
#include <unordered_map>

#include "fmi/abi/fmi1.hpp"
#include "fmi/import/common.hpp"

namespace tandem::fmi {
namespace {

struct Abi1 {
    using Status = abi1::Status;
    using StatusKind = abi1::StatusKind;
    using Boolean = abi1::Boolean;
    static constexpr bool tells_terminated = false;
    static constexpr const char* get_real = "fmiGetReal";
    static constexpr const char* get_integer = "fmiGetInteger";
    static constexpr const char* get_boolean = "fmiGetBoolean";
    static constexpr const char* get_string = "fmiGetString";
    static constexpr const char* set_real = "fmiSetReal";
    static constexpr const char* set_integer = "fmiSetInteger";
    static constexpr const char* set_boolean = "fmiSetBoolean";
    static constexpr const char* set_string = "fmiSetString";
    static constexpr const char* do_step = "fmiDoStep";
    static constexpr const char* cancel_step = "fmiCancelStep";
    static constexpr const char* get_status = "fmiGetStatus";
    static constexpr const char* get_real_status = "fmiGetRealStatus";
    static constexpr const char* get_boolean_status = "fmiGetBooleanStatus";
    static constexpr const char* set_input_derivatives = "fmiSetRealInputDerivatives";
    static constexpr const char* get_output_derivatives = "fmiGetRealOutputDerivatives";
};

extern "C" {
void fmi1_logger(abi1::Component component, abi1::String instance_name, abi1::Status status,
                 abi1::String category, abi1::String message, ...) noexcept {
    std::va_list arguments;
    va_start(arguments, message);
    contained([&] {
        deliver(component, instance_name, translate(static_cast<int>(status), Version::v1),
                category, formatted(message, arguments));
    });
    va_end(arguments);
}

void fmi1_step_finished(abi1::Component component, abi1::Status status) noexcept {
    contained([&] {
        if (const auto sink = find_sink(component, nullptr))
            sink->step_finished(translate(static_cast<int>(status), Version::v1));
    });
}
}

/// FMI 1.0 has one call for the whole initialisation. It is made when initialisation mode is left,
/// or before, when a value is asked for that is no input: nothing else can be read earlier. It has
/// neither event mode nor continuous-time mode; one call does a whole event iteration.
class Binding1 final : public ScalarBinding<Abi1> {
public:
    explicit Binding1(const BindingSetup& setup)
        : ScalarBinding(setup.caller), co_simulation_(setup.kind == Kind::co_simulation) {
        const Library& library = caller_.library();
        common_.free = {library, co_simulation_ ? "fmiFreeSlaveInstance" : "fmiFreeModelInstance"};
        common_.terminate = {library, co_simulation_ ? "fmiTerminateSlave" : "fmiTerminate"};
        if (co_simulation_)
            instantiate_slave(setup);
        else
            instantiate_model(setup);
        for (const Variable& variable : setup.description.variables)
            if (variable.causality == Causality::input && !variable.negated_alias)
                remember_start(variable);
        registration_ = std::make_unique<Registration>(caller_.instance, caller_.shared_sink());
    }

    Status get_reals(References references, std::span<double> values) override {
        if (initializing_ && know(real_inputs_, references, values)) return Status::ok;
        return first_initialize([&] { return ScalarBinding::get_reals(references, values); });
    }
    Status get_values(ValueType type, References references, Values& values) override {
        if (type == ValueType::float64) return get_reals(references, values.reals);
        const bool is_text = storage_of(type) == Storage::strings;
        if (initializing_ &&
            (is_text ? know(text_inputs_, references, std::span(values.strings))
                     : know(inputs_of(type), references, std::span(values.integers))))
            return Status::ok;
        return first_initialize(
            [&] { return ScalarBinding::get_values(type, references, values); });
    }

    Status set_reals(References references, std::span<const double> values) override {
        note_inputs(real_inputs_, references, values);
        return ScalarBinding::set_reals(references, values);
    }
    Status set_values(ValueType type, References references, const Values& values) override {
        if (storage_of(type) == Storage::integers)
            note_inputs(inputs_of(type), references,
                        std::span<const std::int64_t>(values.integers));
        if (storage_of(type) == Storage::strings)
            note_inputs(text_inputs_, references, std::span<const std::string>(values.strings));
        return ScalarBinding::set_values(type, references, values);
    }

    ExchangeStatus exchange_step(const StepCall& call, StepReport& report) override {
        return exchange(*this, call, report);
    }
    Status enter_initialization(const ExperimentSetup& setup) override {
        setup_ = setup;
        initializing_ = true;
        return co_simulation_ ? Status::ok : set_time(setup.start);
    }
    Status exit_initialization() override {
        return first_initialize([] { return Status::ok; });
    }
    Status reset() override {
        if (!co_simulation_) return absent();
        return ScalarBinding::reset();
    }

    Status serialize(FmuState, std::span<std::byte>) override { return absent(); }
    Status deserialize(std::span<const std::byte>, FmuState&) override { return absent(); }
    Status directional_derivative(References, References, std::span<const double>,
                                  std::span<double>) override {
        return absent();
    }

    Status do_step(double begin, double length, bool, StepReport& report) override {
        constexpr bool new_step = true;
        return ScalarBinding::do_step(begin, length, new_step, report);
    }

    Status set_time(double time) override {
        step_completed_ = false;
        return ScalarBinding::set_time(time);
    }
    Status set_continuous_states(std::span<const double> states) override {
        step_completed_ = false;
        return ScalarBinding::set_continuous_states(states);
    }
    Status completed_integrator_step(bool, CompletedStep& completed) override {
        abi1::Boolean call_event_update = 0;
        const Status status = caller_.status(completed_integrator_step_, &call_event_update);
        completed.enter_event_mode = call_event_update != 0;
        step_completed_ = true;
        return status;
    }
    Status enter_event_mode() override {
        fresh_info_ = false;
        if (step_completed_ || !completed_integrator_step_) return Status::ok;
        CompletedStep ignored;
        return completed_integrator_step(true, ignored);
    }
    Status enter_continuous_time_mode() override { return Status::ok; }
    Status update_discrete_states(EventInfo& info) override;
    Status get_state_references(std::span<ValueReference> references) override {
        if (!get_state_references_) return Status::discard;
        return caller_.status(get_state_references_, List(references), references.size());
    }

private:
    void instantiate_slave(const BindingSetup& setup) {
        const Library& library = caller_.library();
        initialize_slave_ = {library, "fmiInitializeSlave"};
        common_.reset = {library, "fmiResetSlave"};
        const abi1::CallbackFunctionsCs callbacks{
            fmi1_logger, std::calloc, std::free,
            may_be_pending(setup) ? fmi1_step_finished : nullptr};
        const std::string location = file_uri(setup.folder);
        caller_.instantiate(Function<abi1::InstantiateSlave>(library, "fmiInstantiateSlave"),
                            setup.options.name.c_str(),
                            setup.description.instantiation_token.c_str(), location.c_str(),
                            "application/x-fmu-sharedlibrary", 0.0, false, false, callbacks,
                            setup.options.fmu_logging);
    }

    void instantiate_model(const BindingSetup& setup) {
        const Library& library = caller_.library();
        initialize_model_ = {library, "fmiInitialize"};
        event_update_ = {library, "fmiEventUpdate"};
        completed_integrator_step_ = {library, "fmiCompletedIntegratorStep"};
        get_state_references_ = {library, "fmiGetStateValueReferences"};
        common_.set_time = {library, "fmiSetTime"};
        common_.set_continuous_states = {library, "fmiSetContinuousStates"};
        common_.get_continuous_states = {library, "fmiGetContinuousStates"};
        common_.get_derivatives = {library, "fmiGetDerivatives"};
        common_.get_event_indicators = {library, "fmiGetEventIndicators"};
        common_.get_nominals = {library, "fmiGetNominalContinuousStates"};
        const abi1::CallbackFunctionsMe callbacks{fmi1_logger, std::calloc, std::free};
        caller_.instantiate(Function<abi1::InstantiateModel>(library, "fmiInstantiateModel"),
                            setup.options.name.c_str(),
                            setup.description.instantiation_token.c_str(), callbacks,
                            setup.options.fmu_logging);
    }

    template <class T>
    using Inputs = std::unordered_map<ValueReference, T>;

    void remember_start(const Variable& variable) {
        const bool given = variable.start.has_value();
        if (variable.type == ValueType::float64)
            real_inputs_[variable.reference] = given ? variable.start->reals.at(0) : 0.0;
        else if (storage_of(variable.type) == Storage::integers)
            inputs_of(variable.type)[variable.reference] =
                given ? variable.start->integers.at(0) : 0;
        else if (given)
            text_inputs_[variable.reference] = variable.start->strings.at(0);
    }
    Inputs<std::int64_t>& inputs_of(ValueType type) {
        return type == ValueType::boolean ? boolean_inputs_ : integer_inputs_;
    }
    template <class T>
    static void note_inputs(Inputs<T>& inputs, References references, std::span<const T> values) {
        for (std::size_t i = 0; i < references.size(); ++i)
            if (const auto known = inputs.find(references[i]); known != inputs.end())
                known->second = values[i];
    }
    /// True: all of them are inputs, and `values` is filled.
    template <class T>
    static bool know(const Inputs<T>& inputs, References references, std::span<T> values) {
        if (values.size() != references.size()) return false;
        for (std::size_t i = 0; i < references.size(); ++i) {
            const auto known = inputs.find(references[i]);
            if (known == inputs.end()) return false;
            values[i] = known->second;
        }
        return true;
    }

    template <class Then>
    Status first_initialize(const Then& then) {
        if (!std::exchange(initializing_, false)) return then();
        const Status status = co_simulation_ ? initialize_slave() : initialize_model();
        return good(status) ? then() : status;
    }
    Status initialize_slave() {
        return caller_.status(initialize_slave_, setup_.start, setup_.stop.has_value(),
                              setup_.stop.value_or(setup_.start));
    }
    Status initialize_model() {
        info_ = {};
        fresh_info_ = true;
        return caller_.status(initialize_model_, setup_.tolerance.has_value(),
                              setup_.tolerance.value_or(0.0), &info_);
    }

    bool co_simulation_;
    Function<abi1::InitializeSlave> initialize_slave_;
    Function<abi1::Initialize> initialize_model_;
    Function<abi1::EventUpdate> event_update_;
    Function<abi1::CompletedIntegratorStep> completed_integrator_step_;
    Function<abi1::GetStateValueReferences> get_state_references_;
    std::unique_ptr<Registration> registration_;  ///< FMI 1.0 callbacks bring the instance itself
    /// Inputs as the description or somebody set them, to be read before the initialisation.
    Inputs<double> real_inputs_;
    Inputs<std::int64_t> integer_inputs_, boolean_inputs_;
    Inputs<std::string> text_inputs_;
    ExperimentSetup setup_;
    bool initializing_ = false;
    bool step_completed_ = true;
    abi1::EventInfo info_{};
    bool fresh_info_ = false;  ///< the initialisation has just filled it
};

Status Binding1::update_discrete_states(EventInfo& info) {
    Status status = Status::ok;
    if (!fresh_info_) {
        info_ = {};
        constexpr bool intermediate_results = false;
        status = caller_.status(event_update_, intermediate_results, &info_);
    }
    fresh_info_ = false;
    info.again = false;
    info.terminate = info_.terminate_simulation != 0;
    info.nominals_changed = info_.state_value_references_changed != 0;
    info.states_changed = info_.state_values_changed != 0;
    if (info_.upcoming_time_event) info.next_event_time = info_.next_event_time;
    return status;
}

}  // namespace

std::unique_ptr<Binding> bind_fmi1(const BindingSetup& setup) {
    return std::make_unique<Binding1>(setup);
}

}  // namespace tandem::fmi
