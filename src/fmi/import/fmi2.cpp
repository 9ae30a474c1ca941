#include <cstdlib>

#include "fmi/abi/fmi2.hpp"
#include "fmi/import/common.hpp"

namespace tandem::fmi {
namespace {

struct Abi2 {
    using Status = abi2::Status;
    using StatusKind = abi2::StatusKind;
    using Boolean = abi2::Boolean;
    static constexpr bool tells_terminated = true;
    static constexpr const char* get_real = "fmi2GetReal";
    static constexpr const char* get_integer = "fmi2GetInteger";
    static constexpr const char* get_boolean = "fmi2GetBoolean";
    static constexpr const char* get_string = "fmi2GetString";
    static constexpr const char* set_real = "fmi2SetReal";
    static constexpr const char* set_integer = "fmi2SetInteger";
    static constexpr const char* set_boolean = "fmi2SetBoolean";
    static constexpr const char* set_string = "fmi2SetString";
    static constexpr const char* do_step = "fmi2DoStep";
    static constexpr const char* cancel_step = "fmi2CancelStep";
    static constexpr const char* get_status = "fmi2GetStatus";
    static constexpr const char* get_real_status = "fmi2GetRealStatus";
    static constexpr const char* get_boolean_status = "fmi2GetBooleanStatus";
    static constexpr const char* set_input_derivatives = "fmi2SetRealInputDerivatives";
    static constexpr const char* get_output_derivatives = "fmi2GetRealOutputDerivatives";
};

extern "C" {
void fmi2_logger(abi2::ComponentEnvironment environment, abi2::String instance_name,
                 abi2::Status status, abi2::String category, abi2::String message, ...) noexcept {
    std::va_list arguments;
    va_start(arguments, message);
    contained([&] {
        deliver(environment, instance_name, translate(static_cast<int>(status), Version::v2),
                category, formatted(message, arguments));
    });
    va_end(arguments);
}

void fmi2_step_finished(abi2::ComponentEnvironment environment, abi2::Status status) noexcept {
    contained([&] {
        if (const auto sink = find_sink(environment, nullptr))
            sink->step_finished(translate(static_cast<int>(status), Version::v2));
    });
}
}

class Binding2 final : public ScalarBinding<Abi2> {
public:
    explicit Binding2(const BindingSetup& setup)
        : ScalarBinding(setup.caller),
          callbacks_{fmi2_logger, std::calloc, std::free,
                     may_be_pending(setup) ? fmi2_step_finished : nullptr, &caller_.sink()} {
        resolve(caller_.library());
        const bool step = setup.kind == Kind::co_simulation;
        const std::string location = file_uri(setup.folder / "resources");
        caller_.instantiate(Function<abi2::Instantiate>(caller_.library(), "fmi2Instantiate"),
                            setup.options.name.c_str(),
                            step ? abi2::Type::co_simulation : abi2::Type::model_exchange,
                            setup.description.instantiation_token.c_str(), location.c_str(),
                            &callbacks_, false, setup.options.fmu_logging);
    }

    ExchangeStatus exchange_step(const StepCall& call, StepReport& report) override {
        return exchange(*this, call, report);
    }
    Status set_up_experiment(const ExperimentSetup& setup) override {
        return caller_.status(setup_experiment_, setup.tolerance.has_value(),
                              setup.tolerance.value_or(0.0), setup.start, setup.stop.has_value(),
                              setup.stop.value_or(setup.start));
    }
    Status enter_initialization(const ExperimentSetup&) override {
        return caller_.status(enter_initialization_mode_);
    }
    Status exit_initialization() override { return caller_.status(exit_initialization_mode_); }

