#pragma once

#include <cstdlib>

namespace tandem {

/// After foreign code has freed memory: if it freed some twice, or wrote to it afterwards, the
/// allocator aborts here, where the code can be named, and not somewhere later. A request of this
/// size is served by no list of small blocks that were freed: the allocator puts these together
/// first, and tests them.
inline void look_at_freed_memory() {
    constexpr std::size_t large = 1U << 16U;
    void* volatile block = std::malloc(large);
    std::free(block);
}

}  // namespace tandem
