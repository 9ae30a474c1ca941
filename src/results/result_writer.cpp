#include "results/result_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.hpp"
#include "results/background_flush.hpp"
#include "results/csv_results.hpp"
#include "results/hdf5_writer.hpp"
#include "results/mat_writer.hpp"

namespace tandem::results {
namespace {

std::string lower_extension(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

std::unique_ptr<ResultWriter> make_plain_writer(const std::string& path,
                                                const ResultOptions& options) {
    const std::string extension = lower_extension(path);
    std::error_code none;
    const bool is_device = std::filesystem::is_character_file(path, none);  // /dev/null
    if (path == "-" || extension == ".csv" || is_device)
        return std::make_unique<CsvResults>(path, options.units_in_header);
    if (extension == ".mat") return std::make_unique<MatWriter>(path);
    if (extension == ".h5" || extension == ".hdf5") return std::make_unique<Hdf5Writer>(path);
    throw InputError(path,
                     extension.empty()
                         ? "results need a file name with an extension"
                         : fmt::format("results cannot be written as '{}'", extension),
                     "use .csv, .mat (Modelica tools, MATLAB) or .h5 (HDF5)");
}

}  // namespace

std::unique_ptr<ResultWriter> make_result_writer(const std::string& path,
                                                 const ResultOptions& options) {
    return std::make_unique<BackgroundFlush>(make_plain_writer(path, options));
}

}  // namespace tandem::results
