#include "coupling/explicit/asynchronous.hpp"

#include <algorithm>
#include <cmath>

#include "tandem/extend/index.hpp"

namespace tandem::coupling {
namespace {

constexpr double rounding = 1e-9;

}  // namespace

void Asynchronous::prepare(System& system, double longest_step) {
    planned_ = 0.0;
    if (longest_step > 0.0) plan(system, longest_step);
}

Interval Asynchronous::interval_of(const Step& step, Interval whole) const {
    const int ratio = this->ratio(step.subsystem);
    const auto point = [&](int k) {
        return k == ratio ? whole.end : whole.begin + whole.length() * k / ratio;
    };
    return {point(step.number), point(step.number + 1)};
}

/// Steps are numbered by their ends: what one waits for ends before it does, if no step is longer
/// than the delay.
///
/// In macro steps of length H, with r steps of a subsystem in each, step k of `to` waits for the
/// first ceil((k + 1) r_from / r_to - r_from delay / H) steps of `from`. This number only goes down
/// where H is shorter.
void Asynchronous::plan(System& system, double length) {
    planned_ = length;
    steps_.clear();
    for (int s = 0; s < system.size(); ++s)
        for (int k = 0; k < ratio(s); ++k) steps_.push_back({s, k});
    // In macro steps.
    const auto end_of = [&](const Step& step) {
        return static_cast<double>(step.number + 1) / ratio(step.subsystem);
    };
    std::ranges::stable_sort(steps_, {}, end_of);
    std::vector<std::vector<int>> task_of(index(system.size())), resources;
    for (int task = 0; task < static_cast<int>(steps_.size()); ++task) {
        task_of[index(steps_[index(task)].subsystem)].push_back(task);
        resources.push_back(system.schedule().resources_of(
            std::span(&steps_[index(task)].subsystem, 1), system.size(), false));
    }
    std::vector<std::pair<int, int>> edges;
    for (const auto& tasks : task_of)
        for (std::size_t k = 1; k < tasks.size(); ++k) edges.emplace_back(tasks[k - 1], tasks[k]);
    for (const DelayedFlow& flow : system.schedule().delayed_flows())
        for (const int task : task_of[index(flow.to)]) {
            const double needed = end_of(steps_[index(task)]) - flow.delay / length;
            const int count = static_cast<int>(std::ceil(needed * ratio(flow.from) - rounding));
            if (count > 0 && flow.from != flow.to)
                edges.emplace_back(task_of[index(flow.from)][index(count - 1)], task);
        }
    graph_ = system.schedule().executor().prepare(
        TaskGraph(static_cast<int>(steps_.size()), std::move(edges), resources));
    results_.resize(steps_.size());
}

StepResult Asynchronous::advance(System& system, Interval interval) {
    if (interval.length() > planned_ * (1.0 + rounding)) plan(system, interval.length());
    const int failed = system.schedule().executor().run(graph_, [&](int task) {
        const Step& step = steps_[index(task)];
        const Interval own = interval_of(step, interval);
        system.route_to(step.subsystem, own.begin);
        results_[index(task)] =
            system.step(step.subsystem, own, {.values = system.inputs_of(step.subsystem)});
        return static_cast<bool>(results_[index(task)]);
    });
    if (failed == Executor::all_done) return {Outcome::complete, interval.end};
    system.note_stopped(steps_[index(failed)].subsystem);
    return results_[index(failed)];
}

}  // namespace tandem::coupling
