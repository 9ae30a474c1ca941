#include "stepsize/power_residual.hpp"

#include <cmath>

#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::stepsize {
void PowerResidual::prepare(System& system, const RunFacts& facts) {
    expects(!facts.bonds.empty(), "a control by energy has bonds");
    facts_ = facts;
    nominals_.clear();
    for (const PowerBond& bond : facts_.bonds)
        nominals_.push_back(system.output_port(bond.effort.output).nominal *
                            std::abs(bond.flow.gain) *
                            system.output_port(bond.flow.output).nominal);
    system.watch_inputs(true);
}

/// Everything in the units of the side that puts out the effort.
std::optional<double> PowerResidual::error(System& system, Interval /*interval*/) {
    const auto outputs = system.outputs();
    const auto told = system.last_inputs();
    double sum = 0.0;
    for (std::size_t b = 0; b < facts_.bonds.size(); ++b) {
        const auto& [effort, flow] = facts_.bonds[b];
        const double e = outputs[index(effort.output)];
        const double f = flow.gain * outputs[index(flow.output)] + flow.offset;
        const double told_e = (told[index(effort.input)] - effort.offset) / effort.gain;
        const double told_f = told[index(flow.input)];
        const double scaled = (e * told_f - told_e * f) / (nominals_[b] + std::abs(e * f));
        sum += scaled * scaled;
    }
    return std::sqrt(sum / static_cast<double>(facts_.bonds.size())) / tolerance_;
}

}  // namespace tandem::stepsize
