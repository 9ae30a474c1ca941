#include "fmi/export/shell.hpp"

#include <algorithm>
#include <cstring>

namespace tandem::fmi::exporting {
namespace {

const char* name_of(Mode mode) {
    switch (mode) {
        case Mode::instantiated: return "before initialisation";
        case Mode::configuration: return "in configuration mode";
        case Mode::initialization: return "in initialisation mode";
        case Mode::event: return "in event mode";
        case Mode::continuous: return "in continuous-time mode";
        case Mode::step: return "in step mode";
        case Mode::terminated: return "after termination";
        case Mode::broken: return "after a fatal error";
    }
    return "now";
}

int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string decoded(std::string_view text) {
    std::string path;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape =
            text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0;
        if (!escape) {
            path.push_back(text[i]);
            continue;
        }
        path.push_back(static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2])));
        i += 2;
    }
    return path;
}

}  // namespace

void say(const Shell& shell, Status status, const std::string& text) {
    if (!shell.options.on_message) return;
    if (status == Status::ok && !shell.options.fmu_logging) return;
    const char* category = status == Status::ok        ? "info"
                           : status == Status::warning ? "warning"
                                                       : "error";
    shell.options.on_message(status, category, text);
}

Status handle_exception(Shell& shell, const char* function) {
    Status status = Status::error;
    std::string text = "an exception that is none of the standard library";
    try {
        throw;
    } catch (const Misuse& misuse) {
        text = misuse.what();
    } catch (const std::exception& problem) {
        status = exported_model().status_of(problem);
        text = problem.what();
    } catch (...) {
        status = Status::error;
    }
    if (status == Status::fatal) shell.mode = Mode::broken;
    try {
        say(shell, status, std::string(function) + ": " + text);
    } catch (...) {
        status = std::max(status, Status::error);
    }
    return status;
}

void check_mode(const Shell& shell, Modes allowed) {
    if (!allowed.has(shell.mode))
        throw Misuse(std::string("this call is not allowed ") + name_of(shell.mode));
}

Shell* instantiate(Instantiation arguments) noexcept {
    auto shell = std::make_unique<Shell>();
    try {
        shell->version = arguments.version;
        shell->kind = arguments.kind;
        shell->name = arguments.name == nullptr ? "" : arguments.name;
        shell->options = arguments.options;
        if (shell->name.empty()) throw Misuse("the instance has no name");
        const std::string& token = exported_description(arguments.version).instantiation_token;
        if (arguments.token == nullptr || token != arguments.token)
            throw Misuse("the token '" + std::string(arguments.token ? arguments.token : "") +
                         "' is not that of this binary, '" + token +
                         "': modelDescription.xml and binary do not belong together");
        arguments.options.name = shell->name;
        // Messages of the model take the same way as ours.
        arguments.options.on_message = [raw = shell.get()](Status status, const std::string&,
                                                           const std::string& text) {
            say(*raw, status, text);
        };
        shell->instance = exported_model().instantiate(
            {arguments.version, arguments.kind, arguments.options, arguments.resources});
        return shell.release();
    } catch (...) {
        handle_exception(*shell, "Instantiate");
        return nullptr;
    }
}

