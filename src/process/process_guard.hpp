#pragma once

#include <atomic>
#include <string>

#include "base/floating_point.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// What all FMUs share with the program and may change behind its back: the working folder, the
/// handlers of signals, the limit of file sizes, standard input, output and error. Remembers what
/// they are now; check_process() restores them from now on.
void guard_process();
/// After a call of an FMU. Costs a few system calls. A change becomes a warning: it names the FMU
/// if every call so far was followed by a check, and else the call after which it was noticed.
void check_process(const std::string& instance, const char* function);
/// The same before files are written.
void check_process();
/// How many of the next calls are to be followed by check_process(): the first ones of a process,
/// and one more whenever a clock asks for it.
extern std::atomic<int> process_checks_due;

/// Restores how this thread computes, with a warning that names the call.
void restore_floating_point(const FloatingPoint& before, const std::string& instance,
                            const char* function);

/// While it lives, foreign code runs; afterwards this thread computes as it did before.
class ArithmeticGuard {
public:
    ArithmeticGuard(const std::string& instance, const char* function)
        : instance_(instance), function_(function) {}
    ~ArithmeticGuard() {
        if (!(FloatingPoint::now() == before_)) [[unlikely]]
            restore_floating_point(before_, instance_, function_);
    }
    ArithmeticGuard(const ArithmeticGuard&) = delete;
    ArithmeticGuard& operator=(const ArithmeticGuard&) = delete;

private:
    const std::string& instance_;
    const char* function_;
    FloatingPoint before_ = FloatingPoint::now();
};

/// The warnings so far, each once for an instance. They have been logged.
Diagnostics process_warnings();

}  // namespace tandem
