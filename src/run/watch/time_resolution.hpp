#pragma once

#include "assemble/assemble.hpp"
#include "description/flatten.hpp"
#include "tandem/error.hpp"

namespace tandem::run {

struct RunTimes {
    double step = 0.0;    ///< communication step
    double latest = 0.0;  ///< the time furthest from 0
};

/// Numbers near the times of a run are a spacing apart. Lengths of time that the file gives and
/// that are shorter than that become errors; delays of few spacings, and a communication step of
/// few unless no time on the grid is rounded, become warnings.
void check_time_resolution(const description::FlatSystem& flat, const assemble::Assembly& assembly,
                           RunTimes times, Diagnostics& findings);

}  // namespace tandem::run
