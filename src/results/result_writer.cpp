#include "tandem/extend/result_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "results/background_flush.hpp"
#include "results/csv_results.hpp"
#include "results/hdf5_writer.hpp"
#include "results/mat_writer.hpp"
#include "tandem/error.hpp"

namespace tandem::results {
namespace {

/// Without its dot.
std::string lower_extension(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension.empty() ? extension : extension.substr(1);
}

template <class Writer>
std::unique_ptr<ResultWriter> make(const std::string& path, const ResultOptions& /*options*/) {
    return std::make_unique<Writer>(path);
}

std::unique_ptr<ResultWriter> make_csv(const std::string& path, const ResultOptions& options) {
    return std::make_unique<CsvResults>(path, options.units_in_header);
}

std::unique_ptr<ResultWriter> make_plain_writer(const std::string& path,
                                                const ResultOptions& options) {
    std::error_code none;
    const bool is_device = std::filesystem::is_character_file(path, none);  // /dev/null
    if (path == "-" || is_device) return make_csv(path, options);
    const std::string extension = lower_extension(path);
    if (const FormatRow* row = formats().find(extension)) return row->make(path, options);
    std::vector<std::string> known;
    for (const FormatRow& row : formats().rows())
        known.push_back(fmt::format(".{} ({})", row.name, row.summary));
    throw InputError(path,
                     extension.empty()
                         ? "results need a file name with an extension"
                         : fmt::format("results cannot be written as '.{}'", extension),
                     fmt::format("use {}", fmt::join(known, " or ")));
}

}  // namespace

Registry<FormatRow>& formats() {
    static Registry<FormatRow> rows("result format",
                                    {{"csv", "text", {}, make_csv},
                                     {"h5", "HDF5", {"hdf5"}, make<Hdf5Writer>},
                                     {"mat", "Modelica tools, MATLAB", {}, make<MatWriter>}});
    return rows;
}

std::unique_ptr<ResultWriter> make_result_writer(const std::string& path,
                                                 const ResultOptions& options) {
    return std::make_unique<BackgroundFlush>(make_plain_writer(path, options));
}

}  // namespace tandem::results
