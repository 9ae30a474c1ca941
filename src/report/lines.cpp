#include <fmt/format.h>

#include "report/page.hpp"
#include "report/text.hpp"

namespace tandem::report {
namespace {

std::string ends_text(const LineRecord& line) {
    std::string text;
    for (const LineRecord::End& end : line.ends)
        text += fmt::format("{}{} ({})", text.empty() ? "" : " – ", end.subsystem, end.exchange);
    return text;
}

}  // namespace

std::string lines_html(const RunRecord& record) {
    if (record.lines.empty()) return {};
    std::string body;
    for (const LineRecord& line : record.lines)
        body += fmt::format(
            "<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
            "<td>{}</td><td>{}</td></tr>\n",
            line.creates_energy() ? " class=\"error\"" : "", escaped(line.name),
            escaped(ends_text(line)), number(line.delay, 4), number(line.impedance, 4),
            number(line.stored_first, 4), number(line.put_in, 4), number(line.taken_out, 4),
            number(line.stored, 4), number(line.created, 3));
    return fmt::format(
        "<h3>Transmission lines</h3>\n<p>The energy on its way at the start, what both subsystems "
        "put in and took out, what is on its way at the end, and the most spurious energy that the "
        "line generated: "
        "a line that is passive creates none, and may lose some.</p>\n<div class=\"scroll\"><table "
        "class=\"order\"><thead><tr><th>line</th>"
        "<th>ends (exchange)</th><th>delay</th><th>impedance</th><th>at the start</th><th>put "
        "in</th>"
        "<th>taken out</th><th>at the "
        "end</th><th>created</th></tr></thead><tbody>{}</tbody></table>"
        "</div>\n",
        body);
}

}  // namespace tandem::report
