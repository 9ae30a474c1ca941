#include "tandem/extend/step_control.hpp"

#include <cmath>

namespace tandem::stepsize {

void OutputNorm::prepare(const System& system) {
    nominals_.clear();
    for (int s = 0; s < system.size(); ++s)
        for (const Port& port : system.at(s).interface().outputs) nominals_.push_back(port.nominal);
}

double OutputNorm::difference(std::size_t i, std::span<const double> values,
                              std::span<const double> others) const {
    return (values[i] - others[i]) / (nominals_[i] + std::abs(values[i]));
}

double OutputNorm::mean_square(std::span<const double> values,
                               std::span<const double> others) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < nominals_.size(); ++i) {
        const double scaled = difference(i, values, others);
        sum += scaled * scaled;
    }
    return nominals_.empty() ? 0.0 : sum / static_cast<double>(nominals_.size());
}

std::string OutputNorm::worst(System& system, std::span<const double> others) const {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < nominals_.size(); ++i)
        if (std::abs(difference(i, system.outputs(), others)) >
            std::abs(difference(worst, system.outputs(), others)))
            worst = i;
    if (nominals_.empty()) return {};
    const int output = static_cast<int>(worst);
    return system.at(system.subsystem_of_output(output)).name() + "." +
           system.output_port(output).name;
}

}  // namespace tandem::stepsize
