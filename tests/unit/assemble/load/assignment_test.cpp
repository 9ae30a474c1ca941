#include "assemble/load/assignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

using fmi::Causality;
using testing::ElementsAre;
using testing::HasSubstr;

class Assignments : public testing::Test {
protected:
    Assignments() {
        add("mass", ValueType::float64, Causality::parameter).attributes.min = 0.0;
        add("count", ValueType::int32, Causality::parameter);
        add("on", ValueType::boolean, Causality::parameter);
        add("label", ValueType::string, Causality::parameter);
        add("mode", ValueType::enumeration, Causality::parameter).declared_type = "Mode";
        fmi::Variable& n = add("n", ValueType::uint64, Causality::structural_parameter);
        const fmi::ValueReference n_reference = n.reference;
        fmi::Variable& field = add("field", ValueType::float64, Causality::parameter);
        field.dimensions.push_back({3, n_reference});
        field.start.emplace();
        field.start->reals = {1.0, 2.0, 3.0};
        add("y", ValueType::float64, Causality::output);
        add("a=b", ValueType::float64, Causality::parameter);
        description_.types.push_back(
            {"Mode", "", ValueType::enumeration, {}, {{"eco", 1, ""}, {"sport", 2, ""}}});
    }
    fmi::Variable& add(const char* name, ValueType type, Causality causality) {
        fmi::Variable variable;
        variable.name = name;
        variable.type = type;
        variable.causality = causality;
        variable.reference = static_cast<fmi::ValueReference>(description_.variables.size());
        description_.index_by_name[name] = description_.variables.size();
        return description_.variables.emplace_back(variable);
    }
    Values set(const std::string& text) {
        return parse_assignments(description_, {text}).at(0).values;
    }
    std::string problem_of(const std::string& text) {
        try {
            parse_assignments(description_, {text});
        } catch (const InputError& error) {
            return error.what();
        }
        return "no error";
    }
    fmi::ModelDescription description_;
};

TEST_F(Assignments, take_every_type) {
    EXPECT_THAT(set("mass=1.5e3").reals, ElementsAre(1500.0));
    EXPECT_THAT(set("count=-4").integers, ElementsAre(-4));
    EXPECT_THAT(set("on=true").integers, ElementsAre(1));
    EXPECT_THAT(set("label=a,b = c").strings, ElementsAre("a,b = c"));
    EXPECT_THAT(set("mode=sport").integers, ElementsAre(2));
    EXPECT_THAT(set("mode=1").integers, ElementsAre(1));
}

TEST_F(Assignments, take_whole_arrays_and_single_elements) {
    EXPECT_THAT(set("field=4,5,6").reals, ElementsAre(4.0, 5.0, 6.0));
    EXPECT_THAT(set("field[2]=9").reals, ElementsAre(1.0, 9.0, 3.0));
    const auto both = parse_assignments(description_, {"field[1]=7", "field[3]=8"});
    ASSERT_EQ(both.size(), 1U);
    EXPECT_THAT(both[0].values.reals, ElementsAre(7.0, 2.0, 8.0));
}

TEST_F(Assignments, structural_parameters_come_first_and_decide_sizes) {
    const auto list = parse_assignments(description_, {"field=4,5", "n=2"});
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(description_.variables[list[0].variable].name, "n");
    EXPECT_THAT(list[1].values.reals, ElementsAre(4.0, 5.0));
}

TEST_F(Assignments, the_last_one_wins) {
    const auto list = parse_assignments(description_, {"mass=1", "mass=2"});
    ASSERT_EQ(list.size(), 1U);
    EXPECT_THAT(list[0].values.reals, ElementsAre(2.0));
}

TEST_F(Assignments, names_may_contain_equals_signs) {
    EXPECT_THAT(set("a=b=3").reals, ElementsAre(3.0));
}

TEST_F(Assignments, mistakes_are_explained) {
    EXPECT_THAT(problem_of("mas=1"), HasSubstr("did you mean 'mass'?"));
    EXPECT_THAT(problem_of("mass"), HasSubstr("not of the form name=value"));
    EXPECT_THAT(problem_of("=1"), HasSubstr("not of the form name=value"));
    EXPECT_THAT(problem_of("mass=heavy"), HasSubstr("'heavy' is not a value of 'mass'"));
    EXPECT_THAT(problem_of("count=1.5"), HasSubstr("of type Int32"));
    EXPECT_THAT(problem_of("mode=fast"), HasSubstr("the values are eco, sport"));
    EXPECT_THAT(problem_of("field=1,2"), HasSubstr("'field' has 3 values, not 2"));
    EXPECT_THAT(problem_of("field[4]=1"), HasSubstr("'field' has 3 values"));
    EXPECT_THAT(problem_of("y=1"), HasSubstr("is calculated by the FMU"));
}

}  // namespace
}  // namespace tandem::assemble
