#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "base/names.hpp"
#include "report/decimate.hpp"
#include "report/page.hpp"

namespace tandem::report {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t fewest_points = 400;
constexpr std::size_t enough_points = 4000;

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = (word << 8U) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            text += k <= count ? digits[(word >> (18U - 6U * k)) & 63U] : '=';
    }
    return text;
}

/// The script reads little-endian numbers, as all machines we build for store them.
static_assert(std::endian::native == std::endian::little);

template <class T>
std::string packed(const std::vector<T>& numbers) {
    return base64({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)});
}

/// Values as floats relative to their middle, in units of a power of two near their range: 24 bits
/// of the range, however far from zero, however small.
Json packed_values(const std::vector<double>& values) {
    double least = 0.0, greatest = 0.0;
    bool any = false;
    for (const double v : values)
        if (std::isfinite(v)) {
            least = any ? std::min(least, v) : v;
            greatest = any ? std::max(greatest, v) : v;
            any = true;
        }
    const double offset = least / 2.0 + greatest / 2.0;
    const double half = greatest / 2.0 - least / 2.0;
    const double scale = half > 0.0 ? std::ldexp(1.0, std::ilogb(half)) : 1.0;
    std::vector<float> floats;
    floats.reserve(values.size());
    for (const double v : values) floats.push_back(static_cast<float>((v - offset) / scale));
    return {{"offset", offset}, {"scale", scale}, {"v", packed(floats)}};
}

/// Time axes are many times the same: each is stored once.
class TimeAxes {
public:
    std::size_t index_of(const std::vector<double>& t) {
        const auto [entry, is_new] = known_.emplace(packed(t), known_.size());
        if (is_new) axes_.push_back(entry->first);
        return entry->second;
    }
    Json take() { return std::move(axes_); }

private:
    std::map<std::string, std::size_t> known_;
    Json axes_ = Json::array();
};

/// Curves with no more points than `budget` has, two axes twice as many.
class CurvePacker {
public:
    explicit CurvePacker(std::size_t budget) : budget_(budget) {}

    Json packed(const Series& series) {
        const auto rows = decimated_rows(*series.time, *series.values, budget_);
        reduced_ += rows.size() > 3 * budget_ / 4 && rows.size() < series.time->size() ? 1 : 0;
        return curve(series, rows);
    }
    Json packed(const Series& series, const Series& x) {
        const auto rows = decimated_rows(*series.time, *x.values, *series.values, budget_);
        Json json = curve(series, rows);
        json["x"] = packed_values(curve_of(*x.time, *x.values, rows).v);
        return json;
    }
    std::size_t reduced() const { return reduced_; }
    Json take_axes() { return axes_.take(); }

private:
    Json curve(const Series& series, const std::vector<std::size_t>& rows) {
        const Curve curve = curve_of(*series.time, *series.values, rows);
        Json json = {{"name", series.name},         {"subsystem", series.subsystem},
                     {"variable", series.variable}, {"unit", series.unit},
                     {"rows", series.time->size()}, {"t", axes_.index_of(curve.t)}};
        json.update(packed_values(curve.v));
        return json;
    }

    std::size_t budget_;
    std::size_t reduced_ = 0;
    TimeAxes axes_;
};

Json asked_json(const AskedPlot& plot, CurvePacker& packer) {
    Json curves = Json::array();
    for (const Series& series : plot.curves)
        curves.push_back(plot.x ? packer.packed(series, *plot.x) : packer.packed(series));
    Json json = {{"title", plot.title}, {"equal", plot.equal}, {"curves", std::move(curves)}};
    if (plot.x) json["x"] = {{"name", plot.x->name}, {"unit", plot.x->unit}};
    return json;
}

const ColumnRecord* column_of(const ResultsRecord& results, const std::string& name) {
    for (const ColumnRecord& column : results.columns)
        if (column.name == name) return &column;
    return nullptr;
}

Series series_of(const ResultsRecord& record, const Results& results, const Column& column) {
    Series series{column.name, {}, column.name, column.unit, &results.time, &column.values};
    if (const ColumnRecord* known = column_of(record, column.name)) {
        series.subsystem = known->subsystem;
        if (!known->variable.empty()) series.variable = known->variable;
        if (!known->unit.empty()) series.unit = known->unit;
    }
    return series;
}

