#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <tandem/model.hpp>
#include <thread>

#include "doom.hpp"

enum class Deed {
    none = 1,
    exit_0,
    exit_7,
    quick_exit,
    exit_at_once,
    end_thread,
    forget_handlers,
    user_signal,
    cpu_signal,
    quit_signal,
    crash_in_thread,
    overwrite_heap,
    limit_files,
    fork,
    close_files,
    change_folder,
    round_upward,
    flush_to_zero,
    trap,
    divide,
    close_streams,
    close_all_files,
    close_everything
};

const DoomOfLibrary of_library;

/// x' = 1, until at a chosen time it does something to the process that is not its own.
class Unruly : public tandem::Model {
public:
    const tandem::Attributes deeds{.description = "what happens at the time `at`",
                                   .enumeration = "Deed",
                                   .literals = {{"none", 1, ""},
                                                {"exit_0", 2, ""},
                                                {"exit_7", 3, ""},
                                                {"quick_exit", 4, ""},
                                                {"exit_at_once", 5, "_exit(0)"},
                                                {"end_thread", 6, "pthread_exit()"},
                                                {"forget_handlers", 7, "and crash"},
                                                {"user_signal", 8, "SIGUSR1"},
                                                {"cpu_signal", 9, "SIGXCPU"},
                                                {"quit_signal", 10, "SIGQUIT"},
                                                {"crash_in_thread", 11, ""},
                                                {"overwrite_heap", 12, ""},
                                                {"limit_files", 13, "RLIMIT_FSIZE"},
                                                {"fork", 14, "and return twice"},
                                                {"close_files", 15, "of others"},
                                                {"change_folder", 16, "to /"},
                                                {"round_upward", 17, ""},
                                                {"flush_to_zero", 18, ""},
                                                {"trap", 19, "floating-point exceptions"},
                                                {"divide", 20, "by 0: no harm without a trap"},
                                                {"close_streams", 21, "0 to 2"},
                                                {"close_all_files", 22, "from 3 on"},
                                                {"close_everything", 23, "from 0 on"}}};
    Parameter<Deed> deed{*this, "deed", Deed::none, deeds};
    Parameter<double> at{*this, "at", 0.45, {.unit = "s", .description = "time of the deed"}};
    State x{*this, "x", 0.0, {.description = "grows with time", .output = true}};

    Unruly() { doom("instantiate"); }
    ~Unruly() override { doom("free"); }
    void initialise() override { doom("initialise"); }
    void derivatives() override {
        x.der = 1.0;
        if (time() < at || is_done_) return;
        is_done_ = true;
        misbehave();
    }

private:
    void misbehave() {
        switch (deed.value()) {
            case Deed::none: return;
            case Deed::exit_0: std::exit(0);
            case Deed::exit_7: std::exit(7);
            case Deed::quick_exit: std::quick_exit(0);
            case Deed::exit_at_once: _exit(0);
            case Deed::end_thread: pthread_exit(nullptr);
            case Deed::forget_handlers:
                std::signal(SIGSEGV, SIG_DFL);
                crash();
                return;
            case Deed::user_signal: std::raise(SIGUSR1); return;
            case Deed::cpu_signal: std::raise(SIGXCPU); return;
            case Deed::quit_signal: std::raise(SIGQUIT); return;
            case Deed::crash_in_thread: std::thread(crash).join(); return;
            case Deed::overwrite_heap: overwrite_heap(); return;
            case Deed::limit_files: limit_files(); return;
            case Deed::fork: static_cast<void>(::fork()); return;
            case Deed::close_files:
                for (int file = 3; file < 256; ++file) ::close(file);
                return;
            case Deed::change_folder: static_cast<void>(!::chdir("/")); return;
            case Deed::round_upward: std::fesetround(FE_UPWARD); return;
            case Deed::flush_to_zero: _mm_setcsr(_mm_getcsr() | 0x8040U); return;
            case Deed::trap: feenableexcept(FE_DIVBYZERO | FE_INVALID); return;
            case Deed::divide: divide(); return;
            case Deed::close_streams:
                for (int file = 0; file < 3; ++file) ::close(file);
                return;
            case Deed::close_all_files: ::closefrom(3); return;
            case Deed::close_everything: ::closefrom(0); return;
        }
    }
    /// Nobody is to notice it before it happens.
    __attribute__((no_sanitize("undefined"))) static void crash() {
        volatile int* volatile nowhere = nullptr;
        *nowhere = 1;
    }
    static void divide() {
        volatile double zero = 0.0;
        zero = 1.0 / zero;
    }
    /// The allocator finds it at the next opportunity.
    static void overwrite_heap() {
        for (int k = 0; k < 100; ++k) {
            auto* block = static_cast<char*>(std::malloc(24));
            volatile std::size_t size = 160;
            std::memset(block, 0x5A, size);
        }
    }
    static void limit_files() {
        rlimit limit{};
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = 0;
        setrlimit(RLIMIT_FSIZE, &limit);
    }

    bool is_done_ = false;
};

TANDEM_MODEL(Unruly, {.description = "Does something to the whole process at a chosen time",
                      .stop = 1.0,
                      .step_size = 0.1})
