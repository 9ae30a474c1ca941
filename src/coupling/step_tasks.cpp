#include "tandem/extend/step_tasks.hpp"

#include <algorithm>

namespace tandem::coupling {

TaskGraph step_tasks(const System& system, std::span<const std::vector<int>> steps, Reads reads) {
    const auto index = [](int i) { return static_cast<std::size_t>(i); };
    const int size = static_cast<int>(steps.size());
    std::vector<std::vector<int>> resources;
    std::vector<int> task_of(index(system.size()), -1);
    for (int task = 0; task < size; ++task) {
        resources.push_back(
            system.schedule().resources_of(steps[index(task)], system.size(), reads == Reads::all));
        for (const int s : steps[index(task)]) task_of[index(s)] = task;
    }
    std::vector<std::pair<int, int>> edges;
    const numerics::Graph graph =
        reads == Reads::all ? system.flow_graph() : system.subsystem_graph();
    for (int s = 0; reads != Reads::nothing && s < system.size(); ++s)
        for (const int fed : graph.successors(s)) {
            const auto [earlier, later] = std::minmax(task_of[index(s)], task_of[index(fed)]);
            if (earlier >= 0 && earlier != later) edges.emplace_back(earlier, later);
        }
    return {size, std::move(edges), resources};
}

void StepsAtOnce::prepare(System& system) {
    std::vector<std::vector<int>> steps;
    for (int s = 0; s < system.size(); ++s) steps.push_back({s});
    tasks_ = system.schedule().executor().prepare(step_tasks(system, steps, Reads::nothing));
    results_.resize(steps.size());
}

}  // namespace tandem::coupling