    Status serialize(FmuState state, std::span<std::byte> bytes) override {
        return caller_.status(serialize_, state, reinterpret_cast<abi2::Byte*>(bytes.data()),
                              bytes.size());
    }
    Status deserialize(std::span<const std::byte> bytes, FmuState& state) override {
        return caller_.status(deserialize_, reinterpret_cast<const abi2::Byte*>(bytes.data()),
                              bytes.size(), &state);
    }
    Status directional_derivative(References unknowns, References knowns,
                                  std::span<const double> seed,
                                  std::span<double> sensitivity) override {
        return caller_.status(directional_derivative_, List(unknowns), unknowns.size(),
                              List(knowns), knowns.size(), List(seed), List(sensitivity));
    }

    Status update_discrete_states(EventInfo& info) override {
        abi2::EventInfo raw{};
        const Status status = caller_.status(new_discrete_states_, &raw);
        info.again = raw.new_discrete_states_needed != 0;
        info.terminate = raw.terminate_simulation != 0;
        info.nominals_changed = raw.nominals_changed != 0;
        info.states_changed = raw.values_changed != 0;
        if (raw.next_event_time_defined) info.next_event_time = raw.next_event_time;
        return status;
    }
    Status completed_integrator_step(bool no_rollback, CompletedStep& completed) override {
        abi2::Boolean enter_event_mode = 0, terminate = 0;
        const Status status =
            caller_.status(completed_integrator_step_, no_rollback, &enter_event_mode, &terminate);
        completed = {enter_event_mode != 0, terminate != 0};
        return status;
    }

private:
    void resolve(const Library& library) {
        common_.free = {library, "fmi2FreeInstance"};
        common_.terminate = {library, "fmi2Terminate"};
        common_.reset = {library, "fmi2Reset"};
        common_.enter_event_mode = {library, "fmi2EnterEventMode"};
        common_.enter_continuous_time_mode = {library, "fmi2EnterContinuousTimeMode"};
        common_.get_state = {library, "fmi2GetFMUstate"};
        common_.free_state = {library, "fmi2FreeFMUstate"};
        common_.set_state = {library, "fmi2SetFMUstate"};
        common_.serialized_size = {library, "fmi2SerializedFMUstateSize"};
        common_.set_time = {library, "fmi2SetTime"};
        common_.set_continuous_states = {library, "fmi2SetContinuousStates"};
        common_.get_continuous_states = {library, "fmi2GetContinuousStates"};
        common_.get_derivatives = {library, "fmi2GetDerivatives"};
        common_.get_event_indicators = {library, "fmi2GetEventIndicators"};
        common_.get_nominals = {library, "fmi2GetNominalsOfContinuousStates"};
        setup_experiment_ = {library, "fmi2SetupExperiment"};
        enter_initialization_mode_ = {library, "fmi2EnterInitializationMode"};
        exit_initialization_mode_ = {library, "fmi2ExitInitializationMode"};
        serialize_ = {library, "fmi2SerializeFMUstate"};
        deserialize_ = {library, "fmi2DeSerializeFMUstate"};
        directional_derivative_ = {library, "fmi2GetDirectionalDerivative"};
        new_discrete_states_ = {library, "fmi2NewDiscreteStates"};
        completed_integrator_step_ = {library, "fmi2CompletedIntegratorStep"};
    }

    const abi2::CallbackFunctions callbacks_;  ///< the FMU may keep a pointer to it
    Function<abi2::SetupExperiment> setup_experiment_;
    Function<abi2::EnterInitializationMode> enter_initialization_mode_;
    Function<abi2::ExitInitializationMode> exit_initialization_mode_;
    Function<abi2::SerializeFmuState> serialize_;
    Function<abi2::DeSerializeFmuState> deserialize_;
    Function<abi2::GetDirectionalDerivative> directional_derivative_;
    Function<abi2::NewDiscreteStates> new_discrete_states_;
    Function<abi2::CompletedIntegratorStep> completed_integrator_step_;
};

}  // namespace

std::unique_ptr<Binding> bind_fmi2(const BindingSetup& setup) {
    return std::make_unique<Binding2>(setup);
}

}  // namespace tandem::fmi
