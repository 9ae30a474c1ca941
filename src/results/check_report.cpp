#include "results/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.hpp"
#include "base/units.hpp"
#include "files/csv_reader.hpp"
#include "results/record_selection.hpp"

namespace tandem::results {
namespace {

class ReportCheck {
public:
    ReportCheck(const std::vector<std::string>& columns, bool given, Diagnostics& findings)
        : columns_(columns), given_(given), findings_(findings) {}

    void check(const description::PlotRequest& plot) {
        const auto has_x = [&](const std::string& column) { return column == plot.x; };
        if (!plot.x.empty() && std::ranges::none_of(columns_, has_x)) refuse(plot, plot.x);
        for (const std::string& name : plot.y)
            if (std::ranges::none_of(columns_,
                                     [&](const auto& column) { return matches(name, column); }))
                refuse(plot, name);
    }

    void check_reference(const description::ReportChoice& report) {
        try {
            const CsvReader reader(read_text_file(report.reference.string()),
                                   report.shown_reference);
            const auto is_common = [&](const std::string& column) {
                return std::ranges::find(columns_, split_unit(column).name) != columns_.end();
            };
            if (std::any_of(reader.header().begin() + 1, reader.header().end(), is_common)) return;
            add(report.reference_place,
                fmt::format("'{}' has no column that is recorded, so there is nothing to compare",
                            report.shown_reference),
                "name its columns as results have them: time,subsystem.variable");
        } catch (const InputError& error) {
            findings_.push_back({Severity::error, report.reference_place,
                                 fmt::format("{}: {}", error.place(), error.problem()),
                                 error.hint()});
        }
    }

private:
    void refuse(const description::PlotRequest& plot, const std::string& name) {
        const std::string title = plot.title.empty() ? "" : fmt::format(" '{}'", plot.title);
        add(plot.place, fmt::format("plot{}: '{}' is not recorded", title, name),
            did_you_mean(name, columns_,
                         given_ ? "add it to --record" : "add it to 'variables' under [record]"));
    }
    void add(const std::string& place, std::string problem, std::string hint) {
        findings_.push_back({given_ ? Severity::warning : Severity::error, place,
                             std::move(problem), std::move(hint)});
    }

    const std::vector<std::string>& columns_;
    bool given_;
    Diagnostics& findings_;
};

}  // namespace

std::vector<std::string> recorded_columns(const description::FlatSystem& flat,
                                          const std::vector<Variables*>& variables) {
    std::vector<RecordSource> sources;
    for (std::size_t s = 0; s < variables.size(); ++s)
        sources.push_back({flat.subsystems[s].name + ".", variables[s], {}, {}, nullptr});
    std::vector<std::string> columns;
    try {
        RecordOptions options;
        options.patterns = flat.recording.variables;
        options.exclude = flat.recording.exclude;
        for (const RecordedVariable& chosen : choose_variables(sources, options)) {
            const RecordSource& source = sources[chosen.source];
            const VariableInfo& info = source.variables->list()[chosen.variable];
            const std::string name = source.prefix + info.name;
            for (std::size_t k = 0; k < info.size; ++k)
                columns.push_back(info.size == 1 ? name : fmt::format("{}[{}]", name, k + 1));
        }
    } catch (const InputError&) {
        return {};
    }
    return columns;
}

void check_report(const description::FlatSystem& flat, const std::vector<std::string>& columns,
                  bool given, Diagnostics& findings) {
    if (columns.empty()) return;
    ReportCheck check(columns, given, findings);
    for (const description::PlotRequest& plot : flat.report.plots) check.check(plot);
    if (!flat.report.reference.empty()) check.check_reference(flat.report);
}

}  // namespace tandem::results
