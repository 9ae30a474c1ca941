#include "run/watch/growth_detector.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tandem::run {
namespace {

constexpr int values_for_differences = 5;  // of fourth order
constexpr double equal_lengths = 1e-2;     // steps that differ by less are equally long

/// Steps without a pause at the start, at the end, and after something grew.
constexpr long first_steps = 128, last_steps = 256, alert_steps = 256;
constexpr long steps_of_pause = 240, steps_between_checks = 4;
constexpr double growth_that_ends_pause = 10.0;

/// |z| from which on a step does not resolve a mode.
constexpr double not_resolved = 0.4;
constexpr double decades_of_chain = 4.0;
/// One block does not count for more: a jump is no geometric growth.
constexpr double most_decades_per_block = 1.0;
constexpr double fall_that_ends_chain = 0.5;
constexpr double slower = 0.5;  // than on the average of a chain: it is no geometric growth
/// Second differences that matter, by the largest value; values that matter, by the nominal one.
constexpr double visible_difference = 1e-3, visible_value = 1e-6;

constexpr double first_level = 1e-3;  // by the nominal value, at least
/// Later decades of geometric growth do not last longer; those of polynomials do.
constexpr double longer_decade = 1.5;
constexpr int doubtful_decades = 4;  // the first one includes the time before the growth
constexpr int most_decades = 9;
constexpr double noticeable = 0.32, noticeable_in_loop = 0.15;  // |z|

/// Amplitudes are compared at rises by this factor. If they grow geometrically, all rises last
/// equally long. Those of resonance last longer and longer, those of a sweep towards it shorter.
constexpr double rise = 1.4142;
constexpr double equal_rates = 1.6;
constexpr int rises_that_strike = 18;  // by 512
constexpr int rises_at_the_end = 5;    // by 5.7, if it still swings like that
constexpr double most_rises_of_look = 2.0;
constexpr double least_growth = 4.0;  // of values; where the angle grows, changes grow faster
constexpr double still = 0.7;
/// Of |z|^(order + 1): held inputs make an undamped oscillation grow by |z|^2 / 2.
constexpr double part_of_error = 0.6;
constexpr double visible_amplitude = 1e-2;  // by the largest value

/// Not more than `most`.
int decades_between(double low, double high, int most) {
    return static_cast<int>(std::clamp(std::log10(high / low), 0.0, double(most)));
}

}  // namespace

GrowthDetector::GrowthDetector(const std::vector<Signal>& signals, const Options& options)
    : power_(options.order + 1.0),
      last_steps_(options.steps > 0 ? options.steps - last_steps
                                    : std::numeric_limits<long>::max()) {
    for (const Signal& signal : signals) {
        tracks_.emplace_back().signal = signal;
        limits_.push_back({signal.index, 0.0});
    }
}

std::optional<GrowthDetector::Verdict> GrowthDetector::check(std::span<const double> values,
                                                             double length) {
    if (step_ >= next_look_ || is_large(values)) return look(values, length);
    next_check_ = std::min(step_ + steps_between_checks, next_look_);
    return std::nullopt;
}

bool GrowthDetector::is_large(std::span<const double> values) {
    const Limit& limit = limits_[next_limit_];
    if (++next_limit_ == limits_.size()) next_limit_ = 0;
    return !(std::abs(values[limit.index]) <= limit.largest);
}

std::optional<GrowthDetector::Verdict> GrowthDetector::look(std::span<const double> values,
                                                            double length) {
    if (step_ > last_look_ + 1) resume();
    last_look_ = next_look_ = next_check_ = step_;
    if (known_ > 0 && !(std::abs(length - length_) <= equal_lengths * length)) restart();
    length_ = length;
    known_ = std::min(known_ + 1, values_for_differences);
    const bool counts = known_ == values_for_differences;
    if (step_ == 1)
        for (Track& track : tracks_) track.first = std::abs(values[track.signal.index]);
    for (Track& track : tracks_) take(track, values[track.signal.index], counts);
    if (!counts || ++in_block_ < block_length) return std::nullopt;
    in_block_ = 0;
    const std::optional<Verdict> verdict = judge();
    if (++blocks_ >= blocks_of_look && step_ >= std::max(alert_until_, first_steps)) pause();
    return verdict;
}

void GrowthDetector::resume() {
    skipped_ += step_ - last_look_ - 1;
    blocks_ = 0;
    restart();
}

void GrowthDetector::pause() {
    next_look_ = std::min(step_ + steps_of_pause, last_steps_);
    next_check_ = std::min(step_ + steps_between_checks, next_look_);
    for (std::size_t i = 0; i < tracks_.size(); ++i)
        limits_[i].largest = growth_that_ends_pause * tracks_[i].largest;
}

/// Differences begin anew.
void GrowthDetector::restart() {
    known_ = in_block_ = 0;
    for (Track& track : tracks_) clear(track);
}

