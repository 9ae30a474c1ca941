#include <cmath>
#include <limits>

#include "fmi/abi/fmi3.hpp"
#include "fmi/import/common.hpp"

namespace tandem::fmi {
namespace {

extern "C" {
void fmi3_log_message(abi3::InstanceEnvironment environment, abi3::Status status,
                      abi3::String category, abi3::String message) noexcept {
    contained([&] {
        deliver(environment, nullptr, translate(static_cast<int>(status), Version::v3), category,
                message ? message : "");
    });
}

void fmi3_intermediate_update(abi3::InstanceEnvironment environment, abi3::Float64 time,
                              abi3::Boolean set_requested, abi3::Boolean get_allowed,
                              abi3::Boolean step_finished, abi3::Boolean can_return_early,
                              abi3::Boolean* early_return_requested,
                              abi3::Float64* early_return_time) noexcept {
    const auto sink = find_sink(environment, nullptr);
    const bool early = sink && sink->intermediate({time, set_requested, get_allowed, step_finished,
                                                   can_return_early});
    if (early_return_requested) *early_return_requested = early && can_return_early;
    if (early_return_time) *early_return_time = time;
}
}

template <class T>
struct Access {
    Function<abi3::Get<T>> get;
    Function<abi3::Set<T>> set;
};

class Binding3 final : public CommonBinding<abi3::Status> {
public:
    explicit Binding3(const BindingSetup& setup) : CommonBinding(setup.caller) {
        resolve(caller_.library());
        resolve_access(caller_.library());
        resolve_clocks(caller_.library());
        const std::filesystem::path resources = setup.folder / "resources" / "";
        const std::string path = std::filesystem::absolute(resources).string();
        const char* given = std::filesystem::is_directory(resources) ? path.c_str() : nullptr;
        if (setup.kind == Kind::co_simulation)
            instantiate_co_simulation(setup, given);
        else
            instantiate_model_exchange(setup, given);
    }

    Status get_reals(References references, std::span<double> values) override {
        return caller_.status(float64_.get, List(references), references.size(), List(values),
                              values.size());
    }
    Status set_reals(References references, std::span<const double> values) override {
        return caller_.status(float64_.set, List(references), references.size(), List(values),
                              values.size());
    }
    Status get_values(ValueType type, References references, Values& values) override;
    Status set_values(ValueType type, References references, const Values& values) override;

    ExchangeStatus exchange_step(const StepCall& call, StepReport& report) override {
        return exchange(*this, call, report);
    }
    Status enter_initialization(const ExperimentSetup& setup) override {
        return caller_.status(enter_initialization_mode_, setup.tolerance.has_value(),
                              setup.tolerance.value_or(0.0), setup.start, setup.stop.has_value(),
                              setup.stop.value_or(setup.start));
    }
    Status exit_initialization() override { return caller_.status(exit_initialization_mode_); }
    Status enter_configuration_mode() override { return caller_.status(enter_configuration_); }
    Status exit_configuration_mode() override { return caller_.status(exit_configuration_); }

    Status serialize(FmuState state, std::span<std::byte> bytes) override {
        return caller_.status(serialize_, state, reinterpret_cast<abi3::Byte*>(bytes.data()),
                              bytes.size());
    }
    Status deserialize(std::span<const std::byte> bytes, FmuState& state) override {
        return caller_.status(deserialize_, reinterpret_cast<const abi3::Byte*>(bytes.data()),
                              bytes.size(), &state);
    }
    Status directional_derivative(References unknowns, References knowns,
                                  std::span<const double> seed,
                                  std::span<double> sensitivity) override {
        return caller_.status(directional_derivative_, List(unknowns), unknowns.size(),
                              List(knowns), knowns.size(), List(seed), seed.size(),
                              List(sensitivity), sensitivity.size());
    }
    Status adjoint_derivative(References unknowns, References knowns, std::span<const double> seed,
                              std::span<double> sensitivity) override {
        return caller_.status(adjoint_derivative_, List(unknowns), unknowns.size(), List(knowns),
                              knowns.size(), List(seed), seed.size(), List(sensitivity),
                              sensitivity.size());
    }

