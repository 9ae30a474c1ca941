#include "report/reference.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <unordered_map>

#include "files/archive.hpp"
#include "report/text.hpp"

namespace tandem::report {
namespace {

namespace fs = std::filesystem;

/// The package that `path` leads into, if there is one.
fs::path package_of(const fs::path& path) {
    std::error_code none;
    for (fs::path at = path.parent_path(); at.has_relative_path(); at = at.parent_path())
        if (fs::is_regular_file(at, none)) return at;
    return {};
}

/// Units of columns by their names, as far as the record says them.
std::unordered_map<std::string_view, std::string_view> units_of(const ResultsRecord& record) {
    std::unordered_map<std::string_view, std::string_view> units;
    for (const ColumnRecord& known : record.columns)
        if (!known.unit.empty()) units.emplace(known.name, known.unit);
    return units;
}

std::string with_unit(double value, const std::string& unit) {
    return number(value, 4) + (unit.empty() ? "" : " " + unit);
}

std::string table_html(const ReferenceComparison& all) {
    std::string rows;
    for (const NamedCourse& named : all.courses) {
        const Difference& d = named.difference;
        rows += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"n strong\">{}</td><td class=\"n\">{} s</td>"
            "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            escaped(d.name), escaped(with_unit(d.greatest, named.unit)), number(d.at),
            escaped(with_unit(d.root_mean_square, named.unit)), number(d.relative_greatest(), 4));
    }
    return fmt::format(
        "<div class=\"scroll\"><table class=\"error-table\"><thead><tr><th>variable</th>"
        "<th class=\"n\">largest difference</th><th class=\"n\">at</th>"
        "<th class=\"n\">root mean square</th><th class=\"n\">largest / range</th></tr></thead>"
        "<tbody>{}</tbody></table></div>\n",
        rows);
}

/// "Only in x: a, b and 3 more."
std::string only_in(const std::string& where, const std::vector<std::string>& names) {
    constexpr std::size_t most_names = 8;
    if (names.empty()) return {};
    std::string text = "Only in " + where + ": ";
    for (std::size_t i = 0; i < names.size() && i < most_names; ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > most_names) text += fmt::format(" and {} more", names.size() - most_names);
    return text + ". ";
}

std::string caption(const ReferenceComparison& all) {
    const Comparison& c = all.comparison;
    std::string text = fmt::format(
        "The results less the reference, at the times of the reference from {} to {} s; at events "
        "each side is compared with its like. ",
        number(c.begin), number(c.end));
    if (!c.covers_all) text += "The reference has times that the results have not. ";
    text += only_in(all.file, c.missing) + only_in("the results", c.extra);
    text.pop_back();
    return fmt::format("<p class=\"caption\">{}</p>\n", escaped(text));
}

}  // namespace

Results read_reference(const std::string& path) {
    const fs::path package = package_of(path);
    std::error_code none;
    if (fs::exists(path, none) || package.empty()) return read_results(path);
    return parse_results(Archive(package, {.noun = "package"})
                             .read(fs::path(path).lexically_relative(package).generic_string()),
                         path);
}

ReferenceComparison compare_with_reference(const Results& results, const ResultsRecord& record,
                                           const std::string& reference) {
    const Results expected = read_reference(reference);
    ReferenceComparison all;
    all.file = fs::path(reference).filename().string();
    try {
        all.comparison = compare(expected, results);
    } catch (const InputError& error) {
        throw InputError(reference, "cannot be compared with the results: " + error.problem(),
                         error.hint());
    }
    if (all.comparison.differences.empty())
        throw InputError(reference, "has no column of the results",
                         "name its columns as results have them: time,subsystem.variable");
    const auto units = units_of(record);
    const ColumnIndex of_reference(expected), of_results(results);
    for (const Difference& difference : all.comparison.differences) {
        const Column& column = *of_results.find(difference.name);
        const auto unit = units.find(column.name);
        all.courses.push_back(
            {difference, std::string(unit == units.end() ? column.unit : unit->second),
             difference_course(expected, *of_reference.find(difference.name), results, column)});
    }
    return all;
}

std::string error_html(const ReferenceComparison& all) {
    return fmt::format(
        "<section id=\"error\">\n<h2>Error against {}</h2>\n{}<div id=\"error-plots\" "
        "class=\"plots\"></div>\n{}</section>\n",
        escaped(all.file), table_html(all), caption(all));
}

}  // namespace tandem::report
