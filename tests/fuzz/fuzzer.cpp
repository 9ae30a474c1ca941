// The entry points of libFuzzer for one target, TANDEM_FUZZ_TARGET.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mutate.hpp"
#include "target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const tandem::fuzz::Target& target() {
    static const tandem::fuzz::Target& only = tandem::fuzz::target(TANDEM_FUZZ_TARGET);
    return only;
}

unsigned long executions = 0, inside = 0;

void say_how_many_got_inside() {
    std::fprintf(stderr, "stat::past_the_front_door: %lu of %lu\n", inside, executions);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) { return std::atexit(say_how_many_got_inside); }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ++executions;
    const auto how_far = target().read({reinterpret_cast<const char*>(data), size});
    if (how_far == tandem::fuzz::Reached::inside) ++inside;
    return 0;
}

/// Mostly by the structure of the text; one time in sixteen by bytes, for the front door itself.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
    std::mt19937 random(seed);
    const std::string text =
        tandem::fuzz::mutated({reinterpret_cast<const char*>(data), size}, target().words, random);
    if (text.empty() || text.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, text.data(), text.size());
    return text.size();
}