    Status update_discrete_states(EventInfo& info) override {
        bool next_defined = false;
        double next = 0.0;
        const Status status =
            caller_.status(update_discrete_states_, &info.again, &info.terminate,
                           &info.nominals_changed, &info.states_changed, &next_defined, &next);
        if (next_defined) info.next_event_time = next;
        return status;
    }
    Status get_clocks(References clocks, std::span<bool> active) override {
        return caller_.status(get_clock_, List(clocks), clocks.size(), List(active));
    }
    Status set_clocks(References clocks, std::span<const bool> active) override {
        return caller_.status(set_clock_, List(clocks), clocks.size(), List(active));
    }
    Status get_clock_intervals(References clocks,
                               std::span<std::optional<double>> intervals) override;
    Status set_clock_intervals(References clocks, std::span<const double> intervals) override {
        return caller_.status(set_interval_decimal_, List(clocks), clocks.size(), List(intervals));
    }

    Status do_step(double begin, double length, bool no_rollback, StepReport& report) override {
        double reached = std::numeric_limits<double>::quiet_NaN();
        const Status status =
            caller_.status(do_step_, begin, length, no_rollback, &report.event_needed,
                           &report.terminate, &report.early_return, &reached);
        if (std::isfinite(reached)) report.reached = reached;
        return status;
    }
    Status step_status(Status&) override { return absent(); }
    bool has_step_status() const override { return false; }
    void ask_why_discarded(StepReport&) override {}
    Status cancel_step() override { return absent(); }
    Status set_input_derivatives(References, std::span<const int>,
                                 std::span<const double>) override {
        return absent();
    }
    Status get_output_derivatives(References references, std::span<const int> orders,
                                  std::span<double> values) override {
        return caller_.status(get_output_derivatives_, List(references), references.size(),
                              List(orders), List(values), values.size());
    }
    Status enter_step_mode() override { return caller_.status(enter_step_mode_); }

    Status completed_integrator_step(bool no_rollback, CompletedStep& completed) override {
        return caller_.status(completed_integrator_step_, no_rollback, &completed.enter_event_mode,
                              &completed.terminate);
    }
    Status ask_sizes(MeSizes& sizes) override {
        if (!number_of_states_ || !number_of_indicators_) return Status::ok;
        const Status status = caller_.status(number_of_states_, &sizes.states);
        return good(status) ? caller_.status(number_of_indicators_, &sizes.indicators) : status;
    }

private:
    void instantiate_co_simulation(const BindingSetup& setup, const char* resources);
    void instantiate_model_exchange(const BindingSetup& setup, const char* resources);
    void resolve(const Library& library);
    void resolve_access(const Library& library);
    void resolve_clocks(const Library& library);
    Status get_binary(References references, std::vector<std::string>& values);
    Status set_binary(References references, const std::vector<std::string>& values);
    Status get_interval_fractions(References clocks, std::span<double> intervals,
                                  std::span<abi3::IntervalQualifier> qualifiers);

    template <class T>
    Status get_as(const Access<T>& access, References references, auto& values) {
        return read_converted<T>(std::span(values), [&](const auto& list) {
            return caller_.status(access.get, List(references), references.size(), list,
                                  list.values.size());
        });
    }
    template <class T>
    Status set_as(const Access<T>& access, References references, const auto& values) {
        return write_converted<T>(std::span(values), [&](const auto& list) {
            return caller_.status(access.set, List(references), references.size(), list,
                                  list.values.size());
        });
    }
    /// Calls `action` with the access of an integer-like type; false if the type is another.
    template <class Action>
    bool with_integer_access(ValueType type, const Action& action);

