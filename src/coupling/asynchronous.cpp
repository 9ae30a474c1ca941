#include "coupling/asynchronous.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::coupling {
namespace {

constexpr double rounding = 1e-9;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void Asynchronous::prepare(System& /*system*/) { length_ = 0.0; }

Interval Asynchronous::interval_of(const Step& step, Interval whole) const {
    const int ratio = this->ratio(step.subsystem);
    const auto point = [&](int k) {
        return k == ratio ? whole.end : whole.begin + whole.length() * k / ratio;
    };
    return {point(step.number), point(step.number + 1)};
}

/// Steps are numbered by their ends: what one waits for ends before it does, if no step is longer
/// than half of the delay.
void Asynchronous::plan(System& system, double length) {
    length_ = length;
    steps_.clear();
    std::vector<std::vector<int>> resources;
    for (int s = 0; s < system.size(); ++s)
        for (int k = 0; k < ratio(s); ++k) steps_.push_back({s, k});
    const auto end_of = [&](const Step& step) { return interval_of(step, {0.0, length}).end; };
    std::ranges::stable_sort(steps_, {}, end_of);
    std::vector<std::vector<int>> task_of(at(system.size()));
    for (int task = 0; task < static_cast<int>(steps_.size()); ++task) {
        task_of[at(steps_[at(task)].subsystem)].push_back(task);
        resources.push_back(system.resources_of(std::span(&steps_[at(task)].subsystem, 1), false));
    }
    std::vector<std::pair<int, int>> edges;
    for (const auto& tasks : task_of)
        for (std::size_t k = 1; k < tasks.size(); ++k) edges.emplace_back(tasks[k - 1], tasks[k]);
    for (const System::DelayedFlow& flow : system.delayed_flows())
        for (const int task : task_of[at(flow.to)]) {
            const double needed = end_of(steps_[at(task)]) - flow.delay;
            const double step = length / ratio(flow.from);
            const int number = static_cast<int>(std::ceil(needed / step - rounding)) - 1;
            if (number >= 0 && flow.from != flow.to)
                edges.emplace_back(task_of[at(flow.from)][at(number)], task);
        }
    graph_ = system.executor().prepare(
        TaskGraph(static_cast<int>(steps_.size()), std::move(edges), resources));
    results_.resize(steps_.size());
}

StepResult Asynchronous::advance(System& system, Interval interval) {
    if (std::abs(interval.length() - length_) > rounding * interval.length())
        plan(system, interval.length());
    const int failed = system.executor().run(graph_, [&](int task) {
        const Step& step = steps_[at(task)];
        results_[at(task)] = system.step(step.subsystem, interval_of(step, interval),
                                         {.values = system.inputs_of(step.subsystem)});
        return static_cast<bool>(results_[at(task)]);
    });
    if (failed == Executor::all_done) return {Outcome::complete, interval.end};
    system.note_stopped(steps_[at(failed)].subsystem);
    return results_[at(failed)];
}

}  // namespace tandem::coupling
