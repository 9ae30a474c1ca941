#pragma once

#include <span>
#include <vector>

#include "core/rounded_time.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::ode {

/// An InputCourse kept beyond the call that gave it. Copying between courses of one size
/// allocates nothing.
class HeldCourse {
public:
    explicit HeldCourse(std::size_t inputs = 0, int expected_order = 0);

    void set(const InputCourse& course, double begin);
    /// The inputs at a time, to which rounding owes `remainder`; the states there are what a law
    /// may ask for.
    void evaluate(const LawPoint& point, std::span<double> inputs, double remainder = 0.0) const;
    const Law* law() const { return law_; }

    /// Everything but a law, as plain numbers.
    struct Numbers {
        double begin = 0.0;
        std::span<const double> values, derivatives;
        int order = 0;
    };
    Numbers numbers() const { return {begin_, values_, derivatives_, order_}; }

private:
    double begin_ = 0.0;
    std::vector<double> values_, derivatives_;
    int order_ = 0;
    const Law* law_ = nullptr;
    const RoundedTime* rounded_law_ = nullptr;  ///< the law, if it is
};

}  // namespace tandem::ode
