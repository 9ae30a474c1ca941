#pragma once

#include <array>
#include <optional>

namespace tandem::stepsize {

/// The length of the next step, by a PI controller: after a step of length h and error e,
///   h <- h * 0.9 * e^(-0.7/k) * e_before^(0.4/k),
/// where e goes down with h^k. After a rejected one h <- h * 0.9 * e^(-1/k).
///
/// Noise of solvers inside subsystems is an error that does not go down with h, and would make
/// steps as short as they may be. So every few steps the mean error is compared with what longer
/// steps had. Where these were hardly worse, their length is tried again. If that proves true,
/// it is kept, and errors of that size are accepted, until they are gone.
class StepLength {
public:
    struct Limits {
        double min = 0.0;
        double max = 0.0;
        double first = 0.0;
    };
    StepLength(Limits limits, int power);

    double next() const { return next_; }
    /// False for a step of the smallest length, and where shorter steps have made things worse
    /// three times: then it is noise, of solvers inside, that is too large, and the best of them
    /// counts.
    bool is_worth_repeating(double length, double error) const;
    /// Where a step from `t` ends that must not pass `limit`. What is left to it is divided evenly
    /// rather than leaving a sliver.
    double end_of_step(double t, double limit) const;
    void accept(double length, double error);
    void reject(double length, double error);
    /// It could not be done; one of this length may be.
    void shorten(double length) { set(length); }
    /// Its error is too large, but it is not worth repeating.
    void accept_anyway(double length, double error);
    /// The last error says nothing about the next one.
    void reset_history() { error_before_ = 1.0; }
    /// How often errors were found to be noise.
    int times_noisy() const { return times_noisy_; }

private:
    struct Tried {
        double length = 0.0;
        double error = 0.0;
    };
    /// Accepted steps of about one length.
    struct Window {
        int steps = 0;
        double longest = 0.0, logarithms = 0.0;  ///< the sum of those of the errors
    };
    /// Longer steps are tried, to see whether the error of the short ones is noise.
    struct Probe {
        Tried short_steps;
        double length = 0.0;
        int confirmed = 0;
        double error = 0.0;  ///< the largest
    };

    void set(double length);
    void forget_tries();
    bool falls(const Tried& longer, const Tried& shorter) const;
    bool is_of_probe(double length) const;
    bool denies_noise(const Tried& tried) const;
    bool is_repeated_in_vain(const Tried& tried) const;
    std::size_t bin_of(double length) const;
    void note(const Tried& tried);
    void note_accepted(const Tried& tried);
    void judge_window();
    void begin_probe(const Tried& now, double length);
    void judge_probe(const Tried& tried);
    void tolerate(const Tried& noise);
    void end_noise_if_calm();

    Limits limits_;
    double exponent_;
    double next_;
    double error_before_ = 1.0;
    std::optional<Tried> last_, best_;  // of those rejected since a step was accepted
    int worse_ = 0;                     // times in a row
    double noise_ = 1.0;                // an error that shorter steps did not make smaller
    double home_ = 0.0;                 // the length at which that was found
    int times_noisy_ = 0, calm_ = 0;    // calm: steps in a row with an error that is none
    std::array<double, 32> errors_{};   // the last ones, by the logarithm of the length
    Window window_;
    int patience_ = 0;  // steps of the next window
    std::optional<Probe> probe_;
};

}  // namespace tandem::stepsize
