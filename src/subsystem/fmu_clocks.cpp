#include "subsystem/fmu_clocks.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::subsystem {
namespace {

bool is_told_by_fmu(const fmi::ClockAttributes& clock) {
    return clock.interval_variability == "tunable" || clock.interval_variability == "changing" ||
           clock.interval_variability == "countdown";
}

std::optional<double> fraction(std::optional<std::uint64_t> counter,
                               std::optional<std::uint64_t> resolution) {
    if (!counter || !resolution || *resolution == 0) return std::nullopt;
    return static_cast<double>(*counter) / static_cast<double>(*resolution);
}

}  // namespace

FmuClocks::FmuClocks(fmi::Instance& instance) : instance_(instance) {
    for (const fmi::Variable& variable : instance.fmu().description().variables)
        if (variable.clock && variable.causality == fmi::Causality::input &&
            variable.clock->interval_variability != "triggered")
            clocks_.push_back(&variable);
    ticks_.resize(clocks_.size());
    active_ = std::make_unique<bool[]>(clocks_.size());
    std::fill_n(active_.get(), clocks_.size(), true);
    due_.reserve(clocks_.size());
}

void FmuClocks::start(double t) {
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
        const fmi::ClockAttributes& clock = *clocks_[i]->clock;
        const auto interval = clock.interval_decimal
                                  ? clock.interval_decimal
                                  : fraction(clock.interval_counter, clock.resolution);
        const auto shift = clock.shift_decimal ? clock.shift_decimal
                                               : fraction(clock.shift_counter, clock.resolution);
        ticks_[i] = {};
        if (!interval || *interval <= 0.0 || is_told_by_fmu(clock)) continue;
        ticks_[i].first = ticks_[i].next = t + shift.value_or(0.0);
        ticks_[i].interval = *interval;
    }
    update_intervals(t);
}

double FmuClocks::next() const {
    double next = std::numeric_limits<double>::infinity();
    for (const Tick& tick : ticks_) next = std::min(next, tick.next);
    return next;
}

/// Tick k of a periodic clock is at first + k * interval, never a running sum.
void FmuClocks::tick(double t) {
    due_.clear();
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
        Tick& tick = ticks_[i];
        if (tick.next > t) continue;
        due_.push_back(clocks_[i]->reference);
        ++tick.count;
        const bool once = clocks_[i]->clock->interval_variability == "countdown" ||
                          clocks_[i]->clock->interval_variability == "changing";
        tick.next = once ? std::numeric_limits<double>::infinity()
                         : tick.first + static_cast<double>(tick.count) * tick.interval;
    }
    instance_.set_clocks(due_, {active_.get(), due_.size()});
}

void FmuClocks::update_intervals(double t) {
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
        const fmi::ClockAttributes& clock = *clocks_[i]->clock;
        if (!is_told_by_fmu(clock)) continue;
        std::optional<double> interval;
        instance_.get_clock_intervals({&clocks_[i]->reference, 1}, {&interval, 1});
        Tick& tick = ticks_[i];
        if (!interval || *interval < 0.0) continue;
        const bool waiting = std::isfinite(tick.next);
        if (waiting && *interval == tick.interval) continue;
        tick = {t + *interval, *interval, t + *interval, 0};
    }
}

}  // namespace tandem::subsystem
