#include "report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/decimate.hpp"
#include "report/graph_layout.hpp"
#include "report/text.hpp"
#include "report/ticks.hpp"

namespace tandem::report {
namespace {

// The colours of the report: told apart also by the colour-blind.
constexpr std::array<const char*, 8> colours = {"#0072b2", "#d55e00", "#009e73", "#b8529a",
                                                "#c79000", "#4aa5dd", "#6b4fa0", "#555f6d"};
constexpr std::array<const char*, 3> dashes = {"", "7 4", "2 4"};
constexpr const char* fonts =
    "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', 'DejaVu Sans', sans-serif";
constexpr double letter = 7.2;         ///< width of a letter of the legend
constexpr double least_height = 80.0;  ///< of a panel whose height follows from the scale
constexpr double left = 68.0, right = 20.0, legend_row = 20.0;

struct Panel {
    std::string unit;
    std::vector<const Column*> columns;
    double top = 0.0;
    double height = 0.0;
    Range y;
};

void widen(double value, double& low, double& high) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
}

Range range_of(const std::vector<const std::vector<double>*>& lists, bool pad) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto* list : lists)
        for (const double value : *list) widen(value, low, high);
    if (low > high) return {0.0, 1.0};
    return pad || low == high ? padded(low, high) : Range{low, high};
}

Range widened(const Range& range, double length) {
    const double middle = range.low / 2.0 + range.high / 2.0;
    return {middle - length / 2.0, middle + length / 2.0};
}

/// Places panels and writes the picture.
class Chart {
public:
    Chart(const ChartData& data, const ChartOptions& options) : data_(data), options_(options) {
        const bool over_time = data.x == data.t;
        x_ = range_of({data.x}, !over_time);
        double top = options.title.empty() ? 14.0 : 46.0;
        for (const Column* column : data.columns) panel_for(column->unit).columns.push_back(column);
        for (Panel& panel : panels_) {
            std::vector<const std::vector<double>*> lists;
            for (const Column* column : panel.columns) lists.push_back(&column->values);
            panel.y = range_of(lists, true);
            panel.height = options.panel_height;
        }
        if (options.equal) make_equal();
        for (Panel& panel : panels_) {
            panel.top = top + legend_row * legend_rows(panel);
            top = panel.top + panel.height + 42.0;
        }
        height_ = top + 10.0;
    }

    std::string svg() {
        text_ = fmt::format(
            R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}")svg"
            R"svg( width="{0:.0f}" height="{1:.0f}" font-size="12" font-family="{2}">)svg",
            options_.width, height_, fonts);
        text_ += "\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
        if (!options_.title.empty())
            text_ += fmt::format(R"svg(<text x="{}" y="28" font-size="16" font-weight="600")svg"
                                 R"svg( fill="#1b2330">{}</text>)svg",
                                 left, escaped(options_.title));
        for (std::size_t i = 0; i < panels_.size(); ++i) draw(i);
        text_ += fmt::format(
            R"svg(<text x="{:.1f}" y="{:.1f}" text-anchor="end" fill="#5b6677">{}</text>)svg",
            options_.width - right, height_ - 8.0, escaped(options_.x_label));
        return text_ + "\n</svg>\n";
    }

