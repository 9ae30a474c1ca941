#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <limits>
#include <new>
#include <random>

#include "support/result_files.hpp"
#include "support/scratch_file.hpp"
#include "tandem/extend/result_writer.hpp"

namespace tandem::results {
namespace {

using test::ScratchFile;

const std::vector<ResultColumn> columns = {{"a.count", "", "", ValueType::float64},
                                           {"a.twice", "", "", ValueType::float64},
                                           {"b.count", "", "", ValueType::int64}};

/// What a process that writes tells of itself, in memory that it shares with the test.
struct Told {
    std::atomic<std::uint64_t> written = 0, in_file = 0;
};

class SharedTold {
public:
    SharedTold()
        : told_(new (mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                          -1, 0)) Told) {}
    ~SharedTold() { munmap(told_, sizeof(Told)); }
    SharedTold(const SharedTold&) = delete;
    SharedTold& operator=(const SharedTold&) = delete;
    Told& operator*() const { return *told_; }
    Told* operator->() const { return told_; }

private:
    Told* told_;
};

/// Nothing ever arrives: others may go on.
void wait_a_little() { poll(nullptr, 0, 1); }

/// Writes that many rows, at most 20,000 of them ahead of the file, and waits for the end.
[[noreturn]] void write_rows(const std::string& path, std::uint64_t rows, Told& told) {
    const auto writer = make_result_writer(path);
    writer->begin(columns);
    for (;;) {
        told.in_file = writer->rows_in_file().load();
        const std::uint64_t k = told.written;
        if (k == rows || k > told.in_file + 20000) {
            wait_a_little();
            continue;
        }
        const auto value = static_cast<double>(k);
        const std::array<double, 2> reals = {value, 2.0 * value};
        const std::array<std::int64_t, 1> integers = {static_cast<std::int64_t>(k)};
        writer->write({value, reals, integers, {}});
        ++told.written;
    }
}

/// Runs such a process and kills it when `has_come`.
template <class Condition>
void write_and_kill(const std::string& path, std::uint64_t rows, Told& told,
                    const Condition& has_come) {
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        write_rows(path, rows, told);
    }
    while (!has_come()) wait_a_little();
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
}

/// Rows in the file, all of them whole.
std::size_t rows_of(const std::string& path) {
    test::Table table = test::read_results(path, {"time", "a.count", "a.twice", "b.count"});
    EXPECT_EQ(table.size(), 4U) << "the file cannot be read";
    const std::size_t rows = table["time"].size();
    for (const auto& [name, values] : table) {
        EXPECT_EQ(values.size(), rows) << name;
        for (std::size_t k = 0; k < std::min(rows, values.size()); ++k) {
            const double row = static_cast<double>(k);
            if (values[k] == (name == "a.twice" ? 2.0 * row : row)) continue;
            ADD_FAILURE() << name << " in row " << k << " is " << values[k];
            break;
        }
    }
    return rows;
}

constexpr auto endless = std::numeric_limits<std::uint64_t>::max();

class KilledWriter : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, KilledWriter, ::testing::Values(".csv", ".mat", ".h5"),
                         [](const auto& format) { return std::string(format.param + 1); });

TEST_P(KilledWriter, leaves_a_readable_file_with_all_the_rows_that_it_said_were_there) {
    std::mt19937 random(20);
    // From before the first flush to behind the third, and a few rows more.
    std::uniform_int_distribution<int> flushes(0, 3), rows_more(0, 2000);
    for (int run = 0; run < 10; ++run) {
        SCOPED_TRACE(run);
        const ScratchFile file(GetParam());
        const SharedTold told;
        std::uint64_t seen = 0, until = 0;
        int still = flushes(random);
        const auto more = static_cast<std::uint64_t>(rows_more(random));
        write_and_kill(file.path(), endless, *told, [&] {
            if (still > 0 && told->in_file > seen && --still >= 0) seen = told->in_file;
            if (still > 0) return false;
            if (until == 0) until = told->written + more;
            return told->written >= until;
        });
        const std::size_t rows = rows_of(file.path());
        EXPECT_GE(rows, told->in_file);
        EXPECT_LE(rows, told->written + 1);
    }
}

TEST_P(KilledWriter, has_every_row_in_the_file_soon_also_if_no_other_follows) {
    for (const std::uint64_t rows : {1U, 7U, 3000U}) {
        SCOPED_TRACE(rows);
        const ScratchFile file(GetParam());
        const SharedTold told;
        write_and_kill(file.path(), rows, *told, [&] { return told->in_file == rows; });
        EXPECT_EQ(rows_of(file.path()), rows);
    }
}

}  // namespace
}  // namespace tandem::results
