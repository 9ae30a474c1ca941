#include "coupling/network/time_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace tandem::coupling {
namespace {

using Values = std::vector<double>;

/// to = (now - last) / h
void find_rate(std::span<const double> last, std::span<const double> now, double h, Values& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = (now[i] - last[i]) / h;
}

struct Slopes {
    Values &values, &doubts;
};

/// Of two matrices, column-major: slopes -= (last + now) / 2 rates, doubts += |now - last| |rates|.
void explain(const Values& last, const Values& now, const Values& rates, Slopes slopes) {
    const std::size_t rows = slopes.values.size();
    for (std::size_t j = 0; j < rates.size(); ++j)
        for (std::size_t i = 0; i < rows; ++i) {
            const double before = last[j * rows + i], after = now[j * rows + i];
            slopes.values[i] -= 0.5 * (before + after) * rates[j];
            slopes.doubts[i] += std::abs((after - before) * rates[j]);
        }
}

/// How much steeper a slope may be than the one before it.
constexpr double steepest = 4.0;

/// The newer slope, at most so much steeper than the older one; none if signs differ (minmod).
double limited(double older, double newer) {
    if (!(older * newer > 0.0)) return 0.0;
    return std::abs(newer) <= steepest * std::abs(older) ? newer : steepest * older;
}

void write_slopes(Slopes older, Slopes newer, Values& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        const double slope = limited(older.values[i], newer.values[i]);
        const double doubt = std::max(older.doubts[i], newer.doubts[i]);
        to[i] = std::abs(slope) > doubt ? slope : 0.0;
    }
}

}  // namespace

TimeSlopes::TimeSlopes(const System& system, int s, const LinearModel& model) : subsystem_(s) {
    const std::size_t inputs = system.at(s).interface().inputs.size();
    Kept kept;
    kept.states = model.states;
    kept.inputs.resize(inputs);
    kept.rates = kept.rate_slopes = kept.rate_doubts = model.rates;
    kept.outputs = kept.output_slopes = kept.output_doubts = model.output_slopes;
    kept.a = model.a;
    kept.b = model.b;
    kept.c = model.c;
    kept.d = model.d;
    past_.fill(kept);
    change_of_states_.resize(model.states.size());
    change_of_inputs_.resize(inputs);
}

void TimeSlopes::estimate(System& system, double t, LinearModel& model) {
    Kept* last = past_.before(t);
    Kept& now = past_.add();
    now.t = t;
    now.steps = last == nullptr ? 0 : last->steps + 1;
    now.states = model.states;
    now.rates = model.rates;
    std::ranges::copy(system.inputs_of(subsystem_), now.inputs.begin());
    std::ranges::copy(system.outputs_of(subsystem_), now.outputs.begin());
    now.a = model.a;
    now.b = model.b;
    now.c = model.c;
    now.d = model.d;
    if (last != nullptr) find_slopes(*last, now);
    if (now.steps < 2) return;
    write_slopes({last->rate_slopes, last->rate_doubts}, {now.rate_slopes, now.rate_doubts},
                 model.rate_slopes);
    write_slopes({last->output_slopes, last->output_doubts}, {now.output_slopes, now.output_doubts},
                 model.output_slopes);
}

void TimeSlopes::find_slopes(const Kept& last, Kept& now) {
    const double h = now.t - last.t;
    find_rate(last.states, now.states, h, change_of_states_);
    find_rate(last.inputs, now.inputs, h, change_of_inputs_);
    find_rate(last.rates, now.rates, h, now.rate_slopes);
    std::ranges::fill(now.rate_doubts, 0.0);
    explain(last.a, now.a, change_of_states_, {now.rate_slopes, now.rate_doubts});
    explain(last.b, now.b, change_of_inputs_, {now.rate_slopes, now.rate_doubts});
    find_rate(last.outputs, now.outputs, h, now.output_slopes);
    std::ranges::fill(now.output_doubts, 0.0);
    explain(last.c, now.c, change_of_states_, {now.output_slopes, now.output_doubts});
    explain(last.d, now.d, change_of_inputs_, {now.output_slopes, now.output_doubts});
}

}  // namespace tandem::coupling
