#pragma once

#include <array>
#include <cstddef>

namespace tandem::coupling {

/// The last few of what was kept at communication points, each with its time `t`; what a rejected
/// step left is taken back.
template <class Kept>
class PastSteps {
public:
    /// The newest before t; what is later is forgotten. Null if there is none.
    Kept* before(double t) {
        while (count_ > 0 && newest().t >= t) {
            newest_ = (newest_ + capacity - 1) % capacity;
            --count_;
        }
        return count_ > 0 ? &newest() : nullptr;
    }
    /// The next one, which is the newest from now on; it has the sizes of an older one.
    Kept& add() {
        newest_ = (newest_ + 1) % capacity;
        if (count_ < capacity) ++count_;
        return newest();
    }
    bool is_empty() const { return count_ == 0; }
    Kept& newest() { return kept_[newest_]; }
    void clear() { count_ = 0; }
    void fill(const Kept& kept) {
        kept_.fill(kept);
        clear();
    }

private:
    /// Steps repeated in halves, and those again, and one to go on from.
    static constexpr std::size_t capacity = 6;
    std::array<Kept, capacity> kept_;
    std::size_t newest_ = 0, count_ = 0;
};

}  // namespace tandem::coupling
