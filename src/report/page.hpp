#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "record/run_record.hpp"
#include "report/reference.hpp"
#include "report/results.hpp"

namespace tandem::report {

/// One curve of the report. Names and units come from the record where it knows the column.
struct Series {
    std::string name;
    std::string subsystem;
    std::string variable;
    std::string unit;
    const std::vector<double>* time = nullptr;
    const std::vector<double>* values = nullptr;
};

/// A plot that the record asks for.
struct AskedPlot {
    std::string title;
    bool equal = false;
    std::optional<Series> x;  ///< nothing: time
    std::vector<Series> curves;
};

struct PageOptions {
    std::size_t most_series = 400;
    std::size_t most_points = 600'000;  ///< of all series together
};

/// The results files of a record that exist and can be read, and what the record asks for beyond.
/// What cannot be shown is added to `notes`, one sentence each.
struct LoadedResults {
    std::vector<Results> files;
    std::vector<Series> series;
    std::vector<AskedPlot> asked;
    std::optional<ReferenceComparison> reference;
    std::vector<std::string> notes;
};
LoadedResults load_results(const RunRecord& record, const std::string& folder,
                           const PageOptions& options = {});

/// The report as one HTML page that needs nothing else.
std::string html_page(const RunRecord& record, const LoadedResults& results,
                      const PageOptions& options = {});

/// The parts of the page, as HTML.
std::string header_html(const RunRecord& record);
/// Priorities, cycles and how they were solved; empty for a record without priorities.
std::string order_html(const RunRecord& record);
std::string lines_html(const RunRecord& record);
std::string cost_html(const RunRecord& record);
std::string warnings_html(const RunRecord& record);
std::string settings_html(const RunRecord& record);
std::string files_html(const RunRecord& record);

/// The curves as JSON for the script of the page: decimated, numbers in base64.
std::string plot_data(const LoadedResults& results, const PageOptions& options);

}  // namespace tandem::report
