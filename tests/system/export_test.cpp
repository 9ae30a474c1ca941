// A hand-written system as a package says the types that the FMUs say, and runs as before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/archive.hpp"
#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string system_file = R"(connections = [
  "a.matrix_out[2,1:2] -> b.vector_in[2:3]",
  "a.matrix_out[1,2] -> b.vector_in[1]",
  "a.int8_out -> b.int32_in",
  "a.enumeration_out -> b.enumeration_in",
  "a.float64_out -> b.float32_in",
]
[experiment]
stop = 0.2
step = 0.1
[subsystems.a]
source = "fmus/Feedthrough_fmi3.fmu"
kind = "cs"
parameters = { fixed_parameter = 3, int8_in = 5, boolean_in = 1, enumeration_in = "fast", float64_in = 2, matrix_in = [[1, 2], [3, 4]], integers_in = [1, 2, 3] }
[subsystems.b]
source = "fmus/Feedthrough_fmi3.fmu"
kind = "cs"
[parameters]
b.uint16_in = 7
b.tunable_parameter = 4
)";

std::string structure_of(const std::filesystem::path& package) {
    const TemporaryFolder folder;
    Archive(package, {}).unpack(folder.path());
    return read_bytes(folder.path() / "SystemStructure.ssd");
}

TEST(Export, gives_values_and_connectors_the_types_of_their_variables) {
    const CommandFolder folder;
    folder.write("s.toml", system_file);
    ASSERT_EQ(folder.tandem("export s.toml -o s.ssp").code, 0);
    const std::string text = structure_of(folder / "s.ssp");
    EXPECT_THAT(text, HasSubstr(R"(<ssv:Real value="3" />)"));
    EXPECT_THAT(text, HasSubstr(R"(<ssv:Int8 value="5" />)"));
    EXPECT_THAT(text, HasSubstr(R"(<ssv:Boolean value="true" />)"));
    EXPECT_THAT(text, HasSubstr(R"(<ssv:Enumeration value="fast" />)"));
    EXPECT_THAT(text, HasSubstr(R"(<ssv:Integer value="1 2 3" />)"));
    EXPECT_THAT(text, HasSubstr(R"(<ssv:UInt16 value="7" />)"));
    EXPECT_THAT(text, HasSubstr(R"(<ssv:Real value="4" />)"));
    EXPECT_THAT(text, Not(HasSubstr("<ssv:Int64")));
    EXPECT_THAT(text, HasSubstr("<ssc:Int8 />"));
    EXPECT_THAT(text, HasSubstr("<ssc:Float32 />"));
    EXPECT_THAT(text, HasSubstr(R"(startConnector="matrix_out" startIndices="2 1")"));
}

TEST(Export, of_a_system_with_many_types_runs_as_before) {
    const CommandFolder folder;
    folder.write("s.toml", system_file);
    ASSERT_EQ(folder.tandem("export s.toml -o s.ssp").code, 0);
    const Said check = folder.tandem("check s.ssp");
    EXPECT_EQ(check.code, 0) << check.out;
    const std::string options = " --quiet --record '*' --output -";
    const Said before = folder.tandem("run s.toml" + options);
    const Said after = folder.tandem("run s.ssp" + options);
    EXPECT_EQ(after.code, 0) << after.err;
    EXPECT_EQ(after.out, before.out);
}

}  // namespace
}  // namespace tandem::test
