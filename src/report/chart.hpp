#pragma once

#include <string>
#include <vector>

#include "report/results.hpp"

namespace tandem::report {

struct ChartOptions {
    std::string title;
    std::string x_label = "time in s";
    double width = 960.0;
    double panel_height = 320.0;
    bool equal = false;              ///< the same scale on both axes: the height of a panel follows
    std::size_t most_points = 4000;  ///< per curve
};

/// Curves of `columns` over `x`, as a picture in SVG: one panel per unit, above each other, with
/// axes, ticks, units and a legend. `t` is the time of each row, which decides what to leave out.
struct ChartData {
    const std::vector<double>* t = nullptr;
    const std::vector<double>* x = nullptr;
    std::vector<const Column*> columns;
};
std::string chart_svg(const ChartData& data, const ChartOptions& options);

/// Draws an SVG picture into a PNG file, `scale` pixels per unit. Throws InputError when the file
/// cannot be written.
void write_png(const std::string& svg, const std::string& path, double scale = 2.0);

}  // namespace tandem::report