private:
    Panel& panel_for(const std::string& unit) {
        for (Panel& panel : panels_)
            if (panel.unit == unit) return panel;
        panels_.push_back({unit, {}, 0.0, 0.0, {}});
        return panels_.back();
    }

    /// The highest panel is no higher than the picture is wide: rather the x axis gets longer.
    void make_equal() {
        const double inner = options_.width - left - right;
        double tallest = 0.0;
        for (const Panel& panel : panels_) tallest = std::max(tallest, panel.y.high - panel.y.low);
        x_ = widened(x_, std::max(x_.high - x_.low, tallest * inner / options_.width));
        const double scale = inner / (x_.high - x_.low);
        for (Panel& panel : panels_) {
            panel.y = widened(panel.y, std::max(panel.y.high - panel.y.low, least_height / scale));
            panel.height = (panel.y.high - panel.y.low) * scale;
        }
    }

    double entry_width(const Column& column) const {
        return 46.0 + letter * static_cast<double>(column.name.size());
    }
    double legend_rows(const Panel& panel) const {
        double rows = 1.0, x = left;
        for (const Column* column : panel.columns) {
            if (x > left && x + entry_width(*column) > options_.width - right) {
                rows += 1.0;
                x = left;
            }
            x += entry_width(*column);
        }
        return rows;
    }

    double x(double value) const {
        return left + (value - x_.low) / (x_.high - x_.low) * (options_.width - left - right);
    }
    double y(const Panel& panel, double value) const {
        const double part = (value - panel.y.low) / (panel.y.high - panel.y.low);
        return panel.top + panel.height * (1.0 - part);
    }

    void line(Point from, Point to, const char* colour) {
        text_ += fmt::format(
            R"svg(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}"/>)svg", from.x,
            from.y, to.x, to.y, colour);
    }
    void label(Point at, const char* anchor, const std::string& words) {
        text_ += fmt::format(
            R"svg(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="#5b6677">{}</text>)svg", at.x,
            at.y, anchor, escaped(words));
    }

    void draw(std::size_t index) {
        const Panel& panel = panels_[index];
        frame(panel);
        legend(panel);
        text_ += fmt::format(
            R"svg(<clipPath id="panel{}"><rect x="{}" y="{:.1f}" width="{:.1f}")svg"
            R"svg( height="{:.1f}"/></clipPath>)svg",
            index, left, panel.top - 2.0, options_.width - left - right, panel.height + 4.0);
        text_ += fmt::format("<g clip-path=\"url(#panel{})\">\n", index);
        for (std::size_t i = 0; i < panel.columns.size(); ++i) curve(panel, i);
        text_ += "</g>\n";
    }

    void frame(const Panel& panel) {
        const double end = options_.width - right, bottom = panel.top + panel.height;
        for (const Tick& tick : ticks(panel.y.low, panel.y.high, panel.height / 48.0)) {
            const double at = y(panel, tick.value);
            line({left, at}, {end, at}, tick.value == 0.0 ? "#cfd5dd" : "#e9ecf1");
            label({left - 8.0, at + 4.0}, "end", tick.label);
        }
        for (const Tick& tick :
             ticks(x_.low, x_.high, (end - left) / (options_.equal ? 60.0 : 100.0))) {
            const double at = x(tick.value);
            line({at, panel.top}, {at, bottom}, "#e9ecf1");
            line({at, bottom}, {at, bottom + 4.0}, "#8b95a5");
            label({at, bottom + 18.0}, "middle", tick.label);
        }
        line({left, bottom}, {end, bottom}, "#8b95a5");
    }

    void legend(const Panel& panel) {
        double at = left, row = panel.top - 10.0 - legend_row * (legend_rows(panel) - 1.0);
        if (!panel.unit.empty()) label({left - 8.0, row}, "end", "[" + panel.unit + "]");
        for (std::size_t i = 0; i < panel.columns.size(); ++i) {
            const Column& column = *panel.columns[i];
            if (at > left && at + entry_width(column) > options_.width - right) {
                at = left;
                row += legend_row;
            }
            text_ +=
                fmt::format(R"svg(<path d="M{:.1f},{:.1f}h22" stroke="{}" stroke-width="2.4")svg"
                            R"svg( stroke-dasharray="{}"/>)svg",
                            at, row - 4.0, colour(i), dash(i));
            text_ += fmt::format(R"svg(<text x="{:.1f}" y="{:.1f}" fill="#1b2330">{}</text>)svg",
                                 at + 28.0, row, escaped(column.name));
            at += entry_width(column);
        }
    }

    void curve(const Panel& panel, std::size_t index) {
        const std::vector<double>& values = panel.columns[index]->values;
        std::string d;
        char pen = 'M';
        for (const std::size_t row : rows_of(values)) {
            const double h = (*data_.x)[row], v = values[row];
            if (!std::isfinite(h) || !std::isfinite(v)) {
                pen = 'M';
                continue;
            }
            d += fmt::format("{}{:.2f},{:.2f}", pen, x(h), y(panel, v));
            pen = 'L';
        }
        text_ += fmt::format(R"svg(<path d="{}" fill="none" stroke="{}" stroke-width="1.7")svg"
                             R"svg( stroke-linejoin="round" stroke-dasharray="{}"/>)svg",
                             d, colour(index), dash(index));
        text_ += '\n';
    }

    std::vector<std::size_t> rows_of(const std::vector<double>& values) const {
        return data_.x == data_.t
                   ? decimated_rows(*data_.t, values, options_.most_points)
                   : decimated_rows(*data_.t, *data_.x, values, options_.most_points);
    }

    static const char* colour(std::size_t i) { return colours.at(i % colours.size()); }
    static const char* dash(std::size_t i) { return dashes.at(i / colours.size() % dashes.size()); }

    const ChartData& data_;
    const ChartOptions& options_;
    std::vector<Panel> panels_;
    Range x_;
    double height_ = 0.0;
    std::string text_;
};

}  // namespace

std::string chart_svg(const ChartData& data, const ChartOptions& options) {
    return Chart(data, options).svg();
}

}  // namespace tandem::report
