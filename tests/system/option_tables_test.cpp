// The documentation has the options that there are.
#include <gtest/gtest.h>

#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

TEST(OptionTables, of_the_documentation_are_those_of_the_program) {
    const CommandFolder folder;
    const Said said = folder.tandem("couplings --markdown");
    EXPECT_EQ(said.code, 0);
    EXPECT_EQ(said.out, read_bytes(TANDEM_SOURCE_DIR "/docs/couplings/options.md"))
        << "run: tandem couplings --markdown > docs/couplings/options.md";
}

}  // namespace
}  // namespace tandem::test
