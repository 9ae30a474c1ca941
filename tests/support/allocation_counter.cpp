#include "support/allocation_counter.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> calls = 0;

void* counted(std::size_t size) noexcept {
    calls.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(size == 0 ? 1 : size);
}

void* counted(std::size_t size, std::align_val_t alignment) noexcept {
    calls.fetch_add(1, std::memory_order_relaxed);
    const auto step = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(step, (size + step - 1) / step * step);
}

void* or_throw(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

long tandem::testing::allocations() { return calls.load(std::memory_order_relaxed); }

using Size = std::size_t;
using Alignment = std::align_val_t;
using Nothrow = const std::nothrow_t&;

// The whole set: with a part of it memory of the standard library's new would meet our delete.
void* operator new(Size size) { return or_throw(counted(size)); }
void* operator new[](Size size) { return or_throw(counted(size)); }
void* operator new(Size size, Nothrow) noexcept { return counted(size); }
void* operator new[](Size size, Nothrow) noexcept { return counted(size); }
void* operator new(Size size, Alignment step) { return or_throw(counted(size, step)); }
void* operator new[](Size size, Alignment step) { return or_throw(counted(size, step)); }
void* operator new(Size size, Alignment step, Nothrow) noexcept { return counted(size, step); }
void* operator new[](Size size, Alignment step, Nothrow) noexcept { return counted(size, step); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, Size) noexcept { std::free(memory); }
void operator delete[](void* memory, Size) noexcept { std::free(memory); }
void operator delete(void* memory, Nothrow) noexcept { std::free(memory); }
void operator delete[](void* memory, Nothrow) noexcept { std::free(memory); }
void operator delete(void* memory, Alignment) noexcept { std::free(memory); }
void operator delete[](void* memory, Alignment) noexcept { std::free(memory); }
void operator delete(void* memory, Size, Alignment) noexcept { std::free(memory); }
void operator delete[](void* memory, Size, Alignment) noexcept { std::free(memory); }
void operator delete(void* memory, Alignment, Nothrow) noexcept { std::free(memory); }
void operator delete[](void* memory, Alignment, Nothrow) noexcept { std::free(memory); }
