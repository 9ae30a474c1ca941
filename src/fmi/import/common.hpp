#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "fmi/import/binding.hpp"

namespace tandem::fmi {

/// FMUs warn of a callback for pending steps that they cannot have.
inline bool may_be_pending(const BindingSetup& setup) {
    const KindInfo* info = setup.description.kind(setup.kind);
    return info != nullptr && info->can_run_asynchronously;
}

inline bool good(Status status) { return status == Status::ok || status == Status::warning; }

/// For the exchange_step() of a final class, where the compiler knows what it calls.
template <class FinalBinding>
ExchangeStatus exchange(FinalBinding& binding, const StepCall& call, StepReport& report) {
    const StepExchange& values = call.exchange;
    ExchangeStatus answer;
    if (!values.inputs.empty()) answer.values = binding.set_reals(values.inputs, values.values);
    if (!good(answer.values)) return answer;
    answer.step = binding.do_step(call.begin, call.length, call.no_rollback, report);
    if (good(answer.step) && !report.terminate && !values.outputs.empty())
        answer.values = binding.get_reals(values.outputs, values.results);
    return answer;
}

/// `file:///...` with everything percent-encoded that a URI does not allow.
std::string file_uri(const std::filesystem::path& path);

/// `count` zeros, good until the next call for the same type on this thread. What is converted in
/// every step allocates nothing so.
template <class T>
std::span<T> scratch(std::size_t count) {
    thread_local std::unique_ptr<T[]> room;
    thread_local std::size_t size = 0;
    if (size < count) {
        room = std::make_unique<T[]>(count);
        size = count;
    }
    std::fill_n(room.get(), count, T{});
    return {room.get(), count};
}

/// Reads `count` values of the C type T with `call(List<T>)` and appends them, converted.
template <class T, class Target, class Call>
Status read_converted(std::span<Target> target, const Call& call) {
    const std::span<T> buffer = scratch<T>(target.size());
    const Status status = call(List(buffer));
    std::transform(buffer.begin(), buffer.end(), target.begin(),
                   [](const T& value) { return static_cast<Target>(value); });
    return status;
}

/// Converts the values to the C type T and passes them to `call(List<const T>)`.
template <class T, class Source, class Call>
Status write_converted(std::span<const Source> source, const Call& call) {
    const std::span<T> buffer = scratch<T>(source.size());
    std::transform(source.begin(), source.end(), buffer.begin(),
                   [](const Source& value) { return static_cast<T>(value); });
    return call(List(std::span<const T>(buffer)));
}

/// Strings may come as null.
template <class Call>
Status read_strings(std::vector<std::string>& strings, const Call& call) {
    const std::span<const char*> pointers = scratch<const char*>(strings.size());
    const Status status = call(List(pointers));
    for (std::size_t i = 0; good(status) && i < strings.size(); ++i)
        strings[i].assign(pointers[i] ? pointers[i] : "");
    return status;
}

template <class Call>
Status write_strings(const std::vector<std::string>& strings, const Call& call) {
    const std::span<const char*> pointers = scratch<const char*>(strings.size());
    std::transform(strings.begin(), strings.end(), pointers.begin(),
                   [](const std::string& text) { return text.c_str(); });
    return call(List(std::span<const char* const>(pointers)));
}

/// Functions that look the same in every version that has them; S is the version's status type.
template <class S>
struct CommonFunctions {
    using Plain = S(void*);
    using GetArray = S(void*, double*, std::size_t);
    Function<void(void*)> free;
    Function<Plain> terminate, reset, enter_event_mode, enter_continuous_time_mode;
    Function<S(void*, void**)> get_state, free_state;
    Function<S(void*, void*)> set_state;
    Function<S(void*, void*, std::size_t*)> serialized_size;
    Function<S(void*, double)> set_time;
    Function<S(void*, const double*, std::size_t)> set_continuous_states;
    Function<GetArray> get_continuous_states, get_derivatives, get_event_indicators, get_nominals;
};

template <class S>
class CommonBinding : public Binding {
public:
    explicit CommonBinding(Caller& caller) : caller_(caller) {}

    Status terminate() override { return caller_.status(common_.terminate); }
    Status reset() override { return caller_.status(common_.reset); }
    void free() override { caller_.free(common_.free); }
    Status enter_configuration_mode() override { return absent(); }
    Status exit_configuration_mode() override { return absent(); }

