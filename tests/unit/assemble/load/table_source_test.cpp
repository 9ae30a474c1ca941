#include "assemble/load/table_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/scratch_file.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TableSourceTest : public ::testing::Test {
protected:
    std::unique_ptr<TableSource> make(const std::string& text) {
        std::ofstream(file_.path()) << text;
        auto source = std::make_unique<TableSource>("road", file_.path());
        source->enter_initialisation({0.0, 10.0, {}});
        source->exit_initialisation();
        return source;
    }
    static std::vector<double> outputs(TableSource& source) {
        std::vector<double> values(source.interface().outputs.size());
        source.get_outputs(values);
        return values;
    }
    static std::vector<double> at(TableSource& source, double t) {
        EXPECT_TRUE(source.step({0.0, t}));
        return outputs(source);
    }

    test::ScratchFile file_{".csv"};
};

TEST_F(TableSourceTest, columns_are_outputs_with_their_units) {
    const auto made = make("time [s],height [mm],slope\n0,1,2\n");
    TableSource& source = *made;
    const Interface& shape = source.interface();
    ASSERT_EQ(shape.outputs.size(), 2U);
    EXPECT_EQ(shape.outputs[0].name, "height");
    EXPECT_EQ(shape.outputs[0].unit, "mm");
    EXPECT_EQ(shape.outputs[1].name, "slope");
    EXPECT_EQ(shape.outputs[1].unit, "");
    EXPECT_TRUE(shape.inputs.empty());
    for (const VariableInfo& info : source.variables().list()) EXPECT_FALSE(info.is_input);
}

TEST_F(TableSourceTest, values_are_interpolated_and_held_outside) {
    const auto made = make("time,a,b\n1,10,0\n3,20,8\n");
    TableSource& source = *made;
    EXPECT_THAT(outputs(source), ElementsAre(10.0, 0.0));
    EXPECT_THAT(at(source, 1.5), ElementsAre(12.5, 2.0));
    EXPECT_THAT(at(source, 3.0), ElementsAre(20.0, 8.0));
    EXPECT_THAT(at(source, 99.0), ElementsAre(20.0, 8.0));
}

TEST_F(TableSourceTest, a_step_to_a_jump_gives_the_side_before_it_until_it_is_passed) {
    const auto made = make("time,a\n0,1\n2,1\n2,5\n4,5\n");
    TableSource& source = *made;
    EXPECT_EQ(source.next_jump(0.0), 2.0);
    EXPECT_EQ(source.next_jump(2.0), std::nullopt);
    EXPECT_THAT(at(source, 2.0), ElementsAre(1.0));
    source.pass_jump();
    EXPECT_THAT(outputs(source), ElementsAre(5.0));
}

TEST_F(TableSourceTest, a_jump_that_misses_a_grid_point_by_rounding_is_moved_onto_it) {
    const auto made = make("time,a\n0,1\n0.3,1\n0.3,5\n4,5\n");
    TableSource& source = *made;
    source.align(TimeGrid(0.0, 1.0, 0.1));
    EXPECT_EQ(source.next_jump(0.0), 3 * 0.1);
}

TEST_F(TableSourceTest, goes_back_to_where_it_was_saved) {
    const auto made = make("time,a\n0,0\n10,10\n");
    TableSource& source = *made;
    at(source, 3.0);
    source.save(StateSlot::step_begin);
    at(source, 7.0);
    source.restore(StateSlot::step_begin);
    EXPECT_THAT(outputs(source), ElementsAre(3.0));
    EXPECT_TRUE(source.interface().capabilities.rollback);
}

TEST_F(TableSourceTest, its_variables_are_its_outputs_and_cannot_be_written) {
    const auto made = make("time,a,b\n0,0,5\n10,10,5\n");
    TableSource& source = *made;
    at(source, 4.0);
    const std::vector<std::size_t> both = {1, 0};
    const VariableGroup group = source.variables().group(both);
    Values values;
    values.resize(group.type, group.size);
    source.variables().read(group, values);
    EXPECT_THAT(values.reals, ElementsAre(5.0, 4.0));
    EXPECT_THROW(source.variables().write(group, values), InputError);
}

TEST_F(TableSourceTest, a_file_that_cannot_be_used_is_refused_with_its_place) {
    for (const char* text : {"time\n", "time,a\n", "time,a\n0,1\n1,x\n", "time,a\n0,x\n1,2\n",
                             "time,a\n1,0\n0,0\n", ""}) {
        try {
            make(text);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr(file_.path()));
        }
    }
    EXPECT_THROW(TableSource("road", "no_such_file.csv"), InputError);
}

TEST_F(TableSourceTest, a_copy_goes_back_by_itself) {
    const auto made = make("time,a\n0,0\n10,10\n");
    const auto copy = made->copy();
    EXPECT_TRUE(copy->step({0.0, 2.0}));
    copy->save(StateSlot::step_begin);
    EXPECT_TRUE(copy->step({2.0, 4.0}));
    EXPECT_TRUE(made->step({0.0, 5.0}));
    copy->restore(StateSlot::step_begin);
    EXPECT_THAT(outputs(*copy), ElementsAre(2.0));
    EXPECT_THAT(outputs(*made), ElementsAre(5.0));
}

}  // namespace
}  // namespace tandem::assemble
