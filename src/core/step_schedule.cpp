#include "tandem/extend/step_schedule.hpp"

#include <algorithm>

#include "tandem/extend/index.hpp"

namespace tandem {

/// Each subsystem is one, and what it shares with others comes behind them.
std::vector<int> StepSchedule::resources_of(std::span<const int> subsystems, int size,
                                            bool carries) const {
    std::vector<int> resources;
    const auto add = [&](int s) {
        resources.push_back(s);
        if (shared_.empty()) return;
        for (const int one : shared_[index(s)]) resources.push_back(size + one);
    };
    for (const int s : subsystems) {
        add(s);
        for (const auto& [from, to] : other_flows_)
            if (carries && to == s) add(from);
    }
    std::ranges::sort(resources);
    const auto repeated = std::ranges::unique(resources);
    resources.erase(repeated.begin(), repeated.end());
    return resources;
}

}  // namespace tandem