    Status get_state(FmuState& state) override { return caller_.status(common_.get_state, &state); }
    Status set_state(FmuState state) override { return caller_.status(common_.set_state, state); }
    Status free_state(FmuState& state) override {
        return caller_.status(common_.free_state, &state);
    }
    Status serialized_size(FmuState state, std::size_t& size) override {
        return caller_.status(common_.serialized_size, state, &size);
    }
    Status adjoint_derivative(References, References, std::span<const double>,
                              std::span<double>) override {
        return absent();
    }

    Status enter_event_mode() override { return caller_.status(common_.enter_event_mode); }
    Status get_clocks(References, std::span<bool>) override { return absent(); }
    Status set_clocks(References, std::span<const bool>) override { return absent(); }
    Status get_clock_intervals(References, std::span<std::optional<double>>) override {
        return absent();
    }
    Status set_clock_intervals(References, std::span<const double>) override { return absent(); }
    Status enter_step_mode() override { return absent(); }

    Status enter_continuous_time_mode() override {
        return caller_.status(common_.enter_continuous_time_mode);
    }
    Status set_time(double time) override { return caller_.status(common_.set_time, time); }
    Status set_continuous_states(std::span<const double> states) override {
        return caller_.status(common_.set_continuous_states, List(states), states.size());
    }
    Status get_continuous_states(std::span<double> states) override {
        return get_array(common_.get_continuous_states, states);
    }
    Status get_derivatives(std::span<double> derivatives) override {
        return get_array(common_.get_derivatives, derivatives);
    }
    Status get_event_indicators(std::span<double> indicators) override {
        return get_array(common_.get_event_indicators, indicators);
    }
    Status get_nominals(std::span<double> nominals) override {
        return get_array(common_.get_nominals, nominals);
    }
    Status get_state_references(std::span<ValueReference>) override { return absent(); }
    Status ask_sizes(MeSizes&) override { return Status::ok; }

protected:
    Status get_array(const Function<typename CommonFunctions<S>::GetArray>& function,
                     std::span<double> values) {
        return caller_.status(function, List(values), values.size());
    }
    /// The version has no such thing: throws.
    Status absent() { return caller_.status(Function<S(void*)>{}); }

    Caller& caller_;
    CommonFunctions<S> common_;
};

/// What FMI 1.0 and 2.0 have in common: four types without arrays, and the step that may go on in
/// the background. `Abi` gives Status, StatusKind, Boolean and how they name the functions.
template <class Abi>
class ScalarBinding : public CommonBinding<typename Abi::Status> {
    using S = typename Abi::Status;
    using Kinds = typename Abi::StatusKind;
    using Boolean = typename Abi::Boolean;
    template <class T>
    using Get = S(void*, const ValueReference*, std::size_t, T*);
    template <class T>
    using AskStatus = S(void*, Kinds, T*);

public:
    explicit ScalarBinding(Caller& caller);

    Status get_reals(References references, std::span<double> values) override {
        return caller_.status(get_real_, List(references), references.size(), List(values));
    }
    Status set_reals(References references, std::span<const double> values) override {
        return caller_.status(set_real_, List(references), references.size(), List(values));
    }
    Status get_values(ValueType type, References references, Values& values) override;
    Status set_values(ValueType type, References references, const Values& values) override;

