#include "base/units.hpp"

#include <gtest/gtest.h>

using tandem::parse_unit;
using tandem::split_unit;
using tandem::UnitInBase;

// Exponents of kg m s A K mol cd rad.
TEST(ParseUnit, understands_products_quotients_and_powers) {
    EXPECT_EQ(parse_unit("m/s2"), (UnitInBase{{0, 1, -2}, 1.0, 0.0}));
    EXPECT_EQ(parse_unit("N.m"), (UnitInBase{{1, 2, -2}, 1.0, 0.0}));
    EXPECT_EQ(parse_unit("rad/s"), (UnitInBase{{0, 0, -1, 0, 0, 0, 0, 1}, 1.0, 0.0}));
    EXPECT_EQ(parse_unit("1/s"), (UnitInBase{{0, 0, -1}, 1.0, 0.0}));
    EXPECT_EQ(parse_unit("J/(kg.K)"), (UnitInBase{{0, 2, -2, 0, -1}, 1.0, 0.0}));
    EXPECT_EQ(parse_unit("kg.m-3"), (UnitInBase{{1, -3}, 1.0, 0.0}));
    EXPECT_EQ(parse_unit("m/s/s"), parse_unit("m/s2"));
}

TEST(ParseUnit, knows_factors_prefixes_and_offsets) {
    EXPECT_EQ(parse_unit("bar"), (UnitInBase{{1, -1, -2}, 1e5, 0.0}));
    EXPECT_EQ(parse_unit("kW"), (UnitInBase{{1, 2, -3}, 1e3, 0.0}));
    EXPECT_EQ(parse_unit("degC"), (UnitInBase{{0, 0, 0, 0, 1}, 1.0, 273.15}));
    const auto flow = parse_unit("L/min");
    ASSERT_TRUE(flow);
    EXPECT_EQ(flow->exponents, (std::array<int, 8>{0, 3, -1}));
    EXPECT_DOUBLE_EQ(flow->factor, 1e-3 / 60.0);
}

TEST(ParseUnit, drops_the_offset_of_a_temperature_in_a_quotient) {
    EXPECT_EQ(parse_unit("degC/s"), (UnitInBase{{0, 0, -1, 0, 1}, 1.0, 0.0}));
    EXPECT_EQ(parse_unit("W/degC")->offset, 0.0);
}

TEST(ParseUnit, refuses_what_it_does_not_know) {
    for (const char* text : {"", "furlong", "m/", "/s", "m//s", "(m", "m)", "m s", "kmin", "2"})
        EXPECT_FALSE(parse_unit(text)) << text;
}

TEST(SplitUnit, leaves_indices_and_names_without_units_alone) {
    const auto parts = [](const std::string& text) {
        const auto [name, unit] = split_unit(text);
        return name + "|" + unit;
    };
    EXPECT_EQ(parts("speed [m/s]"), "speed|m/s");
    EXPECT_EQ(parts("speed   [m/s]"), "speed|m/s");
    EXPECT_EQ(parts("speed"), "speed|");
    EXPECT_EQ(parts("speed[1]"), "speed[1]|");
    EXPECT_EQ(parts("speed[1] [m/s]"), "speed[1]|m/s");
    EXPECT_EQ(parts("at [1] end"), "at [1] end|");
}
