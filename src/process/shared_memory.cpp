#include "process/shared_memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace tandem {
namespace {

constexpr std::size_t arena_size = std::size_t{1} << 26U;
constexpr std::size_t alignment = 64;  // of a line of the cache

// Never given back: a process makes few blocks, and pages that nobody touches cost nothing.
char* arena = nullptr;
std::atomic<std::size_t> used{0};

/// What does not fit leaves the rest to smaller blocks.
char* from_arena(std::size_t size) {
    std::size_t begin = used.load();
    do {
        if (arena == nullptr || size > arena_size - begin) return nullptr;
    } while (!used.compare_exchange_weak(begin, begin + size));
    return arena + begin;
}

bool is_in_arena(const char* data) {
    return arena != nullptr && data >= arena && data < arena + arena_size;
}

}  // namespace

void share_memory_with_children() {
    void* memory = mmap(nullptr, arena_size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) arena = static_cast<char*>(memory);
}

char* shared_memory(std::size_t size) {
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    if (char* shared = from_arena(rounded)) return shared;
    auto* own = static_cast<char*>(std::aligned_alloc(alignment, rounded));
    if (own == nullptr) throw std::bad_alloc();
    std::memset(own, 0, rounded);
    return own;
}

SharedBlock::SharedBlock(std::size_t size) : data_(shared_memory(size)), size_(size) {}

SharedBlock::SharedBlock(const char* text) : SharedBlock(std::strlen(text) + 1) {
    std::memcpy(data_, text, size_);
}

SharedBlock::~SharedBlock() {
    if (!is_in_arena(data_)) std::free(data_);
}

SharedBlock::SharedBlock(SharedBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

SharedBlock& SharedBlock::operator=(SharedBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace tandem
