#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tandem::run {

/// Distinguishes a numerically unstable coupling from a model that grows, by the values of signals
/// at communication points alone.
///
/// A mode of the coupled system multiplies the differences of a signal by e^z in each step, with
/// z = sigma + i theta. A mode of the model that the step resolves has a small |z|. Backward
/// differences of consecutive order give it: |D^(n+1) y| / |D^n y| = |1 - e^-z|, which is about |z|
/// if that is small, and between 1 and 2 if the signal alternates and grows.
/// What grows does so geometrically: no decade lasts much longer than the one before, and growth
/// does not slow down.
///   1. Second differences that grow over several decades with a large |z|: the step does not
///      resolve what grows.
///   2. Values that grow over several decades by a sigma that is not larger than
///      |z|^(order + 1), the local error of the coupling: it may be the error that grows. The same
///      in an algebraic loop whose values are delayed by a step, if |z| is noticeable.
///   3. Values that grow by 1e9, if |z| is noticeable or the signal is in such a loop.
///   4. Oscillations whose amplitude grows geometrically, 500-fold, or 6-fold until the end, by a
///      sigma that is at most about that of 2.
/// Exponentials, polynomials, resonance and growing oscillations that are resolved are none of it.
///
/// All signals are looked at in the first and the last steps and while something grows, otherwise
/// in a sample of the steps; in some of the others one signal is compared with what it was like.
class GrowthDetector {
public:
    struct Signal {
        std::size_t index = 0;  ///< in the values that add() is given
        double nominal = 1.0;
        bool is_in_delayed_loop = false;
    };
    struct Options {
        int order = 1;   ///< the error of the coupling falls with this power of the step
        long steps = 0;  ///< of the whole run, about; 0: not known
    };
    struct Verdict {
        std::size_t signal = 0;  ///< in the list of signals
        double growth = 0.0;     ///< factor per step
    };

    GrowthDetector(const std::vector<Signal>& signals, const Options& options);

    /// The error of the coupling falls with another power of the step from now on.
    void set_order(int order) { power_ = order + 1.0; }
    /// The values at the end of a step of that length. Does not allocate.
    std::optional<Verdict> add(std::span<const double> values, double length) {
        if (++step_ < next_check_) return std::nullopt;
        return check(values, length);
    }

    /// At the end of the run: a signal whose oscillation has grown as in 4 and has not decayed, or
    /// whose values have grown as in 3 in less than nine steps.
    std::optional<Verdict> growing() const;

private:
    static constexpr int block_length = 4, blocks_of_look = 4;
    struct Limit {
        std::size_t index = 0;
        double largest = 0.0;
    };
    /// The steps between two decades of growth.
    struct Lengths {
        long begin = 0;
        long skipped = 0;   // until then
        double last = 0.0;  // length before that; 0: none
    };
    /// Blocks in which second differences grow and are not resolved.
    struct Chain {
        double first = 0.0, peak = 0.0;  // root of the sum of squares in a block; 0: no chain
        long begin = 0;
        Lengths lengths = {};
        double decades = 0.0;
        double decade_begin = first;  // the peak there
        double rate = 0.0;            // logarithm of the growth per step, in the last decade
        double mean_rate(long step) const {
            return std::log(peak / first) / static_cast<double>(step - begin);
        }
    };
    /// Since the largest value rose by a factor of ten or more for the last time.
    struct Decade {
        double level = 0.0;  // the largest value at its beginning; 0: not known yet
        double first_differences = 0.0, second_differences = 0.0;  // sums of relative squares
        Lengths lengths = {};
        int size = 0;               // decades that the one before comprised
        int doubtful = 0, all = 0;  // in a row
        double base = 0.0;          // the level after the first doubtful one
        long base_begin = 0;
    };
    /// The energy x[n]^2 - x[n-1] x[n+1] (Teager and Kaiser), of first and of second differences.
    /// For a cos(theta n + phi) it is a^2 sin^2(theta) at each n; for exponentials it is zero.
    struct Energy {
        double of_first = 0.0, of_second = 0.0;
    };
    /// An oscillation around any course.
    struct Swing {
        std::array<Energy, blocks_of_look> energies = {};  // of the last blocks
        double amplitude = 0.0;  // of changes of changes, in the last look
        double level = 0.0;      // the amplitude when it rose last
        long begin = 0;          // then
        double z = 0.0;          // sum over the looks since then
        int looks = 0;
        bool is_visible = false;
        int rises = 0;                        // in a row, that the coupling explains
        double slowest = 0.0, fastest = 0.0;  // of them, logarithms of the growth per step
        double first_size = 0.0, size = 0.0;  // of values, by the amplitude: before them, and now
        double growth() const { return std::exp(std::sqrt(slowest * fastest)); }
    };
    struct Track {
        Signal signal = {};
        double first = 0.0;                            // size of the first value
        double y = 0.0, d1 = 0.0, d2 = 0.0, d3 = 0.0;  // value and differences, the last ones
        double sum1 = 0.0, sum2 = 0.0, sum3 = 0.0;     // squares of differences in the block
        Energy energy = {};                            // of the block
        double largest_in_block = 0.0, largest = 0.0;
        Chain chain = {};
        Decade decade = {};
        Swing swing = {};
    };

    std::optional<Verdict> check(std::span<const double> values, double length);
    bool is_large(std::span<const double> values);
    std::optional<Verdict> look(std::span<const double> values, double length);
    void resume();
    void pause();
    void restart();
    std::optional<double> explosion(const Track& track) const;
    void take(Track& track, double y, bool counts) const;
    std::optional<Verdict> judge();
    std::optional<double> judge(Track& track);
    std::optional<double> judge_chain(Track& track);
    Chain chain_from_here(double size) const { return {size, size, step_, {step_, skipped_, 0.0}}; }
    bool extend(Chain& chain, double size) const;
    std::optional<double> judge_decade(Track& track);
    std::optional<double> close_decade(Track& track);
    bool close(Lengths& lengths) const;
    std::optional<double> judge_swing(Track& track);
    static bool look_at(Swing& swing);
    Swing after_rise(const Swing& last) const;
    static void clear(Track& track);

    std::vector<Track> tracks_;
    std::vector<Limit> limits_;
    std::size_t next_limit_ = 0;
    double power_;
    long last_steps_;  // from there on all are looked at
    double length_ = 0.0;
    int known_ = 0;     // values in a row at equal distances, as far as it matters
    int in_block_ = 0;  // differences in the block under way
    int blocks_ = 0;    // of this look
    long step_ = 0, last_look_ = 0, next_look_ = 0, next_check_ = 0;
    long skipped_ = 0;
    long alert_until_ = 0;
};

}  // namespace tandem::run
