#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace tandem {

/// What a coupling remembers of its last steps, by the times at which they ended. The run may undo
/// the last steps, two in a row, and come back to an earlier time: what was kept behind it is
/// forgotten then.
class StepMemory {
public:
    static constexpr std::size_t depth = 4;

    void prepare(std::size_t size) {
        for (Entry& entry : entries_) entry.values.resize(size);
        clear();
    }
    /// Of a step that ended at `t`.
    void keep(double t, std::span<const double> values) {
        forget_after(t, false);
        if (count_ == depth) {
            std::ranges::rotate(entries_, entries_.begin() + 1);
            --count_;
        }
        entries_[count_].time = t;
        std::ranges::copy(values, entries_[count_].values.begin());
        ++count_;
    }
    /// What the step kept that ended last, at `t` or before, `back` steps earlier; empty: nothing
    /// is known.
    std::span<const double> at(double t, std::size_t back = 0) {
        forget_after(t, true);
        if (back >= count_) return {};
        return entries_[count_ - 1 - back].values;
    }
    void clear() { count_ = 0; }

private:
    struct Entry {
        double time = 0.0;
        std::vector<double> values;
    };
    void forget_after(double t, bool keeps_same) {
        while (count_ > 0 &&
               (entries_[count_ - 1].time > t || (!keeps_same && entries_[count_ - 1].time == t)))
            --count_;
    }

    std::array<Entry, depth> entries_;
    std::size_t count_ = 0;
};

}  // namespace tandem