    Access<float> float32_;
    Access<double> float64_;
    Access<std::int8_t> int8_;
    Access<std::uint8_t> uint8_;
    Access<std::int16_t> int16_;
    Access<std::uint16_t> uint16_;
    Access<std::int32_t> int32_;
    Access<std::uint32_t> uint32_;
    Access<std::int64_t> int64_;
    Access<std::uint64_t> uint64_;
    Access<bool> boolean_;
    Access<const char*> string_;
    Function<abi3::GetBinary> get_binary_;
    Function<abi3::SetBinary> set_binary_;
    Function<abi3::GetClock> get_clock_;
    Function<abi3::SetClock> set_clock_;
    Function<abi3::GetIntervalDecimal> get_interval_decimal_;
    Function<abi3::GetIntervalFraction> get_interval_fraction_;
    Function<abi3::SetIntervalDecimal> set_interval_decimal_;
    Function<abi3::EnterInitializationMode> enter_initialization_mode_;
    Function<abi3::ExitInitializationMode> exit_initialization_mode_;
    Function<abi3::EnterConfigurationMode> enter_configuration_;
    Function<abi3::ExitConfigurationMode> exit_configuration_;
    Function<abi3::SerializeFmuState> serialize_;
    Function<abi3::DeserializeFmuState> deserialize_;
    Function<abi3::GetDirectionalDerivative> directional_derivative_;
    Function<abi3::GetAdjointDerivative> adjoint_derivative_;
    Function<abi3::UpdateDiscreteStates> update_discrete_states_;
    Function<abi3::DoStep> do_step_;
    Function<abi3::EnterStepMode> enter_step_mode_;
    Function<abi3::GetOutputDerivatives> get_output_derivatives_;
    Function<abi3::CompletedIntegratorStep> completed_integrator_step_;
    Function<abi3::GetNumberOfContinuousStates> number_of_states_;
    Function<abi3::GetNumberOfEventIndicators> number_of_indicators_;
};

void Binding3::instantiate_co_simulation(const BindingSetup& setup, const char* resources) {
    const InstanceOptions& options = setup.options;
    const abi3::IntermediateUpdate update =
        options.on_intermediate ? fmi3_intermediate_update : nullptr;
    const References intermediate(options.intermediate_variables);
    caller_.instantiate(
        Function<abi3::InstantiateCoSimulation>(caller_.library(), "fmi3InstantiateCoSimulation"),
        options.name.c_str(), setup.description.instantiation_token.c_str(), resources, false,
        options.fmu_logging, options.event_mode, options.early_return, List(intermediate),
        intermediate.size(), &caller_.sink(), &fmi3_log_message, update);
}

void Binding3::instantiate_model_exchange(const BindingSetup& setup, const char* resources) {
    caller_.instantiate(
        Function<abi3::InstantiateModelExchange>(caller_.library(), "fmi3InstantiateModelExchange"),
        setup.options.name.c_str(), setup.description.instantiation_token.c_str(), resources, false,
        setup.options.fmu_logging, &caller_.sink(), &fmi3_log_message);
}

void Binding3::resolve(const Library& library) {
    common_.free = {library, "fmi3FreeInstance"};
    common_.terminate = {library, "fmi3Terminate"};
    common_.reset = {library, "fmi3Reset"};
    common_.enter_event_mode = {library, "fmi3EnterEventMode"};
    common_.enter_continuous_time_mode = {library, "fmi3EnterContinuousTimeMode"};
    common_.get_state = {library, "fmi3GetFMUState"};
    common_.free_state = {library, "fmi3FreeFMUState"};
    common_.set_state = {library, "fmi3SetFMUState"};
    common_.serialized_size = {library, "fmi3SerializedFMUStateSize"};
    common_.set_time = {library, "fmi3SetTime"};
    common_.set_continuous_states = {library, "fmi3SetContinuousStates"};
    common_.get_continuous_states = {library, "fmi3GetContinuousStates"};
    common_.get_derivatives = {library, "fmi3GetContinuousStateDerivatives"};
    common_.get_event_indicators = {library, "fmi3GetEventIndicators"};
    common_.get_nominals = {library, "fmi3GetNominalsOfContinuousStates"};
    enter_initialization_mode_ = {library, "fmi3EnterInitializationMode"};
    exit_initialization_mode_ = {library, "fmi3ExitInitializationMode"};
    enter_configuration_ = {library, "fmi3EnterConfigurationMode"};
    exit_configuration_ = {library, "fmi3ExitConfigurationMode"};
    serialize_ = {library, "fmi3SerializeFMUState"};
    deserialize_ = {library, "fmi3DeserializeFMUState"};
    directional_derivative_ = {library, "fmi3GetDirectionalDerivative"};
    adjoint_derivative_ = {library, "fmi3GetAdjointDerivative"};
    update_discrete_states_ = {library, "fmi3UpdateDiscreteStates"};
    do_step_ = {library, "fmi3DoStep"};
    enter_step_mode_ = {library, "fmi3EnterStepMode"};
    get_output_derivatives_ = {library, "fmi3GetOutputDerivatives"};
    completed_integrator_step_ = {library, "fmi3CompletedIntegratorStep"};
    number_of_states_ = {library, "fmi3GetNumberOfContinuousStates"};
    number_of_indicators_ = {library, "fmi3GetNumberOfEventIndicators"};
}

void Binding3::resolve_access(const Library& library) {
    float32_ = {{library, "fmi3GetFloat32"}, {library, "fmi3SetFloat32"}};
    float64_ = {{library, "fmi3GetFloat64"}, {library, "fmi3SetFloat64"}};
    int8_ = {{library, "fmi3GetInt8"}, {library, "fmi3SetInt8"}};
    uint8_ = {{library, "fmi3GetUInt8"}, {library, "fmi3SetUInt8"}};
    int16_ = {{library, "fmi3GetInt16"}, {library, "fmi3SetInt16"}};
    uint16_ = {{library, "fmi3GetUInt16"}, {library, "fmi3SetUInt16"}};
    int32_ = {{library, "fmi3GetInt32"}, {library, "fmi3SetInt32"}};
    uint32_ = {{library, "fmi3GetUInt32"}, {library, "fmi3SetUInt32"}};
    int64_ = {{library, "fmi3GetInt64"}, {library, "fmi3SetInt64"}};
    uint64_ = {{library, "fmi3GetUInt64"}, {library, "fmi3SetUInt64"}};
    boolean_ = {{library, "fmi3GetBoolean"}, {library, "fmi3SetBoolean"}};
    string_ = {{library, "fmi3GetString"}, {library, "fmi3SetString"}};
    get_binary_ = {library, "fmi3GetBinary"};
    set_binary_ = {library, "fmi3SetBinary"};
}

void Binding3::resolve_clocks(const Library& library) {
    get_clock_ = {library, "fmi3GetClock"};
    set_clock_ = {library, "fmi3SetClock"};
    get_interval_decimal_ = {library, "fmi3GetIntervalDecimal"};
    get_interval_fraction_ = {library, "fmi3GetIntervalFraction"};
    set_interval_decimal_ = {library, "fmi3SetIntervalDecimal"};
}

template <class Action>
bool Binding3::with_integer_access(ValueType type, const Action& action) {
    switch (type) {
        case ValueType::int8: action(int8_); return true;
        case ValueType::uint8: action(uint8_); return true;
        case ValueType::int16: action(int16_); return true;
        case ValueType::uint16: action(uint16_); return true;
        case ValueType::int32: action(int32_); return true;
        case ValueType::uint32: action(uint32_); return true;
        case ValueType::int64:
        case ValueType::enumeration: action(int64_); return true;
        case ValueType::uint64: action(uint64_); return true;
        case ValueType::boolean: action(boolean_); return true;
        default: return false;
    }
}

Status Binding3::get_values(ValueType type, References references, Values& values) {
    Status status = Status::ok;
    if (with_integer_access(type, [&](const auto& access) {
            status = get_as(access, references, values.integers);
        }))
        return status;
    switch (type) {
        case ValueType::float32: return get_as(float32_, references, values.reals);
        case ValueType::float64: return get_reals(references, values.reals);
        case ValueType::string:
            return read_strings(values.strings, [&](const auto& list) {
                return caller_.status(string_.get, List(references), references.size(), list,
                                      list.values.size());
            });
        case ValueType::binary: return get_binary(references, values.strings);
        default:
            return read_converted<bool>(std::span(values.integers), [&](const auto& list) {
                return get_clocks(references, list.values);
            });
    }
}

Status Binding3::set_values(ValueType type, References references, const Values& values) {
    Status status = Status::ok;
    if (with_integer_access(type, [&](const auto& access) {
            status = set_as(access, references, values.integers);
        }))
        return status;
    switch (type) {
        case ValueType::float32: return set_as(float32_, references, values.reals);
        case ValueType::float64: return set_reals(references, values.reals);
        case ValueType::string:
            return write_strings(values.strings, [&](const auto& list) {
                return caller_.status(string_.set, List(references), references.size(), list,
                                      list.values.size());
            });
        case ValueType::binary: return set_binary(references, values.strings);
        default:
            return write_converted<bool>(std::span(values.integers), [&](const auto& list) {
                return set_clocks(references, list.values);
            });
    }
}

Status Binding3::get_binary(References references, std::vector<std::string>& values) {
    const std::span<std::size_t> sizes = scratch<std::size_t>(values.size());
    const std::span<abi3::Binary> pointers = scratch<abi3::Binary>(values.size());
    const Status status = caller_.status(get_binary_, List(references), references.size(),
                                         sizes.data(), List(pointers), pointers.size());
    if (!good(status)) return status;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i].clear();
        if (pointers[i]) values[i].append(reinterpret_cast<const char*>(pointers[i]), sizes[i]);
    }
    return status;
}

