// What threads do: two equal heavy FMUs, a chain of two beside a third (which should take as long
// as the chain alone), and a ring of FMUs that are too cheap to be shared out. The systems
// alternate, and of each the fastest of several rounds counts.
//
//   parallel_benchmark

#include <fmt/format.h>

#include "support/timed_steps.hpp"

namespace tandem {
namespace {

using test::StepTimes;
using test::TimedSystem;

void show(const char* what, const StepTimes& times, double share, double ratio) {
    fmt::print("{:<44} {:>9.1f} {:>9.1f} {:>7.3f} {:>6.0f} %\n", what, 1e6 * times.first,
               1e6 * times.second, ratio, 100.0 * share);
}

void compare() {
    fmt::print("{:<44} {:>9} {:>9} {:>7} {:>8}\n", "us per step", "first", "second", "ratio",
               "threads");
    {
        TimedSystem serial(test::two_heavy_subsystems(), 1);
        TimedSystem parallel(test::two_heavy_subsystems(), 2);
        const StepTimes times(serial, parallel, {.count = 200});
        show("two heavy FMUs: 1 thread, 2 threads", times, parallel.share_of_threads(),
             times.ratio());
    }
    {
        TimedSystem together(test::chain_of_two(true), 2);
        TimedSystem branch(test::chain_of_two(false), 1);
        const StepTimes times(together, branch, {.count = 200});
        show("s1 -> s2 beside s3 on 2, s1 -> s2 on 1", times, together.share_of_threads(),
             times.ratio());
    }
    {
        TimedSystem allowed(test::ring_of_cheap_subsystems(100), 2);
        TimedSystem serial(test::ring_of_cheap_subsystems(100), 1);
        const StepTimes times(allowed, serial, {.steps = 50, .count = 200});
        show("ring of 100 cheap FMUs: 2 threads, 1 thread", times, allowed.share_of_threads(),
             times.ratio());
    }
}

}  // namespace
}  // namespace tandem

int main() { tandem::compare(); }
