#pragma once

#include <cxxabi.h>
#include <fmt/format.h>

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "fmi/import/library.hpp"
#include "fmi/import/messages.hpp"
#include "fmi/import/undefined_functions.hpp"
#include "process/emergency.hpp"
#include "process/freed_memory.hpp"
#include "process/process_guard.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {

/// A function of the C ABI, by its name in the standard. Without a name: the version has none.
template <class Signature>
struct Function {
    const char* name = nullptr;
    Signature* pointer = nullptr;

    Function() = default;
    Function(const Library& library, const char* function)
        : name(function), pointer(reinterpret_cast<Signature*>(library.find(function))) {}
    explicit operator bool() const { return pointer != nullptr; }
};

/// An array argument that knows its length, for the log of calls.
template <class T>
struct List {
    std::span<T> values;
    operator T*() const { return values.data(); }
};
template <class T>
List(std::span<T>) -> List<T>;

namespace call_text {

template <class T>
void append(std::string& text, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        text += value ? "true" : "false";
    } else if constexpr (std::is_enum_v<T>) {
        fmt::format_to(std::back_inserter(text), "{}", static_cast<int>(value));
    } else if constexpr (std::is_same_v<T, char>) {
        fmt::format_to(std::back_inserter(text), "{}", static_cast<int>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
        fmt::format_to(std::back_inserter(text), "{}", value);
    } else if constexpr (std::is_same_v<T, const char*> || std::is_same_v<T, char* const>) {
        text += value ? fmt::format("\"{}\"", value) : "NULL";
    } else if constexpr (std::is_pointer_v<T>) {
        using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
        if constexpr (std::is_arithmetic_v<Pointee> || std::is_enum_v<Pointee>) {
            if (value)
                append(text, *value);
            else
                text += "NULL";
        } else {
            text += value ? "..." : "NULL";
        }
    } else {
        text += "...";
    }
}

template <class T>
void append(std::string& text, const List<T>& list) {
    constexpr std::size_t shown = 8;
    text += '[';
    for (std::size_t i = 0; i < list.values.size() && i < shown; ++i) {
        if (i > 0) text += ", ";
        append(text, static_cast<const std::remove_cv_t<T>&>(list.values[i]));
    }
    if (list.values.size() > shown)
        fmt::format_to(std::back_inserter(text), ", ... {} values", list.values.size());
    text += ']';
}

}  // namespace call_text

/// The status of an FMI version; numbers that mean nothing in it are errors.
inline Status translate(int raw, Version version) {
    const int last = static_cast<int>(version == Version::v3 ? Status::fatal : Status::pending);
    return raw < 0 || raw > last ? Status::error : static_cast<Status>(raw);
}

/// Makes the calls of one instance: each is marked as foreign, logged when asked for, its status
/// translated and remembered. After a fatal status it makes none any more.
class Caller {
public:
    Caller(Library& library, const ModelDescription& description, const InstanceOptions& options);

    /// A function that answers a status. The first argument of the C function, the instance, is
    /// added here.
    template <class Signature, class... Arguments>
    Status status(const Function<Signature>& function, const Arguments&... arguments) {
        const auto raw = guarded(function, instance, arguments...);
        const Status answer = translate(static_cast<int>(raw), version_);
        if (logs_calls()) log_call(function.name, to_string(answer), arguments...);
        note(function.name, answer);
        sink_->rethrow();
        return answer;
    }
    template <class Signature, class... Arguments>
    void free(const Function<Signature>& function, const Arguments&... arguments) {
        guarded(function, instance, arguments...);
        contained(function.name, [] { look_at_freed_memory(); });
        if (logs_calls()) log_call(function.name, "done", arguments...);
        sink_->rethrow();
    }
    /// Sets `instance`. Throws FmuError if the FMU returns null. What a callback threw meanwhile is
    /// thrown by the next call, when there is somebody to free the instance.
    template <class Signature, class... Arguments>
    void instantiate(const Function<Signature>& function, const Arguments&... arguments) {
        instance = guarded(function, arguments...);
        if (logs_calls()) log_call(function.name, instance ? "instance" : "NULL", arguments...);
        if (!instance) throw failure(function.name, "returned no instance");
    }

