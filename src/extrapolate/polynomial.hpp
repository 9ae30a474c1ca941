#pragma once

#include <span>
#include <vector>

namespace tandem::extrapolate {

/// The last few samples of a vector signal and the polynomial through them, about the newest one:
///   u(t) = value + sum over k of derivative_k * (t - t_newest)^k / k!
class History {
public:
    static constexpr int max_order = 2;

    /// Sizes everything for `size` values and polynomials up to `order`.
    void prepare(int size, int order);
    void clear();
    /// Adds the sample at `t`. Samples at or after `t` are forgotten first: a repeated step
    /// replaces what the rejected one left.
    void add(double t, std::span<const double> values);
    /// The slope at the first sample, where it is known: it stands in for the missing past.
    void set_first_slope(std::span<const double> slope);

    int samples() const { return count_; }
    /// The order of the polynomial that the samples allow, at most the one prepared for.
    int order() const;
    std::span<const double> value() const { return sample(0); }
    /// Derivatives 1 .. order() at the newest sample, order-major.
    void derivatives(std::span<double> result) const;
    /// The same for entry `i` alone when its value at the later time `t` is known already: the
    /// polynomial through it and the newest samples.
    void derivatives_through(std::size_t i, double t, double value, std::span<double> result) const;

private:
    std::span<const double> sample(int age) const;
    double time(int age) const;
    double difference(int age, std::size_t i) const;

    int size_ = 0;
    int max_order_ = 0;
    int count_ = 0;
    int newest_ = 0;
    bool has_first_slope_ = false;
    std::vector<double> times_;
    std::vector<double> samples_;  // ring of max_order + 1 samples
    std::vector<double> first_slope_;
};

/// Replaces the polynomial (value, derivatives 1..order) on [0, h] by the one of a lower order that
/// is nearest in the mean square. `derivatives` is order-major.
void lower_order(std::span<double> value, std::span<double> derivatives, int from, int to,
                 double h);

}  // namespace tandem::extrapolate
