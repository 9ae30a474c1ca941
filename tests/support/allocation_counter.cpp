#include "support/allocation_counter.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

using Size = std::size_t;
using Alignment = std::align_val_t;
using Nothrow = const std::nothrow_t&;

namespace {

std::atomic<long> calls = 0;

void count() noexcept { calls.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

long tandem::test::allocations() { return calls.load(std::memory_order_relaxed); }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// The names under which the C library (glibc) gives what is replaced below.
extern "C" {
void* own_malloc(Size size) __asm__("__libc_malloc");
void* own_calloc(Size number, Size size) __asm__("__libc_calloc");
void* own_realloc(void* memory, Size size) __asm__("__libc_realloc");
void* own_memalign(Size alignment, Size size) __asm__("__libc_memalign");
}

namespace {

/// What FMUs allocate is their own affair. They do it themselves, or by the standard library, whose
/// operator new the program does not use.
void count_for(void* caller) noexcept {
    dl_find_object object{};
    const bool is_known = _dl_find_object(caller, &object) == 0 && object.dlfo_link_map != nullptr;
    const char* const library = is_known ? object.dlfo_link_map->l_name : "";
    if (std::strstr(library, "/binaries/") || std::strstr(library, "/libstdc++")) return;
    count();
}

}  // namespace

// A program's own malloc is that of the libraries it is linked with, too.
extern "C" {
void* malloc(Size size) noexcept {
    count_for(__builtin_return_address(0));
    return own_malloc(size);
}
void* calloc(Size number, Size size) noexcept {
    count_for(__builtin_return_address(0));
    return own_calloc(number, size);
}
void* realloc(void* memory, Size size) noexcept {
    count_for(__builtin_return_address(0));
    return own_realloc(memory, size);
}
void* memalign(Size alignment, Size size) noexcept {
    count_for(__builtin_return_address(0));
    return own_memalign(alignment, size);
}
void* aligned_alloc(Size alignment, Size size) noexcept {
    count_for(__builtin_return_address(0));
    return own_memalign(alignment, size);
}
int posix_memalign(void** memory, Size alignment, Size size) noexcept {
    count_for(__builtin_return_address(0));
    void* const found = own_memalign(alignment, size);
    if (found == nullptr) return ENOMEM;
    *memory = found;
    return 0;
}
}

#else

// The sanitizers have a malloc of their own, which must stay.
namespace {

void* own_malloc(Size size) noexcept { return std::malloc(size); }
void* own_memalign(Size alignment, Size size) noexcept {
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

}  // namespace

#endif

namespace {

void* counted(Size size) noexcept {
    count();
    return own_malloc(size == 0 ? 1 : size);
}

void* counted(Size size, Alignment alignment) noexcept {
    count();
    return own_memalign(static_cast<Size>(alignment), size);
}

void* or_throw(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

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
