#include "description/read/report_sections.hpp"

#include <fmt/format.h>

namespace tandem::description {
namespace {

using Type = Setting::Type;

void read_plot(const Setting& entry, std::vector<PlotRequest>& plots, Diagnostics& findings) {
    constexpr const char* title = "[[plots]]";
    if (entry.type != Type::table) {
        report(findings, entry.place, fmt::format("{}: must be a table", title),
               "write { x = \"car.X\", y = [\"car.Y\"], equal = true }");
        return;
    }
    TableReader reader(entry, title, findings);
    PlotRequest plot;
    plot.place = entry.place;
    plot.title = reader.text("title").value_or("");
    plot.x = reader.text("x").value_or("");
    if (plot.x == "time") plot.x.clear();
    // A value of a wrong type is read as absent; that it is absent needs no second report.
    const std::size_t problems = findings.size();
    plot.y = reader.texts("y");
    if (plot.y.empty() && findings.size() == problems)
        reader.refuse(entry, "'y' is missing", "say what to draw: y = [\"wheel.z\"]");
    plot.equal = reader.boolean("equal").value_or(false);
    if (plot.equal && plot.x.empty())
        reader.refuse(*entry.find("equal"), "'equal' is not for a plot over time",
                      "remove it, or say what to draw over: x = \"car.X\"");
    reader.finish();
    plots.push_back(std::move(plot));
}

void read_reference(TableReader& reader, SystemDescription& description, ReadContext& context) {
    const auto source = reader.text("reference");
    if (!source) return;
    const Place& place = reader.table().find("reference")->place;
    const auto file = resolve_source(*source, description.file.parent_path(), place, context);
    if (!file) return;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file->path, failed)) {
        report(context.findings, place, fmt::format("[report]: there is no file '{}'", *source),
               "'reference' names a CSV file with results, relative to the system file");
        return;
    }
    description.report.reference = file->path;
    description.report.shown_reference = context.shown(file->path);
    description.report.reference_place = place;
}

}  // namespace

void read_report(TableReader& reader, SystemDescription& description, ReadContext& context) {
    if (const Setting* list = reader.list("plots")) {
        description.report.place = list->place;
        for (const Setting& entry : list->entries)
            read_plot(entry, description.report.plots, context.findings);
    }
    if (const Setting* table = reader.table("report")) {
        description.report.place = table->place;
        TableReader inner(*table, "[report]", context.findings);
        read_reference(inner, description, context);
        inner.finish();
    }
}

Setting plots_setting(const ReportChoice& report) {
    Setting list = group("plots", Type::list, {});
    for (const PlotRequest& plot : report.plots) {
        Setting table = group({}, Type::table, {});
        if (!plot.title.empty()) table.entries.push_back(text_setting("title", plot.title));
        if (!plot.x.empty()) table.entries.push_back(text_setting("x", plot.x));
        add_group(table, text_list("y", plot.y));
        if (plot.equal) table.entries.push_back({"equal", {}, Type::boolean, true, {}});
        list.entries.push_back(std::move(table));
    }
    return list;
}

Setting report_setting(const ReportChoice& report) {
    Setting table = group("report", Type::table, {});
    if (!report.reference.empty())
        table.entries.push_back(text_setting("reference", report.reference.generic_string()));
    return table;
}

}  // namespace tandem::description
