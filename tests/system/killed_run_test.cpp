#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

#include "files/temporary_folder.hpp"
#include "support/program.hpp"
#include "support/result_files.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr int kills = 20;
constexpr double step = 1e-3;
// What may be lost is 1 s. The program flushes more often, so this leaves its threads some time to
// wait for a core and no more has to be allowed for.
constexpr double lost_at_most = 1.0;

/// Seconds of the clock that all processes share, as WallClock tells them.
double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// x' = 1, y = x, and the clock beside it, for ten minutes of real time: y = t but for rounding, as
// every solver is exact for a constant derivative.
const std::string system_text = R"([experiment]
stop = 600.0
step = 1e-3
[subsystems.clock]
source = ")" TANDEM_ODD_FMUS R"(/native/WallClock.so"
[subsystems.ramp]
source = ")" TANDEM_FMU_DIR R"(/LinearOde_fmi2.fmu"
kind = "cs"
parameters = { a = 0, u = 1 }
)";

/// One run of the program and the moment when it is to die.
struct Victim {
    TemporaryFolder folder;
    std::string results;
    pid_t process = 0;
    double moment = 0.0;  ///< after its results are begun
    double begun = 0.0, killed = 0.0, dead = 0.0;

    explicit Victim(const std::string& extension) : results(folder.path() / ("out" + extension)) {
        std::ofstream(folder.path() / "system.toml") << system_text;
    }
    void start() {
        process = test::start_tandem(folder.path(), {"run", "system.toml", "--realtime", "1",
                                                     "--quiet", "--output", results});
    }
    /// The kernel kills the child that runs the system as soon as its parent is dead.
    void kill() {
        pid_t child = 0;
        std::ifstream("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) +
                      "/children") >>
            child;
        pollfd end{static_cast<int>(syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
        killed = now();
        ::kill(process, SIGKILL);
        EXPECT_EQ(test::finish_tandem(process), 128 + SIGKILL) << "the run ended by itself";
        EXPECT_EQ(poll(&end, 1, 10'000), 1) << "the child lives on";
        dead = now();
        close(end.fd);
    }
};

void wait(double seconds) {
    // Nothing ever arrives: this waits for the moment.
    if (seconds > 0.0) poll(nullptr, 0, static_cast<int>(std::ceil(1e3 * seconds)));
}

class KilledRun : public ::testing::TestWithParam<const char*> {
protected:
    /// All at once, each in its own time.
    static void run_and_kill(std::vector<std::unique_ptr<Victim>>& victims) {
        std::vector<std::jthread> hands;
        for (const auto& victim : victims)
            hands.emplace_back([&] {
                victim->start();
                victim->begun = wait_for_beginning(*victim);
                wait(victim->moment);
                victim->kill();
            });
    }
    /// The file is there as soon as the system is loaded, before the first step.
    static double wait_for_beginning(const Victim& victim) {
        const double patience = now() + 300.0;  // a busy machine
        while (!fs::exists(victim.results) && now() < patience) wait(1e-3);
        EXPECT_TRUE(fs::exists(victim.results)) << "the run did not begin";
        return now();
    }
    static void expect_complete(const Victim& victim) {
        const std::vector<std::string> names = {"time", "clock.now", "ramp.y"};
        test::Table table = test::read_results(victim.results, names);
        ASSERT_EQ(table.size(), names.size()) << "the file cannot be read";
        const std::vector<double>& time = table["time"];
        for (const std::string& name : names) ASSERT_EQ(table[name].size(), time.size()) << name;
        for (std::size_t k = 0; k < time.size(); ++k) {
            ASSERT_EQ(time[k], static_cast<double>(k) * step);
            ASSERT_NEAR(table["ramp.y"][k], time[k], 1e-9);
        }
        const double last = time.empty() ? victim.begun : table["clock.now"].back();
        EXPECT_GT(last, victim.killed - lost_at_most);
        EXPECT_LE(last, victim.dead);
        // A run that went on for longer than what may be lost has left rows.
        EXPECT_TRUE(victim.moment < lost_at_most || !time.empty());
    }
};
INSTANTIATE_TEST_SUITE_P(Formats, KilledRun, ::testing::Values(".csv", ".mat", ".h5"),
                         [](const auto& format) { return std::string(format.param + 1); });

TEST_P(KilledRun, leaves_results_that_are_complete_up_to_one_second_before) {
    std::mt19937 random(4);
    // From before the first flush to well after the second that may be lost.
    std::uniform_real_distribution<double> moment(0.1, 2.5);
    std::vector<std::unique_ptr<Victim>> victims;
    for (int k = 0; k < kills; ++k) {
        victims.push_back(std::make_unique<Victim>(GetParam()));
        victims.back()->moment = moment(random);
    }
    run_and_kill(victims);
    for (const auto& victim : victims) {
        SCOPED_TRACE(victim->moment);
        expect_complete(*victim);
    }
}

}  // namespace
}  // namespace tandem
