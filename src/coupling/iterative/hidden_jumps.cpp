#include "coupling/iterative/hidden_jumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::coupling {
namespace {

/// An output that leaves its straight line by so many times more than in the step before, and by
/// this part of its range, is looked at.
constexpr double times_more = 4.0;
constexpr double part_of_range = 1e-4;
/// The change of a smooth output within the last of so many halvings is a thousandth of the whole.
constexpr int halvings = 10;
constexpr double part_of_change = 0.25;

/// One that is not watched by its own solver, and can be looked into.
bool hides_events(const Interface& interface) {
    const Capabilities& can = interface.capabilities;
    return !interface.may_stop_inside && !can.dense_traces && can.rollback && can.variable_step;
}

}  // namespace

HiddenJumps::HiddenJumps(System& system, EndInputs& inputs, const std::vector<int>& members)
    : system_(system), inputs_(inputs) {
    for (const int s : members) {
        if (!hides_events(system.at(s).interface())) continue;
        Watched watched;
        watched.subsystem = s;
        watched.begin.assign(system.outputs_of(s).begin(), system.outputs_of(s).end());
        watched.rates = watched.bends = watched.low = watched.high = watched.probe = watched.begin;
        watched_.push_back(std::move(watched));
    }
}

void HiddenJumps::begin_step() {
    for (Watched& watched : watched_)
        std::ranges::copy(system_.outputs_of(watched.subsystem), watched.begin.begin());
}

void HiddenJumps::end_step(Interval interval) {
    for (Watched& watched : watched_)
        if (watched.jumped < 0) watch(watched, interval);
}

void HiddenJumps::reset() {
    for (Watched& watched : watched_) watched.steps = 0;
}

/// An output leaves its straight line by y'' H^2 / 2, little more than in the step before.
void HiddenJumps::watch(Watched& watched, Interval interval) {
    const double h = interval.length();
    if (h <= 0.0) return;
    const double growth = watched.length > 0.0 ? h / watched.length : 1.0;
    const auto outputs = system_.outputs_of(watched.subsystem);
    double furthest = 0.0;
    std::size_t suspect = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const double change = outputs[i] - watched.begin[i];
        const double bend = std::abs(change - h * watched.rates[i]);
        watched.low[i] = std::min(watched.low[i], watched.begin[i]);
        watched.high[i] = std::max(watched.high[i], watched.begin[i]);
        const double beyond = bend - times_more * growth * growth * watched.bends[i] -
                              part_of_range * (watched.high[i] - watched.low[i]);
        if (beyond > furthest) suspect = i;
        furthest = std::max(furthest, beyond);
        watched.rates[i] = change / h;
        watched.bends[i] = bend;
    }
    watched.length = h;
    const bool knows_bends = ++watched.steps > 2;
    if (knows_bends && furthest > 0.0 && jumps(watched, interval, suspect))
        watched.jumped = static_cast<int>(suspect);
}

/// Looks for the jump by halving, behind the very begin, where constant inputs may jump.
bool HiddenJumps::jumps(Watched& watched, Interval interval, std::size_t output) {
    const double least = std::ldexp(interval.length(), -halvings);
    const double end_value = system_.outputs_of(watched.subsystem)[output];
    Interval around = {interval.begin + least, interval.end};
    const auto value = [&](double t) {
        return output_at(watched, {interval.begin, t}, interval, output);
    };
    double left = value(around.begin), right = end_value;
    const double change = right - left;
    while (around.length() > 2.0 * least) {
        const double middle = around.begin + 0.5 * around.length();
        const double there = value(middle);
        const bool is_before = std::abs(there - left) > std::abs(right - there);
        (is_before ? around.end : around.begin) = middle;
        (is_before ? right : left) = there;
    }
    system_.restart(watched.subsystem);
    inputs_.step(system_, watched.subsystem, interval);
    watched.t = around.end;
    watched.height = right - left;
    return std::abs(right - left) > part_of_change * std::abs(change) && change != 0.0;
}

/// At the end of `part`, with the inputs of the whole step; no number if it does not get there.
double HiddenJumps::output_at(Watched& watched, Interval part, Interval whole, std::size_t output) {
    Subsystem& subsystem = system_.at(watched.subsystem);
    system_.restart(watched.subsystem);
    subsystem.set_inputs(inputs_.course(system_, watched.subsystem, whole));
    if (!subsystem.step(part)) return std::numeric_limits<double>::quiet_NaN();
    subsystem.get_outputs(watched.probe);
    return watched.probe[output];
}

/// Larger than rounding errors and what solvers leave.
bool HiddenJumps::is_noticeable(const Watched& watched, std::size_t output) const {
    constexpr double least = 1e-6;
    const int port = system_.output_begin(watched.subsystem) + static_cast<int>(output);
    const double nominal = std::abs(system_.output_port(port).nominal);
    return std::abs(watched.height) > least * std::max(nominal, std::abs(watched.begin[output]));
}

bool HiddenJumps::has_met_one(Interval interval) {
    for (Watched& watched : watched_)
        for (std::size_t i = 0; i < watched.begin.size(); ++i) {
            const double first_t = watched.t, first_height = watched.height;
            const bool has_one = jumps(watched, interval, i) && is_noticeable(watched, i);
            const bool is_first = has_one && watched.jumped < 0;
            if (is_first) watched.jumped = static_cast<int>(i);
            if (!is_first) watched.t = first_t, watched.height = first_height;
            if (has_one) return true;
        }
    return false;
}

std::vector<std::string> HiddenJumps::warnings() const {
    std::vector<std::string> sentences;
    for (const Watched& watched : watched_) {
        if (watched.jumped < 0) continue;
        const std::string& name = system_.at(watched.subsystem).name();
        sentences.push_back(fmt::format(
            "{}.{} jumps by {:.3g} inside a step, at t = {:.6g}: an event, or the end of a step of "
            "its own, that '{}' tells nobody of; such jumps act on the whole step, and inputs that "
            "are sampled at them err by a part of the jump, however short the step is\n  hint: if "
            "it has a step of its own, take that or a multiple as the communication step; "
            "otherwise use FMI 3.0 with event mode, Model Exchange (kind = \"me\") or a native "
            "model for '{}', or a coupling that does not repeat steps (jacobi, predictor)",
            name,
            system_.at(watched.subsystem)
                .interface()
                .outputs[static_cast<std::size_t>(watched.jumped)]
                .name,
            watched.height, watched.t, name, name));
    }
    return sentences;
}

}  // namespace tandem::coupling