Status Binding3::set_binary(References references, const std::vector<std::string>& values) {
    const std::span<std::size_t> sizes = scratch<std::size_t>(values.size());
    const std::span<abi3::Binary> pointers = scratch<abi3::Binary>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        sizes[i] = values[i].size();
        pointers[i] = reinterpret_cast<abi3::Binary>(values[i].data());
    }
    return caller_.status(set_binary_, List(references), references.size(), sizes.data(),
                          List(std::span<const abi3::Binary>(pointers)), pointers.size());
}

/// Interval of a clock = counter / resolution.
Status Binding3::get_interval_fractions(References clocks, std::span<double> intervals,
                                        std::span<abi3::IntervalQualifier> qualifiers) {
    std::vector<std::uint64_t> counters(clocks.size(), 0), resolutions(clocks.size(), 1);
    const Status status =
        caller_.status(get_interval_fraction_, List(clocks), clocks.size(),
                       List(std::span(counters)), List(std::span(resolutions)), List(qualifiers));
    for (std::size_t i = 0; i < clocks.size(); ++i)
        intervals[i] = static_cast<double>(counters[i]) / static_cast<double>(resolutions[i]);
    return status;
}

Status Binding3::get_clock_intervals(References clocks,
                                     std::span<std::optional<double>> intervals) {
    std::vector<double> seconds(clocks.size(), 0.0);
    std::vector<abi3::IntervalQualifier> qualifiers(clocks.size(),
                                                    abi3::IntervalQualifier::not_yet_known);
    const Status status =
        get_interval_decimal_ || !get_interval_fraction_
            ? caller_.status(get_interval_decimal_, List(clocks), clocks.size(),
                             List(std::span(seconds)), List(std::span(qualifiers)))
            : get_interval_fractions(clocks, seconds, qualifiers);
    for (std::size_t i = 0; i < clocks.size(); ++i) {
        const bool known = qualifiers[i] != abi3::IntervalQualifier::not_yet_known;
        intervals[i] = known ? std::optional(seconds[i]) : std::nullopt;
    }
    return status;
}

}  // namespace

std::unique_ptr<Binding> bind_fmi3(const BindingSetup& setup) {
    return std::make_unique<Binding3>(setup);
}

}  // namespace tandem::fmi