    Status do_step(double begin, double length, bool flag, StepReport& report) override;
    Status step_status(Status& status) override;
    bool has_step_status() const override { return static_cast<bool>(get_status_); }
    void ask_why_discarded(StepReport& report) override;
    Status cancel_step() override { return caller_.status(cancel_step_); }
    Status set_input_derivatives(References references, std::span<const int> orders,
                                 std::span<const double> values) override {
        return caller_.status(set_input_derivatives_, List(references), references.size(),
                              List(orders), List(values));
    }
    Status get_output_derivatives(References references, std::span<const int> orders,
                                  std::span<double> values) override {
        return caller_.status(get_output_derivatives_, List(references), references.size(),
                              List(orders), List(values));
    }

protected:
    using CommonBinding<S>::caller_;

private:
    Function<Get<double>> get_real_;
    Function<Get<int>> get_integer_;
    Function<Get<Boolean>> get_boolean_;
    Function<Get<const char*>> get_string_;
    Function<Get<const double>> set_real_;
    Function<Get<const int>> set_integer_;
    Function<Get<const Boolean>> set_boolean_;
    Function<Get<const char* const>> set_string_;
    Function<S(void*, double, double, Boolean)> do_step_;
    Function<S(void*)> cancel_step_;
    Function<AskStatus<S>> get_status_;
    Function<AskStatus<double>> get_real_status_;
    Function<AskStatus<Boolean>> get_boolean_status_;
    Function<S(void*, const ValueReference*, std::size_t, const int*, const double*)>
        set_input_derivatives_;
    Function<S(void*, const ValueReference*, std::size_t, const int*, double*)>
        get_output_derivatives_;
};

template <class Abi>
ScalarBinding<Abi>::ScalarBinding(Caller& caller)
    : CommonBinding<S>(caller),
      get_real_(caller.library(), Abi::get_real),
      get_integer_(caller.library(), Abi::get_integer),
      get_boolean_(caller.library(), Abi::get_boolean),
      get_string_(caller.library(), Abi::get_string),
      set_real_(caller.library(), Abi::set_real),
      set_integer_(caller.library(), Abi::set_integer),
      set_boolean_(caller.library(), Abi::set_boolean),
      set_string_(caller.library(), Abi::set_string),
      do_step_(caller.library(), Abi::do_step),
      cancel_step_(caller.library(), Abi::cancel_step),
      get_status_(caller.library(), Abi::get_status),
      get_real_status_(caller.library(), Abi::get_real_status),
      get_boolean_status_(caller.library(), Abi::get_boolean_status),
      set_input_derivatives_(caller.library(), Abi::set_input_derivatives),
      get_output_derivatives_(caller.library(), Abi::get_output_derivatives) {}

template <class Abi>
Status ScalarBinding<Abi>::get_values(ValueType type, References references, Values& values) {
    const auto read = [&](const auto& function) {
        return [&](const auto& list) {
            return caller_.status(function, List(references), references.size(), list);
        };
    };
    switch (type) {
        case ValueType::float64: return get_reals(references, values.reals);
        case ValueType::int32:
        case ValueType::enumeration:
            return read_converted<int>(std::span(values.integers), read(get_integer_));
        case ValueType::boolean:
            return read_converted<Boolean>(std::span(values.integers), [&](const auto& list) {
                const Status status = read(get_boolean_)(list);
                for (Boolean& value : list.values) value = value ? 1 : 0;
                return status;
            });
        case ValueType::string: return read_strings(values.strings, read(get_string_));
        default: return this->absent();
    }
}

template <class Abi>
Status ScalarBinding<Abi>::set_values(ValueType type, References references, const Values& values) {
    const auto write = [&](const auto& function) {
        return [&](const auto& list) {
            return caller_.status(function, List(references), references.size(), list);
        };
    };
    const std::span<const std::int64_t> integers(values.integers);
    switch (type) {
        case ValueType::float64: return set_reals(references, values.reals);
        case ValueType::int32:
        case ValueType::enumeration: return write_converted<int>(integers, write(set_integer_));
        case ValueType::boolean: return write_converted<Boolean>(integers, write(set_boolean_));
        case ValueType::string: return write_strings(values.strings, write(set_string_));
        default: return this->absent();
    }
}

template <class Abi>
Status ScalarBinding<Abi>::do_step(double begin, double length, bool flag, StepReport&) {
    return caller_.status(do_step_, begin, length, flag);
}

template <class Abi>
Status ScalarBinding<Abi>::step_status(Status& status) {
    S raw{};
    const Status answer = caller_.status(get_status_, Kinds::do_step_status, &raw);
    status = translate(static_cast<int>(raw), Version::v2);
    return answer;
}

template <class Abi>
void ScalarBinding<Abi>::ask_why_discarded(StepReport& report) {
    double reached = 0.0;
    if (get_real_status_ &&
        good(caller_.status(get_real_status_, Kinds::last_successful_time, &reached)) &&
        std::isfinite(reached))
        report.reached = reached;
    if constexpr (Abi::tells_terminated) {
        Boolean terminated{};
        if (get_boolean_status_ &&
            good(caller_.status(get_boolean_status_, Kinds::terminated, &terminated)))
            report.terminate = terminated != 0;
    }
}

}  // namespace tandem::fmi
