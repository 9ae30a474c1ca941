#pragma once

#include <span>
#include <utility>
#include <vector>

#include "tandem/extend/system.hpp"

namespace tandem::run {

/// The order in which subsystems pass an instant at which several of them have events: what one of
/// them shows behind its event the next one sees at its own, as in the coupling `aggregate`. Those
/// that see each other both ways see what was before.
class InstantOrder {
public:
    explicit InstantOrder(const System& system);

    /// `acts`: for each subsystem, whether it has an event at the instant. True if one of them sees
    /// the event of another one.
    bool find(std::span<const char> acts);
    /// Empty if the last find() was false: subsystems with events and those that pass values on
    /// between them by direct feedthrough, sources first. Those of one batch see nothing of each
    /// other.
    std::span<const std::vector<int>> batches() const {
        return std::span(batches_).first(is_found_ ? batches_.size() : 0);
    }

    /// Of the last find(): subsystems with events that see each other both ways; the first such
    /// set.
    std::span<const int> both_ways() const {
        return std::span(both_ways_).first(are_several_ ? both_ways_.size() : 0);
    }

private:
    using Flows = std::vector<std::pair<int, int>>;
    void order();
    Flows active_flows() const;

    Flows flows_;             ///< subsystem to subsystem, of any value
    Flows direct_flows_;      ///< of values that follow inputs within the instant
    std::vector<char> acts_;  ///< what `batches_` is for
    std::vector<std::vector<int>> batches_;
    std::vector<int> both_ways_;
    bool are_several_ = false, is_found_ = false;
};

}  // namespace tandem::run
