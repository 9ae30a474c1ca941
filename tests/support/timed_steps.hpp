#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <memory>
#include <string>

#include "files/temporary_folder.hpp"
#include "run/system_run.hpp"

namespace tandem::test {

/// A system that steps on and on, without results.
class TimedSystem {
public:
    TimedSystem(const std::string& text, int threads, exec::Use use = exec::Use::where_it_helps) {
        const std::string file = folder_.path() / "system.toml";
        std::ofstream(file) << text;
        run::SystemRunOptions options;
        options.file = file;
        options.results = false;
        options.unlimited = true;
        options.threads = threads;
        options.use_of_threads = use;
        run_ = std::make_unique<run::SystemRun>(options);
        run_->initialise();
    }
    double seconds(int steps) {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point begin = Clock::now();
        for (int k = 0; k < steps; ++k) run_->step();
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }
    double share_of_threads() const { return run_->record().threads.share; }

private:
    TemporaryFolder folder_;
    std::unique_ptr<run::SystemRun> run_;
};

/// How many steps are timed together, and how often.
struct Rounds {
    int steps = 20;
    int warm_up = 200;  ///< steps before the first round
    int count = 50;
};

/// Seconds of a step of each system in its fastest round. The two alternate, so that whatever else
/// the machine does concerns both.
struct StepTimes {
    double first = std::numeric_limits<double>::infinity();
    double second = first;

    StepTimes() = default;
    StepTimes(TimedSystem& one, TimedSystem& two, const Rounds& rounds) {
        one.seconds(rounds.warm_up), two.seconds(rounds.warm_up);
        for (int round = 0; round < rounds.count; ++round) {
            first = std::min(first, one.seconds(rounds.steps) / rounds.steps);
            second = std::min(second, two.seconds(rounds.steps) / rounds.steps);
        }
    }
    double ratio() const { return first / second; }
};

/// `source` of BusyLag, and how much it has to do.
inline std::string busy_lag(const std::string& name, int work) {
    return fmt::format(
        "[subsystems.{}]\nsource = \"{}/BusyLag_fmi2.fmu\"\nkind = \"cs\"\n"
        "parameters = {{ u = 1, work = {} }}\n",
        name, TANDEM_FMU_DIR, work);
}

/// Two that feed each other; a step of each takes about 100 us.
inline std::string two_heavy_subsystems() {
    return "connections = [\"a.y -> b.u\", \"b.y -> a.u\"]\n[experiment]\nstep = 0.001\n"
           "[coupling]\nmethod = \"jacobi\"\n" +
           busy_lag("a", 33000) + busy_lag("b", 33000);
}

/// s1 -> s2, perhaps beside s3.
inline std::string chain_of_two(bool beside_a_third) {
    return "connections = [\"s1.y -> s2.u\"]\n[experiment]\nstep = 0.001\n"
           "[coupling]\nmethod = \"gauss_seidel\"\n" +
           busy_lag("s1", 30000) + busy_lag("s2", 20000) +
           (beside_a_third ? busy_lag("s3", 40000) : "");
}

/// Oscillators whose steps take less than a microsecond.
inline std::string ring_of_cheap_subsystems(int size) {
    std::string text = "connections = [\n";
    for (int i = 0; i < size; ++i) {
        const int next = (i + 1) % size;
        text += fmt::format(
            "\"o{0}.x -> o{1}.x_left\", \"o{0}.v -> o{1}.v_left\", \"o{1}.x -> o{0}.x_right\", "
            "\"o{1}.v -> o{0}.v_right\",\n",
            i, next);
    }
    text += "]\n[experiment]\nstep = 0.001\n[coupling]\nmethod = \"jacobi\"\n";
    for (int i = 0; i < size; ++i)
        text +=
            fmt::format("[subsystems.o{}]\nsource = \"{}/Oscillator_fmi2.fmu\"\nkind = \"cs\"\n", i,
                        TANDEM_FMU_DIR);
    return text;
}

}  // namespace tandem::test
