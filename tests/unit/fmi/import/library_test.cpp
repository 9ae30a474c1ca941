#include "fmi/import/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/odd_fmu.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {
namespace {

using testing::HasSubstr;

std::string refusal(const OddFmu& odd) {
    try {
        odd.fmu->library(Kind::co_simulation);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Library, finds_functions_and_gives_null_for_those_it_lacks) {
    const OddFmu odd;
    const Library& library = odd.fmu->library(Kind::co_simulation);
    EXPECT_NE(library.find("fmi2DoStep"), nullptr);
    EXPECT_EQ(library.find("fmi2Reset"), nullptr);
}

TEST(Library, with_another_name_is_taken_if_it_is_the_only_one) {
    const OddFmu odd({.file_name = "renamed.so"});
    EXPECT_EQ(odd.fmu->library(Kind::co_simulation).path().filename(), "renamed.so");
}

TEST(Library, with_another_name_among_several_is_refused) {
    const OddFmu odd({.file_name = "renamed.so"});
    std::ofstream(odd.fmu->folder() / "binaries/linux64/second.so") << "x";
    EXPECT_THAT(refusal(odd), HasSubstr("is called odd.so"));
}

TEST(Library, that_needs_libm_without_saying_so_can_compute_a_sine) {
    const OddFmu odd({.library = "without_libm"});
    using Sine = double(double);
    auto* sine =
        reinterpret_cast<Sine*>(odd.fmu->library(Kind::co_simulation).find("fmi2Instantiate"));
    EXPECT_NEAR(sine(1.5707963267948966), 1.0, 1e-15);
}

TEST(Library, with_the_same_symbols_as_another_uses_its_own) {
    const OddFmu first({.library = "twin1"});
    const OddFmu second({.library = "twin2"});
    using Step = int(void*, double, double, int);
    const auto number = [](const OddFmu& odd) {
        Library& library = odd.fmu->library(Kind::co_simulation);
        return reinterpret_cast<Step*>(library.find("fmi2DoStep"))(nullptr, 0.0, 0.0, 0);
    };
    EXPECT_EQ(number(first), 1);
    EXPECT_EQ(number(second), 2);
    EXPECT_EQ(number(first), 1);
}

TEST(Library, without_a_required_function_is_refused_by_its_name) {
    const OddFmu odd({.library = "incomplete"});
    EXPECT_THAT(refusal(odd), HasSubstr("lacks the functions fmi2Instantiate, "
                                        "fmi2ExitInitializationMode, fmi2DoStep"));
}

TEST(Library, for_other_platforms_only_is_refused_with_their_names) {
    const OddFmu odd({.platform = "win64"});
    EXPECT_THAT(refusal(odd), HasSubstr("only for: win64"));
}

TEST(Library, whose_folder_is_empty_is_not_offered_as_a_binary_for_it) {
    const OddFmu odd({.platform = "win64"});
    std::filesystem::create_directories(odd.fmu->folder() / "binaries/linux64");
    std::filesystem::create_directories(odd.fmu->folder() / "binaries/linux32");
    EXPECT_THAT(refusal(odd), testing::EndsWith("only for: win64"));
}

TEST(Library, of_another_processor_is_refused_before_it_is_loaded) {
    const OddFmu odd;
    constexpr int machine_offset = 18;  // e_machine of the ELF header
    std::fstream file(odd.fmu->folder() / "binaries/linux64/odd.so",
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(machine_offset);
    file.put(static_cast<char>(0xb7));  // AArch64
    file.close();
    EXPECT_THAT(refusal(odd), HasSubstr("another processor"));
}

TEST(Library, that_is_no_library_is_refused) {
    const OddFmu odd;
    std::ofstream(odd.fmu->folder() / "binaries/linux64/odd.so") << "MZ and so on";
    EXPECT_THAT(refusal(odd), HasSubstr("not a Linux shared library"));
}

TEST(Library, that_allows_one_instance_refuses_a_second_one_while_the_first_lives) {
    OddFmu odd({.only_once = true});
    auto first = odd.fmu->instantiate_co_simulation(odd.behaving("first"));
    EXPECT_THROW(odd.fmu->instantiate_co_simulation(odd.behaving("second")), InputError);
    first.reset();
    EXPECT_NE(odd.fmu->instantiate_co_simulation(odd.behaving("third")), nullptr);
}

}  // namespace
}  // namespace tandem::fmi
