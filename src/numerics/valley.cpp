#include "numerics/valley.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::numerics {
namespace {

constexpr int most_trials = 12, trials_per_section = 3;
/// A minimum that is predicted at more than this part of the lowest sample is not worth a sample.
constexpr double worth = 0.9;
/// The smaller part of a golden section.
constexpr double golden = 0.381966011250105;
/// No sample closer to the lowest one than this part of the bracket.
constexpr double margin = 0.02;
/// A minimum that is predicted outside of the samples by at most that part of their distance may
/// lie inside.
constexpr double outside = 0.25;

}  // namespace

bool Valley::is_bracket() const {
    return samples_[1].value <= std::min(samples_[0].value, samples_[2].value);
}

/// t, but apart from the sample in the middle, and now and then a golden section. Where the lowest
/// sample is the first or the last one, between it and the middle.
double Valley::apart(double t) const {
    if (!(t > samples_[0].t && t < samples_[2].t)) {
        const Sample& lowest = samples_[t > samples_[1].t ? 2 : 0];
        return 0.5 * (samples_[1].t + lowest.t);
    }
    const double before = samples_[1].t - samples_[0].t, behind = samples_[2].t - samples_[1].t;
    const double side = behind > before ? behind : -before;
    if (is_bracket() && trials_ % trials_per_section == 0) return samples_[1].t + golden * side;
    const double least = margin * (before + behind);
    return std::abs(t - samples_[1].t) >= least ? t : samples_[1].t + std::copysign(least, side);
}

std::optional<double> Valley::next() {
    const auto& [a, b, c] = samples_;
    // w(t) = a + first (t - a) + second (t - a)(t - b), Newton's form of the parabola
    const double first = (b.value - a.value) / (b.t - a.t);
    const double second = ((c.value - b.value) / (c.t - b.t) - first) / (c.t - a.t);
    if (!(second > 0.0) || ++trials_ > most_trials) return std::nullopt;
    const double lowest = 0.5 * (a.t + b.t) - 0.5 * first / second;
    const double reach = outside * (c.t - a.t);
    if (!(lowest > a.t - reach && lowest < c.t + reach)) return std::nullopt;
    const double value = a.value + (lowest - a.t) * (first + second * (lowest - b.t));
    if (value > worth * std::min({a.value, b.value, c.value})) return std::nullopt;
    const double t = apart(lowest);
    return t > a.t && t < c.t && t != b.t ? std::optional(t) : std::nullopt;
}

/// The lowest sample and its neighbours stay.
void Valley::add(Sample sample) {
    std::array<Sample, 4> all{samples_[0], samples_[1], samples_[2], sample};
    std::ranges::sort(all, {}, &Sample::t);
    const auto lowest = std::ranges::min_element(all, {}, &Sample::value) - all.begin();
    const auto from = std::clamp<std::ptrdiff_t>(lowest - 1, 0, 1);
    std::copy_n(all.begin() + from, 3, samples_.begin());
}

}  // namespace tandem::numerics
