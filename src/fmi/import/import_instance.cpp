#include "fmi/import/import_instance.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/rollback_error.hpp"

namespace tandem::fmi {
namespace {

const KindInfo& kind_info(const Fmu& fmu, Kind kind) {
    const KindInfo* info = fmu.description().kind(kind);
    if (!info)
        throw InputError(fmu.path().string(),
                         fmt::format("the FMU does not offer {}", to_string(kind)),
                         "choose the other kind");
    return *info;
}

std::unique_ptr<Binding> bind(const BindingSetup& setup) {
    switch (setup.description.version) {
        case Version::v1: return bind_fmi1(setup);
        case Version::v2: return bind_fmi2(setup);
        case Version::v3: return bind_fmi3(setup);
    }
    expects(false, "every FMI version has a binding");
    return nullptr;
}

}  // namespace

template <class Interface>
BoundInstance<Interface>::BoundInstance(std::shared_ptr<Fmu> fmu, Kind kind,
                                        const InstanceOptions& options)
    : fmu_(std::move(fmu)),
      info_(kind_info(*fmu_, kind)),
      allows_rollback_(options.rollback),
      claim_(fmu_->library(kind).claim()),
      caller_(fmu_->library(kind), fmu_->description(), options) {
    if (info_.needs_execution_tool)
        log(LogLevel::warning, name() + ": the FMU says that it needs the tool that exported it");
    binding_ = bind({caller_, description(), kind, options, fmu_->folder()});
}

template <class Interface>
BoundInstance<Interface>::~BoundInstance() {
    release();
}

/// Terminate is not allowed after an error, and nothing is after a fatal one.
template <class Interface>
void BoundInstance<Interface>::release() noexcept {
    const auto attempt = [&](auto&& action) {
        try {
            if (!caller_.fatal()) action();
        } catch (const std::exception& exception) {
            log(LogLevel::warning, name() + ": while freeing the FMU: " + exception.what());
        } catch (const abi::__forced_unwind&) {
            throw;
        } catch (...) {
            log(LogLevel::warning, name() + ": while freeing the FMU: an unknown exception");
        }
    };
    if (running_ && !caller_.failed()) attempt([&] { static_cast<void>(binding_->terminate()); });
    for (FmuState& state : states_)
        attempt([&] { static_cast<void>(binding_->free_state(state)); });
    attempt([&] { binding_->free(); });
}

template <class Interface>
void BoundInstance<Interface>::get(References references, std::span<double> values) {
    if (!references.empty()) require(binding_->get_reals(references, values));
}

template <class Interface>
void BoundInstance<Interface>::set(References references, std::span<const double> values) {
    if (!references.empty()) require(binding_->set_reals(references, values));
}

template <class Interface>
void BoundInstance<Interface>::get(ValueType type, References references, Values& values) {
    if (!references.empty()) require(binding_->get_values(type, references, values));
}

template <class Interface>
void BoundInstance<Interface>::set(ValueType type, References references, const Values& values) {
    if (!references.empty()) require(binding_->set_values(type, references, values));
}

template <class Interface>
bool BoundInstance<Interface>::try_get(References references, std::span<double> values) {
    return references.empty() || is_done([&] { return binding_->get_reals(references, values); });
}

template <class Interface>
bool BoundInstance<Interface>::try_get(ValueType type, References references, Values& values) {
    return references.empty() ||
           is_done([&] { return binding_->get_values(type, references, values); });
}

template <class Interface>
void BoundInstance<Interface>::set_up_experiment(const ExperimentSetup& setup) {
    setup_ = setup;
    require(binding_->set_up_experiment(setup));
    is_set_up_ = true;
}

template <class Interface>
void BoundInstance<Interface>::enter_initialization(const ExperimentSetup& setup) {
    if (!std::exchange(is_set_up_, false)) set_up_experiment(setup);
    require(binding_->enter_initialization(setup));
}

template <class Interface>
void BoundInstance<Interface>::exit_initialization() {
    require(binding_->exit_initialization());
    running_ = true;
}

template <class Interface>
void BoundInstance<Interface>::terminate() {
    if (std::exchange(running_, false)) require(binding_->terminate());
}

template <class Interface>
void BoundInstance<Interface>::reset() {
    require(binding_->reset());
    running_ = false;
    caller_.forgive();
}

template <class Interface>
void BoundInstance<Interface>::enter_configuration_mode() {
    require(binding_->enter_configuration_mode());
}

template <class Interface>
void BoundInstance<Interface>::exit_configuration_mode() {
    require(binding_->exit_configuration_mode());
}

/// The FMU may replace the handle it was given.
template <class Interface>
void BoundInstance<Interface>::remember(FmuState before, FmuState after) {
    if (before == after) return;
    std::erase(states_, before);
    if (after) states_.push_back(after);
}

template <class Interface>
template <class Call>
void BoundInstance<Interface>::require_state(const Call& call) {
    try {
        require(call());
    } catch (const InputError& missing) {
        if (!info_.can_get_and_set_state) throw;
        throw RollbackError(FmuError(name(), "rollback", missing.problem()));
    } catch (const FmuError& error) {
        if (caller_.fatal()) throw;
        throw RollbackError(error);
    }
}

template <class Interface>
void BoundInstance<Interface>::get_state(FmuState& state) {
    const FmuState before = state;
    require_state([&] {
        const Status status = binding_->get_state(state);
        remember(before, state);
        return status;
    });
}

template <class Interface>
void BoundInstance<Interface>::set_state(FmuState state) {
    require_state([&] { return binding_->set_state(state); });
}

template <class Interface>
void BoundInstance<Interface>::free_state(FmuState& state) {
    if (!state) return;
    std::erase(states_, state);
    if (!caller_.fatal()) static_cast<void>(is_done([&] { return binding_->free_state(state); }));
    state = nullptr;
}

template <class Interface>
std::vector<std::byte> BoundInstance<Interface>::serialize(FmuState state) {
    std::size_t size = 0;
    require_state([&] { return binding_->serialized_size(state, size); });
    std::vector<std::byte> bytes(size);
    require_state([&] { return binding_->serialize(state, bytes); });
    return bytes;
}

template <class Interface>
void BoundInstance<Interface>::deserialize(std::span<const std::byte> bytes, FmuState& state) {
    const FmuState before = state;
    require_state([&] {
        const Status status = binding_->deserialize(bytes, state);
        remember(before, state);
        return status;
    });
}

template <class Interface>
bool BoundInstance<Interface>::directional_derivative(References unknowns, References knowns,
                                                      std::span<const double> seed,
                                                      std::span<double> sensitivity) {
    std::fill(sensitivity.begin(), sensitivity.end(), 0.0);
    if (unknowns.empty() || knowns.empty()) return true;
    return is_done([&] {
               return binding_->directional_derivative(unknowns, knowns, seed, sensitivity);
           }) &&
           std::ranges::all_of(sensitivity, [](double value) { return std::isfinite(value); });
}

template <class Interface>
void BoundInstance<Interface>::adjoint_derivative(References unknowns, References knowns,
                                                  std::span<const double> seed,
                                                  std::span<double> sensitivity) {
    std::fill(sensitivity.begin(), sensitivity.end(), 0.0);
    if (!unknowns.empty() && !knowns.empty())
        require(binding_->adjoint_derivative(unknowns, knowns, seed, sensitivity));
}

template <class Interface>
void BoundInstance<Interface>::enter_event_mode() {
    require(binding_->enter_event_mode());
}

template <class Interface>
EventInfo BoundInstance<Interface>::update_discrete_states() {
    EventInfo info;
    require(binding_->update_discrete_states(info));
    return info;
}

template <class Interface>
void BoundInstance<Interface>::get_clocks(References clocks, std::span<bool> active) {
    if (!clocks.empty()) require(binding_->get_clocks(clocks, active));
}

template <class Interface>
void BoundInstance<Interface>::set_clocks(References clocks, std::span<const bool> active) {
    if (!clocks.empty()) require(binding_->set_clocks(clocks, active));
}

template <class Interface>
void BoundInstance<Interface>::get_clock_intervals(References clocks,
                                                   std::span<std::optional<double>> intervals) {
    if (!clocks.empty()) require(binding_->get_clock_intervals(clocks, intervals));
}

template <class Interface>
void BoundInstance<Interface>::set_clock_intervals(References clocks,
                                                   std::span<const double> intervals) {
    if (!clocks.empty()) require(binding_->set_clock_intervals(clocks, intervals));
}

template class BoundInstance<CoSimulation>;
template class BoundInstance<ModelExchange>;

Library& Fmu::library(Kind kind) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    auto& library = kind == Kind::co_simulation ? co_simulation_ : model_exchange_;
    if (!library) library = std::make_unique<Library>(folder(), description_, kind, path_.string());
    return *library;
}

const std::filesystem::path& Fmu::library_path(Kind kind) { return library(kind).path(); }

bool Fmu::is_reentrant(Kind kind) { return library(kind).find("tandem_native_model") != nullptr; }

std::unique_ptr<CoSimulation> Fmu::instantiate_co_simulation(const InstanceOptions& options) {
    return std::make_unique<BoundCoSimulation>(shared_from_this(), options);
}

std::unique_ptr<ModelExchange> Fmu::instantiate_model_exchange(const InstanceOptions& options) {
    return std::make_unique<BoundModelExchange>(shared_from_this(), options);
}

}  // namespace tandem::fmi
