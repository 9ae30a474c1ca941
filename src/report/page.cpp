#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "files/sha256.hpp"
#include "report/graph_svg.hpp"
#include "report/page_sources.hpp"
#include "report/text.hpp"

namespace tandem::report {
namespace {

using Replacements = std::map<std::string, std::string>;

/// Replaces every {{key}} of the template, once: what is put in is not looked at again.
std::string filled(std::string_view page, const Replacements& replacements) {
    std::string result;
    while (true) {
        const auto begin = page.find("{{");
        result += page.substr(0, begin);
        if (begin == std::string_view::npos) return result;
        const auto end = page.find("}}", begin);
        expects(end != std::string_view::npos, "every {{ of the page has its }}");
        const auto found = replacements.find(std::string(page.substr(begin + 2, end - begin - 2)));
        expects(found != replacements.end(), "every {{key}} of the page is known");
        result += found->second;
        page.remove_prefix(end + 2);
    }
}

/// The program of the page, as it stands between its tags.
std::string script() {
    return fmt::format("\n\"use strict\";\n(() => {{\n{}\n{}\n}})();\n", plot_js, page_js);
}

std::string base64(const std::string& hexadecimal) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    // Three bytes, six digits, become four letters; what is missing at the end counts as zero.
    for (std::size_t i = 0; i < hexadecimal.size(); i += 6) {
        std::string digits = hexadecimal.substr(i, 6);
        const std::size_t count = 1 + digits.size() * 4 / 6;
        digits.resize(6, '0');
        const auto bits = static_cast<unsigned>(std::stoul(digits, nullptr, 16));
        for (std::size_t k = 0; k < 4; ++k)
            text += k < count ? letters[(bits >> (18U - 6U * k)) & 63U] : '=';
    }
    return text;
}

/// The page runs its own program and nothing else, and loads nothing: texts of unknown origin that
/// a mistake of ours might let through as markup stay harmless. Bars have their lengths as styles.
std::string policy() {
    return fmt::format(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'",
        base64(sha256(script())));
}

std::string notes_html(const std::vector<std::string>& notes) {
    std::string html;
    for (const std::string& note : notes)
        html += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
    return html;
}

std::string graph_caption(const RunRecord& record) {
    std::string text = fmt::format("{}, {}", counted(record.subsystems.size(), "subsystem"),
                                   counted(record.connections.size(), "connection"));
    if (!record.lines.empty())
        text += fmt::format(", {} (dashed)", counted(record.lines.size(), "transmission line"));
    text += ".";
    if (std::ranges::any_of(record.subsystems,
                            [](const auto& s) { return s.priority.has_value(); }))
        text += " The number in a box is its priority.";
    if (has_cycle(record)) text += " <span class=\"cycle-key\"></span>part of a cycle.";
    if (std::ranges::find(record.groups, "algebraic cycle", &GroupRecord::kind) !=
        record.groups.end())
        text += " <span class=\"cycle-key algebraic\"></span>part of an algebraic one.";
    const auto is_timed = [](const SubsystemRecord& s) { return s.seconds() > 0.0; };
    if (!std::ranges::any_of(record.subsystems, is_timed)) return text;
    return text + " The bar in a box is its time, relative to the slowest.";
}

}  // namespace

std::string html_page(const RunRecord& record, const LoadedResults& results,
                      const PageOptions& options) {
    const std::string name = record.system_name.empty() ? "Run" : record.system_name;
    return filled(page_html, {{"title", escaped(name)},
                              {"style", std::string(colours_css) + page_css + graph_css},
                              {"policy", policy()},
                              {"script", script()},
                              {"header", header_html(record)},
                              {"graph", system_svg(record)},
                              {"graph_caption", graph_caption(record)},
                              {"order", order_html(record)},
                              {"lines", lines_html(record)},
                              {"notes", notes_html(results.notes)},
                              {"error", results.reference ? error_html(*results.reference) : ""},
                              {"cost", cost_html(record)},
                              {"warnings", warnings_html(record)},
                              {"settings", settings_html(record)},
                              {"files", files_html(record)},
                              {"version", escaped(record.tandem_version)},
                              {"data", plot_data(results, options)}});
}

}  // namespace tandem::report
