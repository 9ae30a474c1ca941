#include "supervisor.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "process/emergency_state.hpp"
#include "process/process_guard.hpp"
#include "process/standard_streams.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

pid_t child = 0;

/// A debugger would follow the wrong process.
bool is_traced() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("TracerPid:"))
            return line.find_first_of("123456789") != std::string::npos;
    return false;
}

/// What the terminal sends comes to the child by itself: it is in the same process group.
void forward(int signal, siginfo_t* info, void*) {
    if (info->si_code <= 0) kill(child, signal);
}

void forward_signals() {
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaction(signal, &action, nullptr);
}

/// What is printed must be out before code of libraries runs that stay loaded: it can end the
/// process. A reader that wants no more is fine.
int code_after_printing(int code) {
    if (std::fflush(stdout) == 0 || errno == EPIPE || code != fine) return code;
    say("{} standard output: cannot be written: {}\n", Style(stderr).bad("error:"),
        std::strerror(errno));
    return run_failed;
}

int work_in_order(const std::function<int()>& work) {
    install_signal_handlers();
    guard_process();
    const int code = code_after_printing(work());
    emergency_state->code.store(code);
    announce_end();
    return code;
}

/// "engine: the process ended in DoStep (exit code 0)"
std::string sentence_of(const std::string& how) {
    if (const ForeignCallView call = any_foreign_call(); call.instance != nullptr)
        return fmt::format("{}: the process ended in {} ({})", printable(call.instance),
                           call.function, how);
    if (const ForeignCallView last = last_foreign_call(); last.instance != nullptr)
        return fmt::format("the process ended ({}); the last call was {} of {}", how, last.function,
                           printable(last.instance));
    return fmt::format("the process ended ({})", how);
}

struct Death {
    std::string how;
    std::string hint;
    int code = run_failed;
    bool is_interrupt = false;
};

Death death_by(int signal) {
    const std::string how = fmt::format("SIG{}", sigabbrev_np(signal));
    switch (signal) {
        case SIGINT:
        case SIGTERM:
        case SIGHUP: return {how, "the results so far are kept", 128 + signal, true};
        case SIGKILL:
            return {how,
                    "somebody killed the process, or memory ran out; the results so far are kept",
                    128 + signal};
        default:
            return {how, "the fault is inside the FMU; ask its maker; the results so far are kept"};
    }
}

void complain(const Death& death) {
    const std::string sentence = sentence_of(death.how);
    say("{} {}\n  hint: {}\n", Style(stderr).bad("error:"), sentence, death.hint);
    announce_end(sentence, death.is_interrupt);
}

/// What the child announced and had nowhere to say.
void say_for_child() {
    if (const char* hint = emergency_state->unsaid_hint.load())
        say("{} {}\n  hint: {}\n", Style(stderr).bad("error:"), printable(process_end().sentence),
            hint);
}

/// Code of libraries that stay loaded runs when the process exits. Whatever it does, the work is
/// done, and its exit code stands.
void warn_of_end_after_work(int status) {
    if (*process_end().sentence != '\0') return;  // the child has said it
    const std::string how = WIFSIGNALED(status) ? death_by(WTERMSIG(status)).how
                                                : fmt::format("exit code {}", WEXITSTATUS(status));
    say("{} {}\n  hint: {}\n", Style(stderr).doubtful("warning:"), sentence_of(how),
        "everything was complete and written before; ask the maker of the FMU or library");
}

/// Sanitizers judge our own code when the process exits, and end it with these codes.
bool is_judged_by_sanitizer(int status) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr int of_leaks = 23, of_races = 66;
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == of_leaks || WEXITSTATUS(status) == of_races);
#else
    static_cast<void>(status);
    return false;
#endif
}

int code_after_death(int status) {
    if (WIFSIGNALED(status)) {
        const Death death = death_by(WTERMSIG(status));
        complain(death);
        return death.code;
    }
    const int code = WEXITSTATUS(status);
    if (process_end().is_announced && *process_end().sentence != '\0') return code;
    complain({fmt::format("exit code {}", code),
              "exit and _exit are not for FMUs; ask its maker; the results so far are kept"});
    return run_failed;
}

int code_of_child(int status) {
    if (!work_is_done()) return code_after_death(status);
    const int code = emergency_state->code.load();
    if (WIFEXITED(status) && WEXITSTATUS(status) == code) return code;
    warn_of_end_after_work(status);
    return code == fine && is_judged_by_sanitizer(status) ? static_cast<int>(run_failed) : code;
}

int supervise() {
    forward_signals();
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    say_for_child();
    const int code = code_of_child(status);
    run_emergency_hooks_of_child();
    return code;
}

}  // namespace

int supervised(const std::function<int()>& work) {
    fill_standard_streams();
    share_emergency_with_children();
    const pid_t parent = getpid();
    child = is_traced() ? -1 : fork();
    if (child < 0) return work_in_order(work);
    if (child > 0) _exit(supervise());
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(run_failed);  // it died before it could be asked for
    expect_forwarded_signals();
    return work_in_order(work);
}

}  // namespace tandem::cli
