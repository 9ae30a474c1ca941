#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

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
    for (const ResultsRecord& results : record.results) load(results, folder, loaded);
    limit(loaded, options.most_series);
    return loaded;
}

std::string plot_data(const LoadedResults& results, const PageOptions& options) {
    const std::size_t share = options.most_points / std::max<std::size_t>(1, results.series.size());
    const std::size_t budget = std::clamp(share, fewest_points, enough_points);
    TimeAxes axes;
    Json list = Json::array();
    std::size_t reduced = 0;
    for (const Series& series : results.series) {
        const auto rows = decimated_rows(*series.time, *series.values, budget);
        const Curve curve = curve_of(*series.time, *series.values, rows);
        Json json = {{"name", series.name},         {"subsystem", series.subsystem},
                     {"variable", series.variable}, {"unit", series.unit},
                     {"rows", series.time->size()}, {"t", axes.index_of(curve.t)}};
        json.update(packed_values(curve.v));
        list.push_back(std::move(json));
        reduced += rows.size() > 3 * budget / 4 && rows.size() < series.time->size() ? 1 : 0;
    }
    const Json data = {{"times", axes.take()}, {"series", std::move(list)}, {"reduced", reduced}};
    std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
    // Inside a script element, a name with "</script" or "<!--" must not be seen as such.
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
        text.replace(at, 1, "\\u003c");
    return text;
}

}  // namespace tandem::report
