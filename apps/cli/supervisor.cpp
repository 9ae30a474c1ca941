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

#include "base/emergency_state.hpp"
#include "base/process_guard.hpp"
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

int work_in_order(const std::function<int()>& work) {
    install_signal_handlers();
    guard_process();
    const int code = work();
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
    fmt::print(stderr, "{} {}\n  hint: {}\n", Style(stderr).bad("error:"), sentence, death.hint);
    announce_end(sentence, death.is_interrupt);
}

int supervise() {
    forward_signals();
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : run_failed;
    const int code_of_work = emergency_state->code.load();
    if (WIFSIGNALED(status)) {
        const Death death = death_by(WTERMSIG(status));
        code = death.code;
        complain(death);
    } else if (!process_end().is_announced ||
               (code != code_of_work && *process_end().sentence == '\0')) {
        complain({fmt::format("exit code {}", code),
                  "exit and _exit are not for FMUs; ask its maker; the results so far are kept"});
        code = run_failed;
    }
    run_emergency_hooks_of_child();
    // Destructors of libraries that stay loaded run after the work: they make nothing better.
    return code_of_work != 0 ? code_of_work : code;
}

}  // namespace

int supervised(const std::function<int()>& work) {
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
