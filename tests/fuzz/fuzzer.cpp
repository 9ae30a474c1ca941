// The entry points of libFuzzer for one target, TANDEM_FUZZ_TARGET.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mutate.hpp"
#include "target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const tandem::fuzz::Target& target = tandem::fuzz::target(TANDEM_FUZZ_TARGET);
    target.read({reinterpret_cast<const char*>(data), size});
    return 0;
}

/// Mostly by the structure of the text; one time in sixteen by bytes, for the front door itself.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
    std::mt19937 random(seed);
    const std::string text =
        tandem::fuzz::mutated({reinterpret_cast<const char*>(data), size},
                              tandem::fuzz::target(TANDEM_FUZZ_TARGET).words, random);
    if (text.empty() || text.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, text.data(), text.size());
    return text.size();
}
