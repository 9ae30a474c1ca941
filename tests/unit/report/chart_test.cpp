#include "report/chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "files/temporary_folder.hpp"
#include "report/text.hpp"
#include "report/ticks.hpp"
#include "tandem/error.hpp"

namespace tandem::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> labels(double low, double high, double count) {
    std::vector<std::string> result;
    for (const Tick& tick : ticks(low, high, count)) result.push_back(tick.label);
    return result;
}

TEST(Ticks, are_round_numbers) {
    using ::testing::ElementsAre;
    EXPECT_THAT(labels(0.0, 10.0, 5.0), ElementsAre("0", "2", "4", "6", "8", "10"));
    EXPECT_THAT(labels(-1.0, 1.0, 4.0), ElementsAre("−1", "−0.5", "0", "0.5", "1"));
    EXPECT_THAT(labels(0.0, 3e-7, 3.0), ElementsAre("0", "1e−7", "2e−7", "3e−7"));
    EXPECT_THAT(labels(101325.0, 101325.4, 4.0),
                ElementsAre("101325", "101325.1", "101325.2", "101325.3", "101325.4"));
    EXPECT_THAT(labels(0.0, 250000.0, 3.0), ElementsAre("0", "100000", "200000"));
}

TEST(Ticks, never_run_away_in_a_tiny_range) { EXPECT_LT(ticks(1e9, 1e9 + 1e-6, 5.0).size(), 50U); }

TEST(Axes, have_a_length_also_for_constant_values) {
    for (const double value : {0.0, 5.0, -1e-9, 1e300}) {
        const Range range = padded(value, value);
        EXPECT_LT(range.low, value);
        EXPECT_GT(range.high, value);
    }
}

Results sample() {
    return parse_results("time,a [m],b <&> [m],c [N]\n0,0,1,5\n1,1,0,5\n1,-1,0,5\n2,nan,1,5\n",
                         "s");
}

std::string picture(const Results& results, const std::vector<double>* x = nullptr) {
    ChartData data{&results.time, x == nullptr ? &results.time : x, {}};
    for (const Column& column : results.columns) data.columns.push_back(&column);
    return chart_svg(data, {.title = "A <title>"});
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(Chart, has_a_panel_per_unit_and_a_curve_per_variable) {
    const std::string svg = picture(sample());
    EXPECT_EQ(count(svg, "<clipPath"), 2U);
    EXPECT_EQ(count(svg, "fill=\"none\""), 3U);
    EXPECT_THAT(svg, HasSubstr("[m]"));
    EXPECT_THAT(svg, HasSubstr("[N]"));
    EXPECT_THAT(svg, HasSubstr("time in s"));
}

TEST(Chart, escapes_names_and_has_no_broken_numbers) {
    const std::string svg = picture(sample());
    EXPECT_THAT(svg, HasSubstr("b &lt;&amp;&gt;"));
    EXPECT_THAT(svg, HasSubstr("A &lt;title&gt;"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Chart, can_be_drawn_over_another_variable) {
    const Results results = sample();
    EXPECT_EQ(count(picture(results, &results.columns[0].values), "fill=\"none\""), 3U);
}

TEST(Chart, becomes_a_png_of_twice_its_size) {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "p.png";
    write_png(picture(sample()), path);
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    ASSERT_GT(bytes.size(), 5000U);
    EXPECT_EQ(bytes.substr(1, 3), "PNG");
    const auto byte = [&bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    EXPECT_EQ(byte(18) * 256 + byte(19), 1920);
    EXPECT_THROW(write_png(picture(sample()), folder.path() / "none" / "p.png"), InputError);
}

TEST(Text, is_made_for_people) {
    EXPECT_EQ(escaped("<a href='x'>&\"\x01"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot; ");
    EXPECT_EQ(shortened("größer", 6), "größer");
    EXPECT_EQ(shortened("größer", 4), "grö…");
    EXPECT_EQ(grouped(1234567), "1\u2009234\u2009567");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(duration(0.0), "0 s");
    EXPECT_EQ(duration(1.5e-3), "1.5 ms");
    EXPECT_EQ(duration(12.3e-6), "12.3 µs");
    EXPECT_EQ(duration(200.0), "3 min 20 s");
    EXPECT_EQ(duration(7320.0), "2 h 2 min");
    EXPECT_EQ(byte_size(12'345), "12.3 kB");
    EXPECT_EQ(counted(1, "step"), "1 step");
    EXPECT_EQ(number(-0.25), "−0.25");
    EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "–");
}

/// Width and height of the only curve of a picture.
std::pair<double, double> extent_of_curve(const std::string& svg) {
    const auto begin = svg.find("<path d=\"M", svg.find("<g clip-path")) + 9;
    std::istringstream path(svg.substr(begin, svg.find('"', begin) - begin));
    double x = 0.0, y = 0.0, left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
    char pen = 0, comma = 0;
    while (path >> pen >> x >> comma >> y) {
        left = std::min(left, x), right = std::max(right, x);
        top = std::min(top, y), bottom = std::max(bottom, y);
    }
    return {right - left, bottom - top};
}

TEST(Chart, with_equal_axes_draws_a_circle_round_and_keeps_the_shape_of_the_rest) {
    // Coordinates have two digits: the extents are right to 0.02.
    for (const double ratio : {0.05, 1.0, 8.0}) {
        std::vector<double> t, x;
        Column y{"y", "m", {}};
        for (int i = 0; i <= 360; ++i) {
            t.push_back(i);
            x.push_back(3.0 * std::cos(i * std::acos(-1.0) / 180.0));
            y.values.push_back(3.0 * ratio * std::sin(i * std::acos(-1.0) / 180.0));
        }
        ChartOptions options;
        options.equal = true;
        const auto [width, height] = extent_of_curve(chart_svg({&t, &x, {&y}}, options));
        EXPECT_NEAR(height, ratio * width, 0.02 * (1.0 + ratio));
        EXPECT_GT(width, 50.0);
        EXPECT_LT(height, options.width);
    }
}

}  // namespace
}  // namespace tandem::report