std::string path_of_uri(const char* uri) {
    std::string_view text = uri == nullptr ? "" : uri;
    if (!text.starts_with("file:")) return std::string(text);
    text.remove_prefix(5);
    if (text.starts_with("//")) {
        text.remove_prefix(2);
        const auto slash = text.find('/');
        text.remove_prefix(slash == std::string_view::npos ? text.size() : slash);
    }
    std::string path = decoded(text);
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

Status get_reals(void* handle, References references, std::size_t n, double* values) noexcept {
    return call(handle, "GetReal", alive,
                [&](Shell& shell) { shell.instance->get(list(references, n), list(values, n)); });
}

Status set_reals(void* handle, References references, std::size_t n,
                 const double* values) noexcept {
    return call(handle, "SetReal", settable,
                [&](Shell& shell) { shell.instance->set(list(references, n), list(values, n)); });
}

Status get_integers(void* handle, References references, std::size_t n, int* values) noexcept {
    return call(handle, "GetInteger", alive, [&](Shell& shell) {
        const auto out = list(values, n);
        shell.instance->get(ValueType::int32, list(references, n), shell.values);
        for (std::size_t i = 0; i < n; ++i) {
            if (!std::in_range<int>(shell.values.integers[i]))
                throw Misuse("the value " + std::to_string(shell.values.integers[i]) +
                             " does not fit an Integer");
            out[i] = static_cast<int>(shell.values.integers[i]);
        }
    });
}

Status set_integers(void* handle, References references, std::size_t n,
                    const int* values) noexcept {
    return call(handle, "SetInteger", settable, [&](Shell& shell) {
        const auto in = list(values, n);
        shell.values.clear();
        shell.values.integers.assign(in.begin(), in.end());
        shell.instance->set(ValueType::int32, list(references, n), shell.values);
    });
}

Status get_strings(void* handle, References references, std::size_t n,
                   const char** values) noexcept {
    return call(handle, "GetString", alive, [&](Shell& shell) {
        const auto out = list(values, n);
        shell.instance->get(ValueType::string, list(references, n), shell.values);
        shell.texts = shell.values.strings;
        for (std::size_t i = 0; i < n; ++i) out[i] = shell.texts[i].c_str();
    });
}

Status set_strings(void* handle, References references, std::size_t n,
                   const char* const* values) noexcept {
    return call(handle, "SetString", settable, [&](Shell& shell) {
        shell.values.clear();
        for (const char* text : list(values, n)) shell.values.strings.emplace_back(&required(text));
        shell.instance->set(ValueType::string, list(references, n), shell.values);
    });
}

Status set_time(void* handle, double time, Modes allowed) noexcept {
    return call(handle, "SetTime", allowed, [&](Shell& shell) {
        shell.time = time;
        shell.instance->set_time(time);
    });
}

namespace {

std::span<double> of_size(double* values, std::size_t n, std::size_t expected) {
    if (n != expected)
        throw Misuse(std::to_string(n) + " values were asked for, there are " +
                     std::to_string(expected));
    return list(values, n);
}

constexpr Modes evaluable = Mode::initialization | running | Mode::terminated;

}  // namespace

Status set_states(void* handle, const double* states, std::size_t n) noexcept {
    return call(handle, "SetContinuousStates", running, [&](Shell& shell) {
        if (n != shell.instance->state_count()) throw Misuse("wrong number of states");
        shell.instance->set_continuous_states(list(states, n));
    });
}

Status get_states(void* handle, double* states, std::size_t n) noexcept {
    return call(handle, "GetContinuousStates", alive, [&](Shell& shell) {
        shell.instance->get_continuous_states(of_size(states, n, shell.instance->state_count()));
    });
}

Status get_derivatives(void* handle, double* derivatives, std::size_t n) noexcept {
    return call(handle, "GetDerivatives", evaluable, [&](Shell& shell) {
        shell.instance->get_derivatives(of_size(derivatives, n, shell.instance->state_count()));
    });
}

Status get_indicators(void* handle, double* indicators, std::size_t n) noexcept {
    return call(handle, "GetEventIndicators", evaluable, [&](Shell& shell) {
        shell.instance->get_event_indicators(
            of_size(indicators, n, shell.instance->indicator_count()));
    });
}

Status get_nominals(void* handle, double* nominals, std::size_t n) noexcept {
    return call(handle, "GetNominals", alive, [&](Shell& shell) {
        shell.instance->get_nominals(of_size(nominals, n, shell.instance->state_count()));
    });
}

namespace {

/// What a state handle of FMI 2.0 and 3.0 points to: the mode, then what the instance remembers.
using StateBytes = std::vector<std::byte>;

StateBytes& bytes_of(void* state) { return required(static_cast<StateBytes*>(state)); }

}  // namespace

Status get_state(void* handle, void** state) noexcept {
    return call(handle, "GetFMUState", alive, [&](Shell& shell) {
        void*& target = required(state);
        if (target == nullptr) target = new StateBytes;
        StateBytes& bytes = bytes_of(target);
        bytes.assign(1, static_cast<std::byte>(shell.mode));
        shell.instance->save_state(bytes);
    });
}

Status set_state(void* handle, void* state) noexcept {
    return call(handle, "SetFMUState", alive, [&](Shell& shell) {
        const StateBytes& bytes = bytes_of(state);
        if (bytes.empty()) throw Misuse("the saved state is empty");
        shell.instance->restore_state(std::span(bytes).subspan(1));
        shell.mode = static_cast<Mode>(bytes.front());
    });
}

Status free_state(void* handle, void** state) noexcept {
    return call(handle, "FreeFMUState", alive | Mode::broken, [&](Shell&) {
        if (state == nullptr) return;
        delete static_cast<StateBytes*>(*state);
        *state = nullptr;
    });
}

Status state_size(void* handle, void* state, std::size_t* size) noexcept {
    return call(handle, "SerializedFMUStateSize", alive,
                [&](Shell&) { required(size) = bytes_of(state).size(); });
}

Status serialize_state(void* handle, void* state, void* bytes, std::size_t size) noexcept {
    return call(handle, "SerializeFMUState", alive, [&](Shell&) {
        const StateBytes& source = bytes_of(state);
        if (size < source.size() || bytes == nullptr)
            throw Misuse("the buffer is too small for the state");
        std::memcpy(bytes, source.data(), source.size());
    });
}

Status deserialize_state(void* handle, const void* bytes, std::size_t size, void** state) noexcept {
    return call(handle, "DeserializeFMUState", alive, [&](Shell&) {
        const auto source = list(static_cast<const std::byte*>(bytes), size);
        void*& target = required(state);
        if (target == nullptr) target = new StateBytes;
        bytes_of(target).assign(source.begin(), source.end());
    });
}

Status set_input_derivatives(void* handle, References references, std::size_t n, const int* orders,
                             const double* values) noexcept {
    return call(handle, "SetRealInputDerivatives", settable, [&](Shell& shell) {
        shell.instance->set_input_derivatives(list(references, n), list(orders, n),
                                              list(values, n));
    });
}

Status get_output_derivatives(void* handle, References references, std::size_t n, const int* orders,
                              double* values) noexcept {
    return call(handle, "GetRealOutputDerivatives", running | Mode::terminated, [&](Shell& shell) {
        shell.instance->get_output_derivatives(list(references, n), list(orders, n),
                                               list(values, n));
    });
}

Status do_step(void* handle, double begin, double size) noexcept {
    const Status status = call(handle, "DoStep", Mode::step, [&](Shell& shell) {
        if (!(size > 0.0)) throw Misuse("the step size must be positive");
        shell.last_step = {DoStepOutcome::discarded, begin};
        shell.last_step = shell.instance->do_step(begin, begin + size);
        return shell.last_step.outcome == DoStepOutcome::complete ? Status::ok : Status::discard;
    });
    if (handle != nullptr) static_cast<Shell*>(handle)->last_status = status;
    return status;
}

void leave_initialization(Shell& shell) {
    shell.instance->exit_initialization();
    const bool events = shell.kind == Kind::model_exchange || shell.options.event_mode;
    shell.mode = events ? Mode::event : Mode::step;
}

}  // namespace tandem::fmi::exporting
