#include "tandem/extend/result_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "process/shared_memory.hpp"
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

/// Counts rows where another process sees them.
class CountedWriter final : public ResultWriter {
public:
    explicit CountedWriter(std::unique_ptr<ResultWriter> writer)
        : writer_(std::move(writer)), shared_(sizeof(std::atomic<std::uint64_t>)) {
        new (shared_.data()) std::atomic<std::uint64_t>(0);
    }
    void begin(const std::vector<ResultColumn>& columns) override { writer_->begin(columns); }
    void write(const ResultRow& row) override { writer_->write(row); }
    void flush() override {
        writer_->flush();
        count().store(writer_->rows_in_file().load());
    }
    void close() override {
        writer_->close();
        count().store(writer_->rows_in_file().load());
    }
    const std::atomic<std::uint64_t>& rows_in_file() const override { return count(); }

private:
    std::atomic<std::uint64_t>& count() const {
        return *reinterpret_cast<std::atomic<std::uint64_t>*>(shared_.data());
    }

    std::unique_ptr<ResultWriter> writer_;
    SharedBlock shared_;
};

std::unique_ptr<ResultWriter> make_plain_writer(const std::string& path,
                                                const ResultOptions& options) {
    std::error_code none;
    const bool is_device = std::filesystem::is_character_file(path, none);  // /dev/null
    if (path == "-" || is_device) return make_csv(path, options);
    const std::string extension = lower_extension(path);
    if (const FormatRow* row = formats().find(extension)) {
        auto writer = row->make(path, options);
        if (writer == nullptr)
            throw InputError(path, fmt::format("the format '{}' made no writer", row->name),
                             "ask the maker of its plug-in");
        if (row->counts_for_others) return writer;
        return std::make_unique<CountedWriter>(std::move(writer));
    }
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
                                    {{"csv", "text", {}, true, make_csv},
                                     {"h5", "HDF5", {"hdf5"}, true, make<Hdf5Writer>},
                                     {"mat", "Modelica tools, MATLAB", {}, true, make<MatWriter>}});
    return rows;
}

std::unique_ptr<ResultWriter> make_result_writer(const std::string& path,
                                                 const ResultOptions& options) {
    return std::make_unique<BackgroundFlush>(make_plain_writer(path, options));
}

}  // namespace tandem::results