    /// Throws FmuError unless the status is ok or a warning.
    void require(Status status) const {
        if (status != Status::ok && status != Status::warning) fail(status);
    }
    FmuError failure(const char* function, const std::string& problem) const;
    bool fatal() const { return fatal_; }
    /// The FMU has answered error or fatal.
    bool failed() const { return failed_; }
    void forgive() { failed_ = false; }

    MessageSink& sink() { return *sink_; }
    const std::shared_ptr<MessageSink>& shared_sink() const { return sink_; }
    Library& library() { return library_; }
    const std::string& name() const { return name_; }
    /// For ForeignCall.
    const char* shared_name() const { return shared_name_.data(); }

    void* instance = nullptr;

private:
    template <class Signature, class... Arguments>
    auto guarded(const Function<Signature>& function, const Arguments&... arguments) {
        if (fatal_ || function.pointer == nullptr) refuse(function.name);
        using Result = decltype(function.pointer(arguments...));
        if constexpr (std::is_void_v<Result>) {
            contained(function.name, [&] { function.pointer(arguments...); });
            look_around(function.name);
        } else {
            Result result{};
            contained(function.name, [&] { result = function.pointer(arguments...); });
            look_around(function.name);
            return result;
        }
    }

    /// No exception of the FMU's own code gets further than here. A forced unwinding has no
    /// exception object, so the reference to it is null.
    template <class Call>
    __attribute__((no_sanitize("null"))) void contained(const char* function, const Call& call) {
        const ForeignCall mark(shared_name_.data(), function, sink_.get());
        const ArithmeticGuard guard(name_, function);
        try {
            call();
        } catch (const UndefinedFunction& missing) {
            note(function, Status::error);
            throw failure(function, missing.what());
        } catch (const std::exception& exception) {
            note(function, Status::error);
            throw failure(function, std::string("threw an exception: ") + exception.what());
        } catch (const abi::__forced_unwind&) {
            if (handlers_are_installed()) end_after_lost_thread();  // pthread_exit
            throw;
        } catch (...) {
            note(function, Status::error);
            throw failure(function, "threw something that is no std::exception");
        }
        if (is_forked_copy.load(std::memory_order_relaxed)) [[unlikely]]
            end_forked_copy(shared_name_.data(), function);
    }

    /// Whether the call left the process as it was takes system calls: looked at now and then.
    void look_around(const char* function) const {
        if (process_checks_due.load(std::memory_order_relaxed) > 0) [[unlikely]]
            check_process(name_, function);
    }

    template <class... Arguments>
    void log_call(const char* function, std::string_view outcome, const Arguments&... arguments) {
        std::string text = function;
        text += '(';
        [[maybe_unused]] bool first = true;
        ((text += std::exchange(first, false) ? "" : ", ", call_text::append(text, arguments)),
         ...);
        text += ") -> ";
        text += outcome;
        on_call_(text);
    }

    [[noreturn]] void fail(Status status) const;
    [[noreturn]] void refuse(const char* function) const;
    void note(const char* function, Status status) {
        last_function_ = function;
        if (status == Status::error || status == Status::fatal) note_failure(status);
    }
    void note_failure(Status status);
    bool logs_calls() const { return static_cast<bool>(on_call_); }

    Library& library_;
    std::string name_;
    SharedBlock shared_name_;
    Version version_;
    std::shared_ptr<MessageSink> sink_;
    Registration registration_;
    std::function<void(const std::string&)> on_call_;
    const char* last_function_ = "";
    bool failed_ = false;
    bool fatal_ = false;
};

}  // namespace tandem::fmi
