#include "process/process_guard.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>

#include "base/listed.hpp"
#include "base/log.hpp"
#include "process/emergency_state.hpp"
#include "process/foreign_call.hpp"
#include "process/standard_streams.hpp"

namespace tandem {

std::atomic<int> process_checks_due{0};

namespace {

constexpr std::array crashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::array others = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};

std::mutex warnings_mutex;
Diagnostics warnings;

void warn(const std::string& instance, std::string problem, const char* hint) {
    const std::lock_guard lock(warnings_mutex);
    const bool is_known = std::ranges::any_of(warnings, [&](const Diagnostic& warning) {
        return warning.place == instance && warning.problem == problem;
    });
    if (is_known) return;
    log(LogLevel::warning, sentence(instance, problem, hint));
    warnings.push_back({Severity::warning, instance, std::move(problem), hint});
}

struct Action {
    int signal = 0;
    struct sigaction action {};
};

struct Remembered {
    std::string folder;
    std::vector<Action> actions;
    rlimit file_size{};
};
std::mutex check_mutex;
std::optional<Remembered> remembered;

// Of the first calls of a process, which take about 2 ms.
constexpr int first_checks = 1000;
int first_checks_left = 0;

/// Where a change was noticed. `is_exact`: there was nothing wrong before this call.
struct Noticed {
    std::string instance;
    const char* function;
    bool is_exact;

    std::string place() const { return is_exact ? instance : ""; }
    std::string problem(const std::string& change) const {
        return is_exact ? fmt::format("{}, in {}", change, function)
                        : fmt::format("{} by an FMU, noticed after {} of {}", change, function,
                                      instance);
    }
    void warn(const std::string& change, const char* hint) const {
        tandem::warn(place(), problem(change), hint);
    }
    /// There is no way back.
    [[noreturn]] void end(const std::string& change, const char* hint) const {
        tell_end(sentence(place(), problem(change), {}), hint);
        end_process(1);
    }
};

std::string working_folder() {
    std::array<char, PATH_MAX> buffer{};
    return getcwd(buffer.data(), buffer.size()) != nullptr ? buffer.data() : "";
}

void check_folder(const Noticed& noticed) {
    const std::string now = working_folder();
    if (remembered->folder.empty() || now == remembered->folder ||
        chdir(remembered->folder.c_str()) != 0)
        return;
    noticed.warn(fmt::format("the working folder was changed to {}", now),
                 "Tandem has gone back; ask the FMU's maker");
}

/// A run-time system inside an FMU may need its own handler of a crash; nobody needs none.
bool is_taken(const Action& wanted, const struct sigaction& now) {
    if (now.sa_handler == wanted.action.sa_handler) return false;
    const bool is_crash = std::ranges::find(crashes, wanted.signal) != crashes.end();
    return !is_crash || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN;
}

void check_handlers(const Noticed& noticed) {
    for (const Action& wanted : remembered->actions) {
        struct sigaction now {};
        if (sigaction(wanted.signal, nullptr, &now) != 0 || !is_taken(wanted, now)) continue;
        sigaction(wanted.signal, &wanted.action, nullptr);
        noticed.warn(fmt::format("the handler of SIG{} was changed", sigabbrev_np(wanted.signal)),
                     "Tandem has installed its own again; ask the FMU's maker");
    }
}

void check_limit(const Noticed& noticed) {
    rlimit now{};
    if (getrlimit(RLIMIT_FSIZE, &now) != 0 || now.rlim_cur >= remembered->file_size.rlim_cur)
        return;
    rlimit wanted = remembered->file_size;
    bool is_restored = setrlimit(RLIMIT_FSIZE, &wanted) == 0;
    if (!is_restored) {
        wanted = {std::min(wanted.rlim_cur, now.rlim_max), now.rlim_max};
        is_restored = setrlimit(RLIMIT_FSIZE, &wanted) == 0 &&
                      wanted.rlim_cur == remembered->file_size.rlim_cur;
        remembered->file_size = wanted;
    }
    noticed.warn(fmt::format("the largest size of files was limited to {} bytes", now.rlim_cur),
                 is_restored ? "Tandem has lifted the limit again; ask the FMU's maker"
                             : "results may end early; ask the FMU's maker");
}

std::string taken(const std::vector<std::string>& streams) {
    return listed(streams) + (streams.size() == 1 ? " was" : " were") + " closed or redirected";
}

void check_streams(const Noticed& noticed) {
    constexpr std::array names = {"standard input", "standard output", "standard error"};
    std::vector<std::string> restored, lost;
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
        const StreamState state = restore_standard_stream(descriptor);
        const char* name = names[static_cast<std::size_t>(descriptor)];
        if (state == StreamState::restored) restored.emplace_back(name);
        if (state == StreamState::lost) lost.emplace_back(name);
    }
    if (!lost.empty())
        noticed.end(taken(lost),
                    "nothing could be said or written there any more; the results so far are kept; "
                    "ask the FMU's maker");
    if (!restored.empty())
        noticed.warn(taken(restored), "Tandem has opened them again; ask the FMU's maker");
}

void check(const Noticed& noticed) {
    check_streams(noticed);
    check_folder(noticed);
    check_handlers(noticed);
    check_limit(noticed);
}

const char* changed_part(const FloatingPoint& before, const FloatingPoint& after) {
    const std::uint32_t changed = before.mxcsr ^ after.mxcsr;
    if ((changed & FloatingPoint::rounding) != 0)
        return "the rounding mode of floating-point arithmetic";
    if ((changed & FloatingPoint::trap_masks) != 0) return "which floating-point exceptions trap";
    if (changed != 0) return "flush-to-zero of denormal numbers";
    return "the control word of the x87 unit";
}

}  // namespace

void guard_process() {
    const std::lock_guard lock(check_mutex);
    remembered.emplace();
    remembered->folder = working_folder();
    const auto remember = [](int signal) {
        Action& action = remembered->actions.emplace_back(Action{signal});
        sigaction(signal, nullptr, &action.action);
    };
    std::ranges::for_each(crashes, remember);
    std::ranges::for_each(others, remember);
    getrlimit(RLIMIT_FSIZE, &remembered->file_size);
    remember_standard_streams();
    first_checks_left = first_checks;
    process_checks_due.store(first_checks);
}

void check_process(const std::string& instance, const char* function) {
    const std::lock_guard lock(check_mutex);
    if (!remembered) return;
    process_checks_due.fetch_sub(1);
    check({instance, function, first_checks_left > 0});
    if (first_checks_left > 0) --first_checks_left;
}

void check_process() {
    const ForeignCallView last = last_foreign_call();
    const std::lock_guard lock(check_mutex);
    if (remembered && last.instance != nullptr) check({last.instance, last.function, false});
}

void restore_floating_point(const FloatingPoint& before, const std::string& instance,
                            const char* function) {
    const FloatingPoint after = FloatingPoint::now();
    before.restore();
    warn(instance, fmt::format("{} changed {}", function, changed_part(before, after)),
         "Tandem has restored it; libraries compiled with -ffast-math do so when they are loaded");
}

Diagnostics process_warnings() {
    const std::lock_guard lock(warnings_mutex);
    return warnings;
}

}  // namespace tandem
