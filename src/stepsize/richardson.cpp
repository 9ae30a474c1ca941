#include "stepsize/richardson.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::stepsize {

void Richardson::prepare(System& system, const RunFacts& facts) {
    facts_ = facts;
    norm_.prepare(system);
    whole_.resize(system.outputs().size());
}

void Richardson::keep_whole(System& system) { std::ranges::copy(system.outputs(), whole_.begin()); }

std::optional<double> Richardson::error(System& system, Interval interval) {
    const double estimate =
        std::sqrt(norm_.mean_square(system.outputs(), whole_)) / (facts_.gain - 1.0);
    return estimate / (tolerance_ * interval.length() / facts_.span);
}

}  // namespace tandem::stepsize
