#include "stepsize/prediction_error.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::stepsize {

void PredictionError::prepare(System& system, const RunFacts& facts) {
    degree_ = std::clamp(facts.order - 1, 0, numerics::History::max_order);
    norm_.prepare(system);
    const std::size_t outputs = system.outputs().size();
    history_.prepare(static_cast<int>(outputs), degree_, 1);
    derivatives_.resize(outputs * static_cast<std::size_t>(degree_));
    predicted_.resize(outputs);
}

void PredictionError::begin_step(System& system, double t) {
    history_.truncate(t);
    if (history_.samples() == 0 || history_.time() < t) history_.add(t, system.outputs());
}

std::optional<double> PredictionError::error(System& system, Interval interval) {
    if (history_.samples() <= degree_) return {};
    history_.derivatives(derivatives_);
    const InputCourse promised{history_.value(), derivatives_, degree_};
    for (std::size_t i = 0; i < predicted_.size(); ++i)
        predicted_[i] = promised.at(interval.length(), i);
    return std::sqrt(norm_.mean_square(system.outputs(), predicted_)) / tolerance_;
}

}  // namespace tandem::stepsize