/// A block begins.
void GrowthDetector::clear(Track& track) {
    track.sum1 = track.sum2 = track.sum3 = track.largest_in_block = 0.0;
    track.energy = {};
}

void GrowthDetector::take(Track& track, double y, bool counts) const {
    const double d1 = y - track.y, d2 = d1 - track.d1, d3 = d2 - track.d2, d4 = d3 - track.d3;
    track.y = y, track.d1 = d1, track.d2 = d2, track.d3 = d3;
    if (!counts) return;
    track.sum1 += d1 * d1;
    track.sum2 += d2 * d2;
    track.sum3 += d3 * d3;
    track.energy.of_first += d2 * d2 - d1 * d3;
    track.energy.of_second += d3 * d3 - d2 * d4;
    track.largest_in_block = std::max(track.largest_in_block, std::abs(y));
}

/// All tracks, of which the first one counts.
std::optional<GrowthDetector::Verdict> GrowthDetector::judge() {
    std::optional<Verdict> verdict;
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
        const std::optional<double> growth = judge(tracks_[i]);
        if (growth && !verdict) verdict = Verdict{i, *growth};
    }
    return verdict;
}

/// The growth per step, if it is struck. Squares that are not finite say nothing.
std::optional<double> GrowthDetector::judge(Track& track) {
    std::optional<double> growth;
    if (std::isfinite(track.sum1) && std::isfinite(track.sum2) && std::isfinite(track.sum3)) {
        track.largest = std::max(track.largest, track.largest_in_block);
        const std::optional<double> by_chain = judge_chain(track);
        const std::optional<double> by_decade = judge_decade(track);
        const std::optional<double> by_swing = judge_swing(track);
        growth = by_chain ? by_chain : by_decade ? by_decade : by_swing;
    }
    clear(track);
    return growth;
}

std::optional<GrowthDetector::Verdict> GrowthDetector::growing() const {
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
        const Swing& swing = tracks_[i].swing;
        if (swing.is_visible && swing.rises >= rises_at_the_end &&
            swing.amplitude >= still * swing.level)
            return Verdict{i, swing.growth()};
        if (const auto growth = explosion(tracks_[i])) return Verdict{i, *growth};
    }
    return std::nullopt;
}

/// In a run that is too short for differences, values in a delayed loop tell enough.
std::optional<double> GrowthDetector::explosion(const Track& track) const {
    if (!track.signal.is_in_delayed_loop || step_ >= values_for_differences + block_length)
        return std::nullopt;
    const double growth = std::abs(track.y) / std::max(track.first, std::abs(track.signal.nominal));
    if (growth < std::pow(10.0, most_decades)) return std::nullopt;
    return std::pow(growth, 1.0 / static_cast<double>(step_));
}

std::optional<double> GrowthDetector::judge_chain(Track& track) {
    Chain& chain = track.chain;
    const double size = std::sqrt(track.sum2);
    const bool is_resolved = track.sum3 < not_resolved * not_resolved * track.sum2;
    if (is_resolved || chain.peak == 0.0 || size < fall_that_ends_chain * chain.peak) {
        chain = chain_from_here(is_resolved ? 0.0 : size);
        return std::nullopt;
    }
    if (size <= chain.peak) return std::nullopt;
    if (!extend(chain, size)) chain = chain_from_here(size);
    if (chain.decades < 1.0) return std::nullopt;
    alert_until_ = step_ + alert_steps;
    const double scale = std::max(track.largest, visible_value * std::abs(track.signal.nominal));
    if (chain.decades < decades_of_chain || size < visible_difference * scale) return std::nullopt;
    const double mean = chain.mean_rate(step_);
    return chain.rate >= slower * mean ? std::optional(std::exp(mean)) : std::nullopt;
}

/// False: it takes longer and longer.
bool GrowthDetector::extend(Chain& chain, double size) const {
    const double before = std::floor(chain.decades);
    chain.decades += std::min(most_decades_per_block, std::log10(size / chain.peak));
    chain.peak = size;
    if (std::floor(chain.decades) == before) return true;
    chain.rate = std::log(size / std::exchange(chain.decade_begin, size)) /
                 static_cast<double>(step_ - chain.lengths.begin);
    return close(chain.lengths);
}

std::optional<double> GrowthDetector::judge_decade(Track& track) {
    Decade& decade = track.decade;
    if (decade.level == 0.0) {
        const double least = first_level * std::abs(track.signal.nominal);
        decade.level = std::max(track.largest, least);
        decade.all = decade.size =
            decades_between(std::max(track.first, least), decade.level, block_length);
        decade.lengths = {step_, skipped_, 0.0};
        return std::nullopt;
    }
    if (track.largest > 0.0) {
        decade.first_differences += track.sum1 / track.largest / track.largest;
        decade.second_differences += track.sum2 / track.largest / track.largest;
    }
    if (track.largest < 10.0 * decade.level) return std::nullopt;
    alert_until_ = step_ + alert_steps;
    return close_decade(track);
}

