#pragma once

#include <optional>
#include <vector>

#include "base/error.hpp"
#include "core/system.hpp"

namespace tandem::run {

/// Finds Co-Simulation FMUs in cycles whose outputs stand still and then move, in every k-th step
/// of equal length: they have a step of their own that is k times as long. Values between two of
/// these steps are old, and a shorter communication step does not couple them more closely.
class OwnStepWatch {
public:
    /// After initialisation.
    explicit OwnStepWatch(System& system);

    /// After each step of that length. What is said of a subsystem that was found. Does not
    /// allocate if there is none.
    std::optional<Diagnostic> after_step(double length);

private:
    struct Watched {
        int subsystem = 0;
        std::vector<int> outputs = {};  // that are continuous
        std::vector<double> values = {};
        int moves = 0;
        long first = 0, last = 0;        // steps that it moved in
        long shortest = 0, longest = 0;  // distance of two of them
    };
    static bool is_regular(Watched& watched, long step);
    bool moves(Watched& watched) const;
    Diagnostic found(const Watched& watched, double length) const;

    System& system_;
    std::vector<Watched> watched_;
    long step_ = 0;
};

}  // namespace tandem::run
