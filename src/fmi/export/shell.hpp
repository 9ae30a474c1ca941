#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmi/export/exported_instance.hpp"
#include "fmi/export/foreign_law.hpp"

#define TANDEM_EXPORT extern "C" __attribute__((visibility("default")))

/// What the exported C functions of all FMI versions share: the instance behind the handle, its
/// life cycle, and the way from exceptions to a status.
namespace tandem::fmi::exporting {

enum class Mode : unsigned {
    instantiated = 1U << 0U,
    configuration = 1U << 1U,
    initialization = 1U << 2U,
    event = 1U << 3U,
    continuous = 1U << 4U,
    step = 1U << 5U,
    terminated = 1U << 6U,
    broken = 1U << 7U,  ///< after a fatal status: only freeing is allowed
};

/// A set of modes.
struct Modes {
    unsigned bits = 0;
    constexpr Modes(Mode mode) : bits(static_cast<unsigned>(mode)) {}  // NOLINT: a | b
    constexpr explicit Modes(unsigned all) : bits(all) {}
    constexpr bool has(Mode mode) const { return (bits & static_cast<unsigned>(mode)) != 0; }
};
constexpr Modes operator|(Modes a, Modes b) { return Modes(a.bits | b.bits); }
constexpr Modes operator|(Mode a, Mode b) { return Modes(a) | Modes(b); }

inline constexpr Modes running = Mode::event | Mode::continuous | Mode::step;
inline constexpr Modes before_run = Mode::instantiated | Mode::initialization;
inline constexpr Modes settable = before_run | Mode::configuration | running;
inline constexpr Modes alive = settable | Mode::terminated;

/// What the handle of the C functions points to.
struct Shell {
    Version version = Version::v2;
    Kind kind = Kind::co_simulation;
    std::string name;
    InstanceOptions options;
    std::unique_ptr<ExportedInstance> instance;
    Mode mode = Mode::instantiated;
    ExperimentSetup experiment;
    ForeignLaw law;  ///< that the instance was given last
    // Answers that must outlive the call.
    std::vector<std::string> texts;
    Values values;
    DoStepResult last_step;
    Status last_status = Status::ok;
    double time = 0.0;  ///< FMI 1.0 Model Exchange: set before initialisation
};

/// A call that is not allowed now, or has wrong arguments.
struct Misuse : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Sends a message to the importer's logger; information only if it asked for it.
void say(const Shell& shell, Status status, const std::string& text);
/// Finds the status of the exception being handled, and logs it.
Status handle_exception(Shell& shell, const char* function);
void check_mode(const Shell& shell, Modes allowed);

/// Runs `body(Shell&)` on the instance if the call is allowed in its mode. No exception leaves.
template <class Body>
Status call(void* handle, const char* function, Modes allowed, Body&& body) noexcept {
    if (handle == nullptr) return Status::error;
    Shell& shell = *static_cast<Shell*>(handle);
    try {
        check_mode(shell, allowed);
        if constexpr (std::is_same_v<decltype(body(shell)), Status>)
            return body(shell);
        else
            body(shell);
        return Status::ok;
    } catch (...) {
        return handle_exception(shell, function);
    }
}

/// A list of the C side as a span; a null pointer is only good for an empty list.
template <class T>
std::span<T> list(T* data, std::size_t size) {
    if (data == nullptr && size > 0) throw Misuse("a null pointer was passed for a list");
    return {data, size};
}

template <class T>
T& required(T* pointer) {
    if (pointer == nullptr) throw Misuse("a null pointer was passed for a result");
    return *pointer;
}

struct Instantiation {
    Version version = Version::v2;
    Kind kind = Kind::co_simulation;
    const char* name = nullptr;
    const char* token = nullptr;
    std::string resources;
    InstanceOptions options;
};
/// A new instance, or null with a message to the logger if name or token are wrong.
Shell* instantiate(Instantiation arguments) noexcept;

/// "file:///a%20b/resources" as a path without trailing slash; a plain path passes through.
std::string path_of_uri(const char* uri);

// What FMI 1.0 and 2.0 have in common: scalars of four types.
using References = const ValueReference*;
Status get_reals(void* handle, References references, std::size_t n, double* values) noexcept;
Status set_reals(void* handle, References references, std::size_t n, const double* values) noexcept;
Status get_integers(void* handle, References references, std::size_t n, int* values) noexcept;
Status set_integers(void* handle, References references, std::size_t n, const int* values) noexcept;
Status get_strings(void* handle, References references, std::size_t n,
                   const char** values) noexcept;
Status set_strings(void* handle, References references, std::size_t n,
                   const char* const* values) noexcept;
template <class Boolean>
Status get_booleans(void* handle, References references, std::size_t n, Boolean* values) noexcept {
    return call(handle, "GetBoolean", alive, [&](Shell& shell) {
        const auto out = list(values, n);
        shell.instance->get(ValueType::boolean, list(references, n), shell.values);
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Boolean>(shell.values.integers[i]);
    });
}
template <class Boolean>
Status set_booleans(void* handle, References references, std::size_t n,
                    const Boolean* values) noexcept {
    return call(handle, "SetBoolean", settable, [&](Shell& shell) {
        shell.values.clear();
        for (const Boolean value : list(values, n))
            shell.values.integers.push_back(value != 0 ? 1 : 0);
        shell.instance->set(ValueType::boolean, list(references, n), shell.values);
    });
}

// What FMI 1.0, 2.0 and 3.0 Model Exchange have in common.
Status set_time(void* handle, double time, Modes allowed) noexcept;
Status set_states(void* handle, const double* states, std::size_t n) noexcept;
Status get_states(void* handle, double* states, std::size_t n) noexcept;
Status get_derivatives(void* handle, double* derivatives, std::size_t n) noexcept;
Status get_indicators(void* handle, double* indicators, std::size_t n) noexcept;
Status get_nominals(void* handle, double* nominals, std::size_t n) noexcept;

// What FMI 2.0 and 3.0 have in common: states as handles and bytes.
Status get_state(void* handle, void** state) noexcept;
Status set_state(void* handle, void* state) noexcept;
Status free_state(void* handle, void** state) noexcept;
Status state_size(void* handle, void* state, std::size_t* size) noexcept;
Status serialize_state(void* handle, void* state, void* bytes, std::size_t size) noexcept;
Status deserialize_state(void* handle, const void* bytes, std::size_t size, void** state) noexcept;

// What FMI 1.0 and 2.0 Co-Simulation have in common.
Status set_input_derivatives(void* handle, References references, std::size_t n, const int* orders,
                             const double* values) noexcept;
Status get_output_derivatives(void* handle, References references, std::size_t n, const int* orders,
                              double* values) noexcept;
/// One step; discard when it ended early. The result stays in Shell::last_step.
Status do_step(void* handle, double begin, double size) noexcept;
void leave_initialization(Shell& shell);

}  // namespace tandem::fmi::exporting
