#pragma once

#include <cstddef>
#include <vector>

namespace tandem {

/// A subsystem near the time last reached and near the inputs it has there; s is the time since:
///   dx = rates + A (x - states) + B (u - inputs) + rate_slopes s
///   y  = outputs + C (x - states) + D (u - inputs) + output_slopes s
/// Matrices are column-major.
struct LinearModel {
    std::vector<double> states, rates, rate_slopes;
    std::vector<double> nominals;  ///< of the states
    std::vector<double> output_slopes;
    std::vector<double> a, b, c, d;

    void resize(std::size_t state_count, std::size_t inputs, std::size_t outputs) {
        for (auto* values : {&states, &rates, &rate_slopes, &nominals}) values->resize(state_count);
        output_slopes.resize(outputs);
        a.resize(state_count * state_count);
        b.resize(state_count * inputs);
        c.resize(outputs * state_count);
        d.resize(outputs * inputs);
    }
};

/// What of a LinearModel is asked for.
enum class LinearParts {
    point,  ///< states, rates, and the slopes in time
    all,
};

}  // namespace tandem
