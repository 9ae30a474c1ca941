#include "fmi/import/undefined_functions.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <span>
#include <utility>

namespace tandem::fmi {
namespace {

/// A function cannot know by which name it was called, so there is one for each name.
constexpr std::size_t most_names = 256;
std::array<std::string, most_names> names;
std::size_t names_used = 0;
std::mutex names_mutex;

template <std::size_t I>
[[noreturn]] void stand_in() {
    throw UndefinedFunction(
        fmt::format("called the function {}, which no library provides", names[I]));
}

template <std::size_t... I>
constexpr auto stand_ins(std::index_sequence<I...>) {
    return std::array<void (*)(), sizeof...(I)>{&stand_in<I>...};
}

/// Null if there are too many.
void* stand_in_for(const std::string& name) {
    static const auto all = stand_ins(std::make_index_sequence<most_names>());
    const std::lock_guard lock(names_mutex);
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(names_used);
    const auto known = std::find(names.begin(), end, name);
    if (known == end) {
        if (names_used == most_names) return nullptr;
        names[names_used++] = name;
    }
    return reinterpret_cast<void*>(all[static_cast<std::size_t>(known - names.begin())]);
}

/// The tables of a loaded library for functions that are bound when they are first called.
class LazyBindings {
public:
    explicit LazyBindings(const link_map& map) : base_(map.l_addr) {
        std::size_t bytes = 0;
        for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_SYMTAB) symbols_ = at<ElfW(Sym)>(entry->d_un.d_ptr);
            if (entry->d_tag == DT_STRTAB) texts_ = at<char>(entry->d_un.d_ptr);
            if (entry->d_tag == DT_JMPREL) slots_ = at<ElfW(Rela)>(entry->d_un.d_ptr);
            if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
        }
        count_ = bytes / sizeof(ElfW(Rela));
    }

    std::span<const ElfW(Rela)> slots() const {
        const bool complete = symbols_ != nullptr && texts_ != nullptr && slots_ != nullptr;
        return {slots_, complete ? count_ : 0};
    }
    /// Empty where the library does without, or has the function itself.
    std::string required_function(const ElfW(Rela) & slot) const {
        const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(slot.r_info)];
        const bool is_required = ELF64_R_TYPE(slot.r_info) == R_X86_64_JUMP_SLOT &&
                                 symbol.st_shndx == SHN_UNDEF &&
                                 ELF64_ST_BIND(symbol.st_info) != STB_WEAK;
        return is_required ? texts_ + symbol.st_name : "";
    }
    void bind(const ElfW(Rela) & slot, void* function) const {
        *reinterpret_cast<void**>(base_ + slot.r_offset) = function;
    }

private:
    /// The linker has turned offsets in the file into addresses, unless it could not write there.
    template <class T>
    const T* at(ElfW(Addr) address) const {
        return reinterpret_cast<const T*>(address < base_ ? base_ + address : address);
    }

    ElfW(Addr) base_;
    const ElfW(Sym) * symbols_ = nullptr;
    const char* texts_ = nullptr;
    const ElfW(Rela) * slots_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace

std::vector<std::string> catch_undefined_functions(void* library) {
    link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
    const LazyBindings bindings(*map);
    std::vector<std::string> undefined;
    for (const ElfW(Rela) & slot : bindings.slots()) {
        const std::string name = bindings.required_function(slot);
        if (name.empty() || dlsym(library, name.c_str()) != nullptr ||
            dlsym(RTLD_DEFAULT, name.c_str()) != nullptr)
            continue;
        undefined.push_back(name);
        if (void* const function = stand_in_for(name)) bindings.bind(slot, function);
    }
    return undefined;
}

}  // namespace tandem::fmi
