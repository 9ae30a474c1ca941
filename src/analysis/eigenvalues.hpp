#pragma once

#include <complex>
#include <vector>

#include "analysis/linearise.hpp"

namespace tandem::analysis {

/// What an eigenvalue s of A means for a motion exp(s t).
struct Mode {
    std::complex<double> eigenvalue;
    double frequency = 0.0;  ///< of the oscillation, |Im s| / (2 pi), in Hz
    double damping = 0.0;    ///< ratio -Re s / |s|; negative: it grows; NaN for s = 0
    double time_constant =
        0.0;  ///< 1/|Re s|: it falls or grows to e times as much; may be infinite
};

Mode mode_of(std::complex<double> eigenvalue);
/// From slow to fast: by |s|, of a pair the one with the positive imaginary part first.
std::vector<Mode> modes_of(const LinearModel& model);

}  // namespace tandem::analysis
