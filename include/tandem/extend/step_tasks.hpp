#pragma once

#include <span>
#include <vector>

#include "tandem/extend/system.hpp"

namespace tandem::coupling {

/// What the task that steps a subsystem reads of others before it does.
enum class Reads {
    nothing,  ///< its inputs are set already
    outputs,  ///< what links and functions take
    all,      ///< the same, and what is carried beside the links
};

/// One task for each of `steps`, which are sets of subsystems in the order in which they step one
/// after the other. Two tasks keep this order where one reads what the other changes, before it or
/// after it, or where they share something.
TaskGraph step_tasks(const System& system, std::span<const std::vector<int>> steps, Reads reads);

/// Steps all subsystems at once, each with its own course.
class StepsAtOnce {
public:
    void prepare(System& system);
    /// `course_of(s)` is called on the thread that steps s.
    template <class CourseOf>
    StepResult step(System& system, Interval interval, CourseOf course_of) {
        const auto one = [&](int s) {
            StepResult& result = results_[static_cast<std::size_t>(s)];
            result = system.step(s, interval, course_of(s));
            return static_cast<bool>(result);
        };
        const int stopped = system.schedule().executor().run(tasks_, one);
        if (stopped == Executor::all_done) return {Outcome::complete, interval.end};
        system.note_stopped(stopped);
        return results_[static_cast<std::size_t>(stopped)];
    }

private:
    int tasks_ = 0;
    std::vector<StepResult> results_;
};

}  // namespace tandem::coupling
