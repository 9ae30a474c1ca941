#pragma once

#include <cstddef>

namespace tandem {

/// From now on SharedBlock hands out memory that this process shares with those it forks. To be
/// called once, before any block is made.
void share_memory_with_children();

/// Zeroed memory that stays as long as the process. After share_memory_with_children() a parent
/// sees what its child wrote there, at the same addresses, also when the child is dead; without it,
/// or when the shared memory is used up, it is ordinary memory.
char* shared_memory(std::size_t size);

/// The same, with an owner.
class SharedBlock {
public:
    SharedBlock() = default;
    explicit SharedBlock(std::size_t size);
    /// `text` with its final zero.
    explicit SharedBlock(const char* text);
    ~SharedBlock();
    SharedBlock(SharedBlock&& other) noexcept;
    SharedBlock& operator=(SharedBlock&& other) noexcept;

    char* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    char* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tandem
