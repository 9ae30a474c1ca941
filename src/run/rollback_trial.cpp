#include "run/rollback_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tandem::run {

std::string ReplayDifference::sentence(const std::string& subsystem) const {
    return fmt::format(
        "subsystem '{}' says that it can go back, but {} gives {} = {} instead of "
        "{} (a relative difference of {:.2g})",
        subsystem, what, variable, second, first, size);
}

RealValues::RealValues(Subsystem& subsystem, Compared compared) : subsystem_(subsystem) {
    const std::vector<VariableInfo>& list = subsystem.variables().list();
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const bool is_fixed = list[i].is_input || list[i].is_parameter;
        if (list[i].type != ValueType::float64 || is_fixed) continue;
        if (compared == Compared::outputs && !list[i].is_output) continue;
        chosen.push_back(i);
        for (std::size_t k = 0; k < list[i].size; ++k)
            names_.push_back(list[i].size == 1 ? list[i].name
                                               : fmt::format("{}[{}]", list[i].name, k + 1));
    }
    group_ = subsystem.variables().group(chosen);
    values_.resize(ValueType::float64, group_.size);
}

void RealValues::read(std::vector<double>& values) {
    if (group_.size > 0) subsystem_.variables().observe(group_, values_);
    values = values_.reals;
}

std::optional<ReplayDifference> difference(const std::vector<std::string>& names,
                                           std::span<const double> first,
                                           std::span<const double> second) {
    std::optional<ReplayDifference> largest;
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] == second[i] || (std::isnan(first[i]) && std::isnan(second[i]))) continue;
        const double size = std::abs(second[i] - first[i]) / (1.0 + std::abs(first[i]));
        if (!largest || !(size <= largest->size))
            largest = {{}, names[i], first[i], second[i], size};
    }
    return largest;
}

namespace {

/// Steps of one subsystem with the inputs that it has, and its values after each.
class Repeater {
public:
    Repeater(System& system, int s, Compared compared)
        : subsystem_(system.at(s)),
          course_{system.inputs_of(s)},
          outputs_(system.outputs_of(s).size()),
          reals_(subsystem_, compared) {}

    void back() { subsystem_.restore(StateSlot::trial); }
    bool step(Interval interval, std::vector<double>& values) {
        if (!subsystem_.exchange_step(course_, interval, outputs_)) return false;
        reals_.read(values);
        return true;
    }
    /// A solver of our own starts afresh where it goes back to, so the first of the steps does,
    /// too.
    void save() {
        subsystem_.save(StateSlot::trial);
        back();
    }
    void finish() {
        back();
        subsystem_.release(StateSlot::trial);
    }
    RealValues& reals() { return reals_; }

private:
    Subsystem& subsystem_;
    InputCourse course_;
    std::vector<double> outputs_;
    RealValues reals_;
};

void compare(const char* what, std::span<const double> first, std::span<const double> second,
             RollbackTrial& trial) {
    if (trial.difference) return;
    trial.difference = difference(trial.names, first, second);
    if (trial.difference) trial.difference->what = what;
}

}  // namespace

RollbackTrial try_rollback(System& system, int s, const RollbackSteps& steps) {
    RollbackTrial trial;
    Repeater repeater(system, s, steps.compared);
    trial.names = repeater.reals().names();
    std::vector<double> before, after_two, again;
    repeater.reals().read(before);
    repeater.save();
    if (repeater.step(steps.first, trial.after_step)) {
        trial.has_moved = difference(trial.names, before, trial.after_step).has_value();
        const bool goes_on = steps.second && repeater.step(*steps.second, after_two);
        for (const char* what : {"a step that it repeats", "a step that it repeats once more"}) {
            repeater.back();
            if (repeater.step(steps.first, again)) compare(what, trial.after_step, again, trial);
        }
        if (goes_on && repeater.step(*steps.second, again))
            compare("going back over two steps", after_two, again, trial);
    }
    repeater.finish();
    return trial;
}

std::optional<double> own_error(System& system, int s, Interval interval) {
    Subsystem& subsystem = system.at(s);
    const Interface& interface = subsystem.interface();
    const auto now = system.inputs_of(s);
    // Inputs that stand still leave many solvers nothing to err in.
    const int order = std::min(interface.capabilities.input_derivatives, 1);
    std::vector<double> values(now.size()), slopes;
    for (const Port& input : interface.inputs)
        if (order > 0) slopes.push_back(input.nominal / interval.length());
    const auto course = [&](double begin) {
        for (std::size_t i = 0; i < now.size(); ++i)
            values[i] = now[i] + (order > 0 ? slopes[i] * (begin - interval.begin) : 0.0);
        return InputCourse{values, slopes, order};
    };
    std::vector<double> whole(system.outputs_of(s).size()), halves(whole.size());
    const double middle = interval.begin + 0.5 * interval.length();
    subsystem.save(StateSlot::trial);
    subsystem.restore(StateSlot::trial);
    bool completes =
        static_cast<bool>(subsystem.exchange_step(course(interval.begin), interval, whole));
    subsystem.restore(StateSlot::trial);
    for (const Interval half : {Interval{interval.begin, middle}, Interval{middle, interval.end}})
        completes = completes &&
                    static_cast<bool>(subsystem.exchange_step(course(half.begin), half, halves));
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
