#pragma once

#include <span>
#include <vector>

namespace tandem::numerics {

/// The last few samples of a vector signal and the polynomial through them, about the newest one:
///   u(t) = value + sum over k of derivative_k * (t - t_newest)^k / k!
class History {
public:
    static constexpr int max_order = 2;

    /// Sizes everything for `size` values and polynomials up to `order` that remain known after
    /// truncate() has taken the newest `revocable` samples away.
    void prepare(int size, int order, int revocable);
    void clear();
    /// Forgets the samples after `t`: what a rejected step left.
    void truncate(double t);
    /// Adds the sample at `t`, later than all others.
    void add(double t, std::span<const double> values);
    /// The slope at the only sample, where it is known: it stands in for the missing past.
    void set_first_slope(std::span<const double> slope);

    int samples() const { return count_; }
    double time() const { return time(0); }
    std::span<const double> value() const { return sample(0); }
    /// Derivatives 1 .. order prepared for, at the newest sample, order-major; zero where there are
    /// not enough samples yet.
    void derivatives(std::span<double> result) const;

private:
    std::span<const double> sample(int age) const;
    double time(int age) const;
    double difference(int age, std::size_t i) const;

    int size_ = 0;
    int order_ = 0;
    int capacity_ = 1;
    int count_ = 0;
    int newest_ = 0;
    bool has_first_slope_ = false;
    std::vector<double> times_;
    std::vector<double> samples_;  // ring of `capacity_` samples
    std::vector<double> first_slope_;
};

/// Replaces the polynomial (value, derivatives 1..order) on [0, h] by the one of a lower order that
/// is nearest in the mean square. `derivatives` is order-major.
void lower_order(std::span<double> value, std::span<double> derivatives, int from, int to,
                 double h);

}  // namespace tandem::numerics
