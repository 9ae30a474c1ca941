#include "assemble/load/input_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

using testing::HasSubstr;

VariableInfo input(std::string name, ValueType type, bool is_continuous, std::size_t size = 1) {
    VariableInfo info;
    info.name = std::move(name);
    info.type = type;
    info.size = size;
    info.is_input = true;
    info.is_continuous = is_continuous;
    return info;
}

std::vector<VariableInfo> variables() {
    VariableInfo speed = input("speed", ValueType::float64, true);
    speed.unit = "m/s";
    VariableInfo parameter;
    parameter.name = "mass";
    parameter.is_parameter = true;
    return {speed,
            input("gear", ValueType::int32, false),
            input("on", ValueType::boolean, false),
            input("mode", ValueType::enumeration, false),
            input("field", ValueType::float64, true, 3),
            parameter};
}

InputTable table(const std::string& text) {
    return {CsvReader(text, "in.csv"), variables(),
            [](std::size_t, std::string_view item) -> std::optional<std::int64_t> {
                if (item == "eco") return 2;
                return std::nullopt;
            }};
}

std::string problem_of(const std::string& text) {
    try {
        table(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(InputTable, interpolates_continuous_reals_linearly) {
    const InputTable t = table("time,speed\n0,1\n2,5\n");
    EXPECT_DOUBLE_EQ(t.real_at(0, 0.5, Side::after), 2.0);
    EXPECT_EQ(t.real_at(0, 2.0, Side::before), 5.0);
    EXPECT_FALSE(t.next_jump(-1.0));
}

TEST(InputTable, takes_times_in_the_unit_of_the_header) {
    EXPECT_DOUBLE_EQ(table("time [ms],speed\n0,1\n2000,5\n").real_at(0, 0.5, Side::after), 2.0);
    EXPECT_DOUBLE_EQ(table("Time [h],speed\n0,0\n1,3600\n").real_at(0, 7.0, Side::after), 7.0);
    EXPECT_THAT(problem_of("time [kg],speed\n0,1\n"), HasSubstr("'kg' is no unit of time"));
}

TEST(InputTable, holds_the_first_and_last_value_outside) {
    const InputTable t = table("time,speed\n1,1\n2,5\n");
    EXPECT_EQ(t.real_at(0, 0.0, Side::after), 1.0);
    EXPECT_EQ(t.real_at(0, 9.0, Side::before), 5.0);
}

TEST(InputTable, repeated_times_are_a_jump_with_two_sides) {
    const InputTable t = table("time,speed\n0,0\n1,1\n1,7\n1,3\n2,4\n");
    EXPECT_EQ(t.real_at(0, 1.0, Side::before), 1.0);
    EXPECT_EQ(t.real_at(0, 1.0, Side::after), 3.0);
    EXPECT_DOUBLE_EQ(t.real_at(0, 0.5, Side::after), 0.5);
    EXPECT_DOUBLE_EQ(t.real_at(0, 1.5, Side::before), 3.5);
    EXPECT_EQ(t.next_jump(0.0), 1.0);
    EXPECT_FALSE(t.next_jump(1.0));
}

TEST(InputTable, held_inputs_jump_where_they_change) {
    const InputTable t = table("time,gear,on\n0,1,true\n1,1,1\n2,3,true\n3,3,false\n");
    EXPECT_EQ(t.next_jump(0.0), 2.0);
    EXPECT_EQ(t.next_jump(2.0), 3.0);
    EXPECT_EQ(t.row_at(2.0, Side::before), 1U);
    EXPECT_EQ(t.row_at(2.0, Side::after), 2U);
    EXPECT_EQ(t.columns()[1].values.integers[3], 0);
}

TEST(InputTable, takes_units_enumeration_names_arrays_and_decimal_commas) {
    const InputTable t = table("time [s];speed [m/s];mode;field[2]\n0;1,5;eco;-2,25\n");
    EXPECT_EQ(t.columns()[0].values.reals[0], 1.5);
    EXPECT_EQ(t.columns()[1].values.integers[0], 2);
    EXPECT_EQ(t.columns()[2].values.reals[0], -2.25);
    EXPECT_EQ(t.columns()[2].element, 1U);
}

TEST(InputTable, rows_that_miss_the_grid_by_rounding_are_moved_onto_it) {
    InputTable t = table("time,speed\n0,0\n0.3,1\n0.3,2\n1,3\n");
    t.align(TimeGrid(0.0, 1.0, 0.1));
    EXPECT_EQ(t.next_jump(0.0), 3 * 0.1);
}

TEST(InputTable, every_mistake_names_its_place_and_what_to_do) {
    EXPECT_THAT(problem_of("time,sped\n0,1\n"), HasSubstr("did you mean 'speed'?"));
    EXPECT_THAT(problem_of("time,banana\n0,1\n"), HasSubstr("the inputs are speed, gear"));
    EXPECT_THAT(problem_of("time,mass\n0,1\n"),
                HasSubstr("cannot change while the FMU runs: set it with --set"));
    EXPECT_THAT(problem_of("time,speed [kg]\n0,1\n"), HasSubstr("in kg, but the input is in"));
    EXPECT_THAT(problem_of("speed,gear\n0,1\n"), HasSubstr("first column must be the time"));
    EXPECT_THAT(problem_of("time,speed,speed\n0,1,1\n"), HasSubstr("is there twice"));
    EXPECT_THAT(problem_of("time,speed\n"), HasSubstr("no rows below the header"));
    EXPECT_THAT(problem_of("time,speed\n0,1\nx,1\n"), HasSubstr("in.csv:3: 'x' is not a time"));
    EXPECT_THAT(problem_of("time,speed\n0,1\n1,abc\n"),
                HasSubstr("in.csv:3: 'abc' is not a value"));
    EXPECT_THAT(problem_of("time,speed\n0,\n"),
                HasSubstr("in.csv:2: the cell of 'speed' is empty"));
    EXPECT_THAT(problem_of("time,speed\n0,nan\n"), HasSubstr("'nan' is not a value"));
    EXPECT_THAT(problem_of("time,gear\n0,1.5\n"), HasSubstr("of type Int32"));
    EXPECT_THAT(problem_of("time,speed\n1,0\n0,0\n"), HasSubstr("in.csv:3: time goes back"));
}

}  // namespace
}  // namespace tandem::assemble
