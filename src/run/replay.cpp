#include "run/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tandem::run {

std::string ReplayDifference::sentence(const std::string& subsystem) const {
    return fmt::format(
        "subsystem '{}' says that it can go back, but a step that it repeats gives {} = {} instead "
        "of {}",
        subsystem, output, second, first);
}

// A solver of our own starts afresh where it goes back to, so the first of the two steps does, too.
std::optional<ReplayDifference> replay_difference(System& system, int s, Interval interval) {
    Subsystem& subsystem = system.at(s);
    const InputCourse course{system.inputs_of(s)};
    const std::size_t size = system.outputs_of(s).size();
    std::vector<double> first(size), second(size);
    subsystem.save(StateSlot::trial);
    bool completes = true;
    for (std::vector<double>* outputs : {&first, &second}) {
        subsystem.restore(StateSlot::trial);
        completes =
            completes && static_cast<bool>(subsystem.exchange_step(course, interval, *outputs));
    }
    subsystem.restore(StateSlot::trial);
    subsystem.release(StateSlot::trial);
    for (std::size_t i = 0; completes && i < size; ++i) {
        const bool is_same =
            first[i] == second[i] || (std::isnan(first[i]) && std::isnan(second[i]));
        if (!is_same)
            return ReplayDifference{subsystem.interface().outputs[i].name, first[i], second[i]};
    }
    return {};
}

std::optional<double> own_error(System& system, int s, Interval interval) {
    Subsystem& subsystem = system.at(s);
    const InputCourse course{system.inputs_of(s)};
    std::vector<double> whole(system.outputs_of(s).size()), halves(whole.size());
    const double middle = interval.begin + 0.5 * interval.length();
    subsystem.save(StateSlot::trial);
    subsystem.restore(StateSlot::trial);
    bool completes = static_cast<bool>(subsystem.exchange_step(course, interval, whole));
    subsystem.restore(StateSlot::trial);
    for (const Interval half : {Interval{interval.begin, middle}, Interval{middle, interval.end}})
        completes = completes && static_cast<bool>(subsystem.exchange_step(course, half, halves));
    subsystem.restore(StateSlot::trial);
    subsystem.release(StateSlot::trial);
    if (!completes) return {};
    double largest = 0.0;
    for (std::size_t i = 0; i < whole.size(); ++i)
        largest =
            std::max(largest, std::abs(whole[i] - halves[i]) /
                                  (subsystem.interface().outputs[i].nominal + std::abs(halves[i])));
    return largest;
}

}  // namespace tandem::run
