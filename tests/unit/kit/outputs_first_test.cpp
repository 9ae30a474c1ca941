#include <gtest/gtest.h>

#include "kit/native_ode.hpp"

namespace tandem::kit {
namespace {

int outputs_calls = 0, derivatives_calls = 0;

/// y = 2 x + a, x' = y + b: b acts on no output.
class OutputsFirst : public Model {
public:
    Input<double> a{*this, "a"};
    Input<double> b{*this, "b"};
    State x{*this, "x", 1.0};
    Output<double> y{*this, "y"};
    OutputsFirst() {
        has_indicators(1);
        outputs_come_first();
        depends(y, {x, a});
        depends(x.der, {x, a, b});
    }
    void outputs() override {
        ++outputs_calls;
        sum_ = 2.0 * x + a;
        y = sum_;
    }
    void derivatives() override {
        ++derivatives_calls;
        x.der = sum_ + b;
    }
    void indicators(std::span<double> z) override { z[0] = sum_ - 5.0; }

private:
    double sum_ = 0.0;
};

const ModelClass& model() {
    static const ModelClass known = make_model_class<OutputsFirst>("OutputsFirst", {});
    return known;
}

struct Point {
    NativeOde ode{model(), "m"};
    std::vector<double> y{0.0}, dx{0.0}, z{0.0};
    Point() {
        ode.enter_initialisation({});
        ode.exit_initialisation();
        const std::vector<double> x{1.0}, u{3.0, 10.0};
        EXPECT_TRUE(ode.set_point({0.0, x, u}));
        outputs_calls = derivatives_calls = 0;
    }
};

TEST(OutputsFirst, are_computed_without_derivatives_and_used_by_them) {
    Point point;
    ASSERT_TRUE(point.ode.outputs(point.y));
    EXPECT_EQ(point.y[0], 5.0);
    EXPECT_EQ(derivatives_calls, 0);
    ASSERT_TRUE(point.ode.derivatives(point.dx));
    ASSERT_TRUE(point.ode.indicators(point.z));
    EXPECT_EQ(point.dx[0], 15.0);
    EXPECT_EQ(point.z[0], 0.0);
    EXPECT_EQ(outputs_calls, 1);
    EXPECT_EQ(derivatives_calls, 1);
}

TEST(OutputsFirst, stay_when_an_input_changes_that_none_depends_on) {
    Point point;
    const std::vector<int> first{0}, second{1};
    const int a = point.ode.prepare_inputs(first), b = point.ode.prepare_inputs(second);
    const int y = point.ode.prepare_outputs(first);
    ASSERT_TRUE(point.ode.get_prepared(y, point.y));
    point.ode.set_prepared(b, std::vector<double>{99.0, 20.0});
    ASSERT_TRUE(point.ode.derivatives(point.dx));
    EXPECT_EQ(point.dx[0], 25.0);  // a has not been touched
    EXPECT_EQ(outputs_calls, 1);
    point.ode.set_prepared(a, std::vector<double>{4.0, 99.0});
    ASSERT_TRUE(point.ode.get_prepared(y, point.y));
    EXPECT_EQ(point.y[0], 6.0);
    EXPECT_EQ(outputs_calls, 2);
    ASSERT_TRUE(point.ode.derivatives(point.dx));
    EXPECT_EQ(point.dx[0], 26.0);
}

// Written where the model keeps it, an input counts as set.
TEST(OutputsFirst, follow_inputs_that_are_written_in_place) {
    Point point;
    ASSERT_TRUE(point.ode.outputs(point.y));
    const std::vector<int> first{0};
    const int a = point.ode.prepare_inputs(first);
    const auto places = point.ode.places_of(a);
    ASSERT_EQ(places.size(), 1u);
    *places[0] = 7.0;
    point.ode.inputs_written(a);
    ASSERT_TRUE(point.ode.outputs(point.y));
    EXPECT_EQ(point.y[0], 9.0);
}

}  // namespace
}  // namespace tandem::kit
