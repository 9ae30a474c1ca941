// The seeds of the fuzzers and some mutations of them, through the same targets: what ./test can
// do in seconds. `./test fuzz` searches on from here.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "mutate.hpp"
#include "target.hpp"

namespace tandem::fuzz {
namespace {

std::vector<std::string> seeds_of(const Target& target) {
    std::vector<std::string> seeds;
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(TANDEM_FUZZ_SEEDS) / target.name)) {
        std::ifstream file(entry.path(), std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return seeds;
}

class FuzzSeeds : public testing::TestWithParam<Target> {};

TEST_P(FuzzSeeds, every_seed_gets_past_the_front_door) {
    const std::vector<std::string> seeds = seeds_of(GetParam());
    EXPECT_FALSE(seeds.empty());
    for (const std::string& seed : seeds) EXPECT_EQ(GetParam().read(seed), Reached::inside) << seed;
}

TEST_P(FuzzSeeds, mutations_end_in_an_answer_and_most_get_past_the_front_door) {
    std::mt19937 random(17);
    int inside = 0, all = 0;
    for (const std::string& seed : seeds_of(GetParam())) {
        std::string text = seed;
        for (int k = 0; k < 200; ++k) {
            text = mutated(k % 4 == 0 ? seed : text, GetParam().words, random);
            ++all;
            if (GetParam().read(text) == Reached::inside) ++inside;
        }
    }
    EXPECT_GT(2 * inside, all) << inside << " of " << all;
}

std::string name_of(const testing::TestParamInfo<Target>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Targets, FuzzSeeds, testing::ValuesIn(targets()), name_of);

}  // namespace
}  // namespace tandem::fuzz
