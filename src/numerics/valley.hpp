#pragma once

#include <array>
#include <optional>

namespace tandem::numerics {

/// Looks for a minimum below zero between three samples of a positive function of time:
/// successive parabolic interpolation, with a golden section now and then (Brent 1973, ch. 5).
class Valley {
public:
    struct Sample {
        double t = 0.0, value = 0.0;
    };
    /// In the order of their times.
    explicit Valley(const std::array<Sample, 3>& samples) : samples_(samples) {}

    /// Where the next sample is to be taken; nothing: no minimum that comes near zero is in sight.
    std::optional<double> next();
    void add(Sample sample);

private:
    bool is_bracket() const;
    double apart(double t) const;

    std::array<Sample, 3> samples_;
    int trials_ = 0;
};

}  // namespace tandem::numerics