std::optional<double> GrowthDetector::close_decade(Track& track) {
    const Decade& last = track.decade;
    const bool in_loop = track.signal.is_in_delayed_loop;
    const double sigma =
        std::log(track.largest / last.level) / static_cast<double>(step_ - last.lengths.begin);
    const double z = last.first_differences > 0.0
                         ? std::sqrt(last.second_differences / last.first_differences)
                         : 0.0;
    const bool is_doubtful = sigma <= std::pow(z, power_) || (in_loop && z >= noticeable_in_loop);
    Decade next;
    next.level = track.largest;
    next.lengths = last.lengths;
    const bool goes_on = close(next.lengths);
    next.size = decades_between(last.level, next.level, block_length);
    const bool was_jump = 2 * next.size < last.size;
    next.all = (goes_on && !was_jump ? last.all : 0) + next.size;
    next.doubtful = !is_doubtful ? 0 : goes_on ? last.doubtful + 1 : 1;
    const bool begins = next.doubtful < 2;
    next.base = begins ? next.level : last.base;
    next.base_begin = begins ? step_ : last.base_begin;
    const double growth =
        begins ? sigma
               : std::log(next.level / next.base) / static_cast<double>(step_ - next.base_begin);
    track.decade = next;
    const bool is_struck = next.doubtful >= doubtful_decades ||
                           (next.all >= most_decades && (in_loop || z >= noticeable));
    return is_struck ? std::optional(std::exp(growth)) : std::nullopt;
}

/// A decade ends and the next one begins. False if it took much longer than the one before. Lengths
/// are known to a block, and to a pause if there was one.
bool GrowthDetector::close(Lengths& lengths) const {
    const long margin = 2 * block_length + 2 * std::min(steps_of_pause, skipped_ - lengths.skipped);
    const double length = static_cast<double>(step_ - lengths.begin), before = lengths.last;
    lengths = {step_, skipped_, length};
    return before == 0.0 || length <= longer_decade * before + static_cast<double>(margin);
}

std::optional<double> GrowthDetector::judge_swing(Track& track) {
    Swing& swing = track.swing;
    const int block = blocks_ % blocks_of_look;
    swing.energies[static_cast<std::size_t>(block)] = track.energy;
    if (block < blocks_of_look - 1 || !look_at(swing)) return std::nullopt;
    if (swing.level > 0.0 && swing.amplitude < rise * swing.level) return std::nullopt;
    alert_until_ = step_ + alert_steps;
    swing = after_rise(swing);
    const double scale = std::max(track.largest, visible_value * std::abs(track.signal.nominal));
    swing.is_visible =
        swing.size >= visible_amplitude * scale && swing.size >= least_growth * swing.first_size;
    const bool is_struck = swing.is_visible && swing.rises >= rises_that_strike;
    return is_struck ? std::optional(swing.growth()) : std::nullopt;
}

/// False: it does not oscillate. With an angle of theta per step differences have 2 sin(theta/2)
/// times the amplitude, so that the energies have the ratio of the squares.
bool GrowthDetector::look_at(Swing& swing) {
    std::ranges::sort(swing.energies, {}, &Energy::of_first);
    const Energy energy = swing.energies[1];  // a jump spoils one block or two
    const bool swings = energy.of_first > 0.0 && energy.of_second > 0.0;
    swing.amplitude = swings ? std::sqrt(energy.of_first / block_length) : 0.0;
    swing.z += swings ? std::sqrt(energy.of_second / energy.of_first) : 0.0;
    ++swing.looks;
    return swings;
}

/// The first one has nothing before it.
GrowthDetector::Swing GrowthDetector::after_rise(const Swing& last) const {
    Swing next;
    next.level = next.amplitude = last.amplitude;
    next.begin = step_;
    if (last.level == 0.0) return next;
    const double z = last.z / last.looks;
    const double growth = std::log(last.amplitude / last.level);
    const double rate = growth / static_cast<double>(step_ - last.begin);
    const double rises = std::min(std::round(growth / std::log(rise)), most_rises_of_look);
    const bool is_doubtful = rate <= part_of_error * std::pow(std::min(z, 1.0), power_);
    const double slowest = std::min(rate, last.slowest), fastest = std::max(rate, last.fastest);
    const bool goes_on = is_doubtful && last.rises > 0 && fastest <= equal_rates * slowest;
    next.rises = goes_on ? last.rises + static_cast<int>(rises) : is_doubtful ? 1 : 0;
    next.slowest = goes_on ? slowest : rate;
    next.fastest = goes_on ? fastest : rate;
    next.size = last.amplitude / (z * z);
    next.first_size = goes_on ? last.first_size : last.level / (z * z);
    return next;
}

}  // namespace tandem::run
