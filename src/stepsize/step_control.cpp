#include "stepsize/step_control.hpp"

#include <cmath>

namespace tandem::stepsize {

void OutputNorm::prepare(const System& system) {
    nominals_.clear();
    for (int s = 0; s < system.size(); ++s)
        for (const Port& port : system.at(s).interface().outputs) nominals_.push_back(port.nominal);
}

double OutputNorm::mean_square(std::span<const double> values,
                               std::span<const double> others) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < nominals_.size(); ++i) {
        const double scaled = (values[i] - others[i]) / (nominals_[i] + std::abs(values[i]));
        sum += scaled * scaled;
    }
    return nominals_.empty() ? 0.0 : sum / static_cast<double>(nominals_.size());
}

}  // namespace tandem::stepsize
