#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>

#include "run/result_writer.hpp"
#include "support/result_files.hpp"
#include "support/scratch_file.hpp"

namespace tandem::run {
namespace {

using test::ScratchFile;

/// Seconds of the clock that all processes share.
double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

const std::vector<ResultColumn> columns = {{"a.count", "", "", ValueType::float64},
                                           {"a.twice", "", "", ValueType::float64},
                                           {"b.count", "", "", ValueType::int64}};

/// Writes rows until the process dies. Their time is the clock, every 10 us one.
[[noreturn]] void write_endlessly(const std::string& path) {
    const auto writer = make_result_writer(path);
    writer->begin(columns);
    double next = 0.0;
    for (std::int64_t k = 0;; ++k) {
        while (now() < next) continue;
        const double t = now();
        next = t + 1e-5;
        const std::array<double, 2> reals = {static_cast<double>(k), 2.0 * static_cast<double>(k)};
        const std::array<std::int64_t, 1> integers = {k};
        writer->write({t, reals, integers, {}});
    }
}

struct Killed {
    double begun = 0.0;
    double killed = 0.0;
};

/// Runs a process that writes, kills it `seconds` after it began, and waits for its end.
Killed write_and_kill(const std::string& path, double seconds) {
    Killed times;
    const pid_t child = fork();
    if (child == 0) write_endlessly(path);
    times.begun = now();
    // Nothing ever arrives: this waits for the moment.
    poll(nullptr, 0, static_cast<int>(1e3 * seconds));
    times.killed = now();
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
    return times;
}

class KilledWriter : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, KilledWriter, ::testing::Values(".csv", ".mat", ".h5"),
                         [](const auto& format) { return std::string(format.param + 1); });

TEST_P(KilledWriter, LeavesAReadableFileThatIsCompleteUpToOneSecondBefore) {
    std::mt19937 random(20);
    // From before the first flush to well after the second that may be lost.
    std::uniform_real_distribution<double> moment(0.1, 1.6);
    for (int run = 0; run < 20; ++run) {
        SCOPED_TRACE(run);
        const ScratchFile file(GetParam());
        const Killed times = write_and_kill(file.path(), moment(random));
        test::Table table =
            test::read_results(file.path(), {"time", "a.count", "a.twice", "b.count"});
        ASSERT_EQ(table.size(), 4U) << "the file cannot be read";
        const std::vector<double>& time = table["time"];
        for (const auto& [name, values] : table) ASSERT_EQ(values.size(), time.size()) << name;
        for (std::size_t k = 0; k < time.size(); ++k) {
            ASSERT_EQ(table["a.count"][k], static_cast<double>(k));
            ASSERT_EQ(table["a.twice"][k], 2.0 * static_cast<double>(k));
            ASSERT_EQ(table["b.count"][k], static_cast<double>(k));
        }
        const double last = time.empty() ? times.begun : time.back();
        ASSERT_GT(last, times.killed - 1.0);
    }
}

}  // namespace
}  // namespace tandem::run