const Series* find(const LoadedResults& loaded, const std::string& name) {
    const auto found = std::ranges::find(loaded.series, name, &Series::name);
    return found == loaded.series.end() ? nullptr : &*found;
}

/// The plots that the record asks for, as far as their variables are there.
void add_asked(const RunRecord& record, LoadedResults& loaded) {
    for (const PlotRecord& wanted : record.plots) {
        AskedPlot plot{wanted.title, wanted.equal, std::nullopt, {}};
        const Series* x = wanted.x.empty() ? nullptr : find(loaded, wanted.x);
        if (x != nullptr) plot.x = *x;
        for (const Series& series : loaded.series)
            if (std::ranges::any_of(
                    wanted.y,
                    [&](const std::string& pattern) { return matches(pattern, series.name); }) &&
                (x == nullptr || series.time == x->time) && series.name != wanted.x)
                plot.curves.push_back(series);
        if (plot.curves.empty() || (x == nullptr && !wanted.x.empty()))
            loaded.notes.push_back(
                fmt::format("The plot '{}' is left out: the results do not have "
                            "its variables.",
                            wanted.title));
        else
            loaded.asked.push_back(std::move(plot));
    }
}

/// Compares the first results file that could be read.
void add_reference(const std::string& reference, const ResultsRecord& record,
                   LoadedResults& loaded) {
    try {
        loaded.reference = compare_with_reference(loaded.files.front(), record, reference);
    } catch (const InputError& error) {
        loaded.notes.push_back(error.place() + ": " + error.problem() + ".");
    }
}

/// Shows at most `most` of the series and says so.
void limit(LoadedResults& loaded, std::size_t most) {
    if (loaded.series.size() <= most) return;
    loaded.notes.push_back(fmt::format("The plots show the first {} of {} recorded variables.",
                                       most, loaded.series.size()));
    loaded.series.resize(most);
}

void load(const ResultsRecord& record, const std::string& folder, LoadedResults& loaded) {
    if (record.format != "csv") {
        loaded.notes.push_back(fmt::format(
            "{}: only results in CSV are plotted; run with --output results.csv to see them.",
            record.path));
        return;
    }
    try {
        loaded.files.push_back(
            read_results((std::filesystem::path(folder) / record.path).string()));
    } catch (const InputError& error) {
        loaded.notes.push_back(error.place() + ": " + error.problem() + ".");
        return;
    }
    const Results& results = loaded.files.back();
    for (const Column& column : results.columns)
        loaded.series.push_back(series_of(record, results, column));
    for (const std::string& name : results.text_columns)
        loaded.notes.push_back(fmt::format("{} is not plotted: its values are texts.", name));
}

}  // namespace

LoadedResults load_results(const RunRecord& record, const std::string& folder,
                           const PageOptions& options) {
    LoadedResults loaded;
    loaded.files.reserve(record.results.size());  // series point into it
    for (const ResultsRecord& results : record.results) {
        const bool is_first = loaded.files.empty();
        load(results, folder, loaded);
        if (is_first && !loaded.files.empty() && !record.reference.empty())
            add_reference((std::filesystem::path(folder) / record.reference).string(), results,
                          loaded);
    }
    add_asked(record, loaded);
    limit(loaded, options.most_series);
    return loaded;
}

std::string plot_data(const LoadedResults& results, const PageOptions& options) {
    const std::size_t share = options.most_points / std::max<std::size_t>(1, results.series.size());
    CurvePacker packer(std::clamp(share, fewest_points, enough_points));
    Json list = Json::array(), asked = Json::array(), errors = Json::array();
    for (const Series& series : results.series) list.push_back(packer.packed(series));
    const std::size_t reduced = packer.reduced();
    for (const AskedPlot& plot : results.asked) asked.push_back(asked_json(plot, packer));
    if (results.reference)
        for (const NamedCourse& named : results.reference->courses)
            errors.push_back(packer.packed({named.difference.name,
                                            {},
                                            named.difference.name,
                                            named.unit,
                                            &named.course.time,
                                            &named.course.values}));
    const Json data = {{"times", packer.take_axes()},
                       {"series", std::move(list)},
                       {"asked", std::move(asked)},
                       {"errors", std::move(errors)},
                       {"reduced", reduced}};
    std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
    // Inside a script element, a name with "</script" or "<!--" must not be seen as such.
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
        text.replace(at, 1, "\\u003c");
    return text;
}

}  // namespace tandem::report
