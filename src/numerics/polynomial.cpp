#include "numerics/polynomial.hpp"

#include <algorithm>

#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::numerics {
void History::prepare(int size, int order, int revocable) {
    expects(order >= 0 && order <= max_order, "the order of extrapolation is 0, 1 or 2");
    size_ = size;
    order_ = order;
    capacity_ = order + 1 + revocable;
    times_.assign(index(capacity_), 0.0);
    samples_.assign(index(size) * index(capacity_), 0.0);
    first_slope_.assign(index(size), 0.0);
    clear();
}

void History::clear() {
    count_ = 0;
    newest_ = 0;
    has_first_slope_ = false;
}

void History::truncate(double t) {
    while (count_ > 0 && time() > t) {
        newest_ = (newest_ + capacity_ - 1) % capacity_;
        --count_;
    }
}

void History::add(double t, std::span<const double> values) {
    newest_ = (newest_ + 1) % capacity_;
    count_ = std::min(count_ + 1, capacity_);
    times_[index(newest_)] = t;
    std::ranges::copy(values, samples_.begin() + newest_ * size_);
}

void History::set_first_slope(std::span<const double> slope) {
    std::ranges::copy(slope, first_slope_.begin());
    has_first_slope_ = true;
}

std::span<const double> History::sample(int age) const {
    const int slot = (newest_ + capacity_ - age) % capacity_;
    return {samples_.data() + slot * size_, index(size_)};
}

double History::time(int age) const {
    return times_[index((newest_ + capacity_ - age) % capacity_)];
}

double History::difference(int age, std::size_t i) const {
    return (sample(age)[i] - sample(age + 1)[i]) / (time(age) - time(age + 1));
}

// Newton's form about the newest sample: with f01 = u[0,1], f012 = u[0,1,2] (divided differences),
//   u'  = f01 + f012 * (t0 - t1),   u'' = 2 * f012.
void History::derivatives(std::span<double> result) const {
    std::ranges::fill(result, 0.0);
    if (order_ == 0) return;
    if (has_first_slope_ && count_ == 1) std::ranges::copy(first_slope_, result.begin());
    if (count_ < 2) return;
    const auto n = index(size_);
    for (std::size_t i = 0; i < n; ++i) {
        const double f01 = difference(0, i);
        result[i] = f01;
        if (count_ < 3 || order_ < 2) continue;
        const double f012 = (f01 - difference(1, i)) / (time(0) - time(2));
        result[i] += f012 * (time(0) - time(1));
        result[n + i] = 2.0 * f012;
    }
}

// Legendre projection on [0, h]:  tau^2/2 -> (h/2) tau - h^2/12,  tau -> h/2.
void lower_order(std::span<double> value, std::span<double> derivatives, int from, int to,
                 double h) {
    const std::size_t n = value.size();
    for (std::size_t i = 0; i < n; ++i) {
        if (from >= 2 && to < 2) {
            const double second = derivatives[n + i];
            value[i] -= second * h * h / 12.0;
            derivatives[i] += second * h / 2.0;
        }
        if (from >= 1 && to < 1) value[i] += derivatives[i] * h / 2.0;
    }
}

}  // namespace tandem::numerics
