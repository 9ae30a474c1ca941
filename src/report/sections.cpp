#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/page.hpp"
#include "report/text.hpp"

namespace tandem::report {
namespace {

std::string figure(const std::string& value, const std::string& label, const std::string& detail) {
    return fmt::format(
        "<div class=\"figure\"><dt>{}</dt><dd>{}</dd><dd class=\"detail\">{}</dd></div>\n",
        escaped(label), escaped(value), escaped(detail));
}

bool is_controlled(const RunRecord& record) {
    return !record.step_control.method.empty() && record.step_control.method != "fixed";
}

std::string step_text(const RunRecord& record) {
    if (is_controlled(record))
        return fmt::format("of {} to {}", duration(record.step_lengths.shortest),
                           duration(record.step_lengths.longest));
    return record.experiment.step > 0.0 ? fmt::format("of {}", duration(record.experiment.step))
                                        : "";
}

std::string figures(const RunRecord& record) {
    const TotalsRecord& totals = record.totals;
    const double rate = totals.real_time_factor();
    std::string html = figure(duration(totals.simulated_seconds), "simulated",
                              fmt::format("from {} to {} s", number(record.experiment.start),
                                          number(record.experiment.stop)));
    html += figure(duration(totals.wall_seconds), "wall time",
                   rate > 0.0 ? fmt::format("{} × real time", number(rate, 3)) : "");
    html += figure(grouped(totals.steps), "steps", step_text(record));
    html += figure(grouped(totals.events), totals.events == 1 ? "event" : "events",
                   counted(totals.retries + record.step_lengths.repeated, "repeated step"));
    html += figure(grouped(record.subsystems.size()),
                   record.subsystems.size() == 1 ? "subsystem" : "subsystems",
                   counted(record.connections.size(), "connection") +
                       (record.lines.empty() ? "" : ", " + counted(record.lines.size(), "line")));
    return html;
}

std::string outcome_text(const RunRecord& record) {
    switch (record.outcome) {
        case RunOutcome::complete:
            return record.instability ? "Complete, not credible" : "Complete";
        case RunOutcome::failed: return "Failed";
        case RunOutcome::interrupted: return "Interrupted";
    }
    return "";
}

/// The class of the page's style.
std::string outcome_class(const RunRecord& record) {
    const bool is_doubtful = record.outcome == RunOutcome::complete && record.instability;
    return is_doubtful ? "doubtful" : std::string(to_string(record.outcome));
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
    return text;
}

std::string definition(const std::string& name, const std::string& value) {
    return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name),
                       escaped(value));
}

std::string definitions(const std::string& title, const std::string& rows) {
    if (rows.empty()) return {};
    return fmt::format(
        "<div class=\"block\"><h3>{}</h3><table class=\"pairs\"><tbody>{}</tbody></table></div>\n",
        escaped(title), rows);
}

std::string bar(double share) {
    return fmt::format("<span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>", 100.0 * share);
}

std::string time_of(const SubsystemRecord& subsystem, std::string_view part) {
    for (const PartRecord& p : subsystem.parts)
        if (p.name == part) return duration(p.seconds);
    return "–";
}

std::string cost_row(const SubsystemRecord& s, double total, double greatest) {
    const double per_step = s.steps > 0 ? s.seconds() / static_cast<double>(s.steps) : 0.0;
    const double share = total > 0.0 ? s.seconds() / total : 0.0;
    return fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n strong\">{}</td><td class=\"n\">{:.1f} %</td>"
        "<td class=\"wide\">{}</td></tr>\n",
        escaped(s.name), escaped(s.solver.empty() ? s.kind : s.kind + ", " + s.solver),
        grouped(s.steps), grouped(s.events), grouped(s.retries), grouped(s.calls()),
        time_of(s, "step"), duration(per_step), duration(s.seconds()), 100.0 * share,
        bar(greatest > 0.0 ? s.seconds() / greatest : 0.0));
}

/// Of a subsystem that has no times of its own, because it is part of a group.
std::string member_row(const SubsystemRecord& s, const GroupRecord& group) {
    return fmt::format(
        "<tr class=\"member\"><th scope=\"row\">{}</th><td>{}</td><td colspan=\"9\">part of {}: "
        "has no steps and times of its own</td></tr>\n",
        escaped(s.name), escaped(s.kind), escaped(group.name));
}

const GroupRecord* group_of(const RunRecord& record, const SubsystemRecord& s) {
    if (!s.parts.empty()) return nullptr;
    for (const GroupRecord& group : record.groups)
        if (group.kind == "aggregate" &&
            std::ranges::find(group.members, s.name) != group.members.end())
            return &group;
    return nullptr;
}

std::string parts_html(const RunRecord& record) {
    if (record.totals.parts.empty()) return {};
    const double wall = std::max(record.totals.wall_seconds, 1e-300);
    std::string segments, key;
    std::size_t index = 0;
    for (const PartRecord& part : record.totals.parts) {
        const double share = std::clamp(part.seconds / wall, 0.0, 1.0);
        segments += fmt::format("<i class=\"c{}\" style=\"flex-grow:{:.4f}\" data-tip=\"{}\"></i>",
                                index % 8, share,
                                escaped(fmt::format("{}: {}", part.name, duration(part.seconds))));
        key += fmt::format("<li><i class=\"c{}\"></i>{} <b>{}</b> {:.0f} %</li>", index % 8,
                           escaped(part.name), duration(part.seconds), 100.0 * share);
        ++index;
    }
    return fmt::format(
        "<figure class=\"parts\"><figcaption>Where the wall time went</figcaption>"
        "<div class=\"stack\">{}</div><ul>{}</ul></figure>\n",
        segments, key);
}

std::string subsystem_settings(const SubsystemRecord& s) {
    std::string rows = definition("source", s.source) + definition("kind", s.kind);
    if (!s.fmi_version.empty()) rows += definition("FMI version", s.fmi_version);
    if (!s.solver.empty()) rows += definition("solver", s.solver);
    if (!s.capabilities.empty()) rows += definition("capabilities", joined(s.capabilities, ", "));
    for (const Setting& parameter : s.parameters)
        rows += definition(parameter.name, parameter.value);
    for (const Statistic& statistic : s.solver_statistics)
        rows += definition(statistic.name, number(statistic.value, 9));
    return fmt::format("<details><summary>{}</summary>{}</details>\n", escaped(s.name),
                       definitions("", rows));
}

std::string connections_table(const RunRecord& record) {
    if (record.connections.empty()) return {};
    std::string rows;
    for (const ConnectionRecord& c : record.connections)
        rows += fmt::format(
            "<tr><td>{}.{}</td><td>{}.{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td>"
            "<td class=\"n\">{}</td></tr>\n",
            escaped(c.from.subsystem), escaped(c.from.variable), escaped(c.to.subsystem),
            escaped(c.to.variable), escaped(c.unit), escaped(c.type), number(c.gain),
            number(c.offset));
    return fmt::format(
        "<details><summary>{}</summary><div class=\"scroll\"><table><thead><tr><th>from</th>"
        "<th>to</th><th>unit</th><th>type</th><th class=\"n\">gain</th><th class=\"n\">offset</th>"
        "</tr></thead><tbody>{}</tbody></table></div></details>\n",
        counted(record.connections.size(), "connection"), rows);
}

std::string statistic_text(double value) {
    const bool is_count = value >= 0.0 && value < 1e15 && value == std::floor(value);
    return is_count ? grouped(static_cast<std::uint64_t>(value)) : number(value, 9);
}

std::string group_settings(const GroupRecord& group) {
    if (group.kind != "aggregate") return {};
    std::string rows = definition("members", joined(group.members, ", "));
    for (const Statistic& statistic : group.statistics)
        rows += definition(statistic.name, statistic_text(statistic.value));
    return definitions("Group " + group.name, rows);
}

std::string bonds_table(const RunRecord& record) {
    std::string bonds;
    for (const BondRecord& bond : record.bonds) {
        const ConnectionRecord& effort = record.connections.at(bond.effort);
        const ConnectionRecord& flow = record.connections.at(bond.flow);
        bonds += definition(
            bond.name, fmt::format("{}.{} × {}.{}", effort.from.subsystem, effort.from.variable,
                                   flow.from.subsystem, flow.from.variable));
    }
    return definitions("Bonds", bonds);
}

}  // namespace

std::string header_html(const RunRecord& record) {
    const std::string name = record.system_name.empty() ? "Run" : record.system_name;
    std::string html = fmt::format(
        "<p class=\"eyebrow\">Tandem run report</p><h1>{} <span "
        "class=\"outcome {}\">{}</span></h1>\n",
        escaped(name), outcome_class(record), outcome_text(record));
    html += fmt::format("<p class=\"subtitle\">{}{}{}</p>\n", escaped(record.system_file),
                        record.system_file.empty() || record.date.empty() ? "" : " · ",
                        escaped(record.date));
    if (!record.outcome_sentence.empty())
        html += fmt::format("<p class=\"banner {}\">{}</p>\n", outcome_class(record),
                            escaped(record.outcome_sentence));
    html += fmt::format("<dl class=\"figures\">{}</dl>\n", figures(record));
    const auto add_method = [&html](const CouplingRecord& method) {
        html += fmt::format("<p class=\"coupling\"><b>{}</b> {}</p>\n", escaped(method.method),
                            escaped(method.explanation));
    };
    if (!record.coupling.method.empty()) add_method(record.coupling);
    if (is_controlled(record)) add_method(record.step_control);
    return html;
}

std::string cost_html(const RunRecord& record) {
    std::vector<const SubsystemRecord*> sorted;
    double total = 0.0, greatest = 0.0;
    for (const SubsystemRecord& subsystem : record.subsystems) {
        sorted.push_back(&subsystem);
        total += subsystem.seconds();
        greatest = std::max(greatest, subsystem.seconds());
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto* a, const auto* b) { return a->seconds() > b->seconds(); });
    std::string rows;
    for (const SubsystemRecord* subsystem : sorted) {
        const GroupRecord* group = group_of(record, *subsystem);
        rows += group != nullptr ? member_row(*subsystem, *group)
                                 : cost_row(*subsystem, total, greatest);
    }
    return parts_html(record) +
           fmt::format(
               "<div class=\"scroll\"><table class=\"cost-table\"><thead><tr><th>subsystem</th>"
               "<th>kind</th><th class=\"n\">steps</th><th class=\"n\">events</th><th "
               "class=\"n\">repeats</th><th class=\"n\">calls</th><th class=\"n\">in step</th><th "
               "class=\"n\">per step</th><th class=\"n\">time</th><th class=\"n\">share</th><th "
               "class=\"wide\"></th></tr></thead><tbody>{}</tbody></table></div>\n",
               rows);
}

std::string warnings_html(const RunRecord& record) {
    if (record.warnings.empty()) return "<p class=\"none\">No warnings.</p>\n";
    std::string items;
    for (const Diagnostic& warning : record.warnings) {
        items += fmt::format("<li class=\"{}\"><code>{}</code><span>{}</span>",
                             warning.severity == Severity::error ? "error" : "warning",
                             escaped(warning.place), escaped(warning.problem));
        if (!warning.hint.empty()) items += fmt::format("<em>Hint: {}</em>", escaped(warning.hint));
        items += "</li>\n";
    }
    return "<ul class=\"findings\">" + items + "</ul>\n";
}

std::string settings_html(const RunRecord& record) {
    std::string experiment = definition("start", number(record.experiment.start, 17) + " s") +
                             definition("stop", number(record.experiment.stop, 17) + " s") +
                             definition("step", number(record.experiment.step, 17) + " s");
    if (record.experiment.tolerance)
        experiment += definition("tolerance", number(*record.experiment.tolerance));
    if (record.threads.count > 1)
        experiment +=
            definition("threads", fmt::format("{}, in {} % of the steps", record.threads.count,
                                              number(100.0 * record.threads.share, 3)));
    else if (!record.threads.reason.empty())
        experiment += definition("threads", "1: " + record.threads.reason);
    const auto described = [](const Settings& settings) {
        std::string list;
        for (const Setting& s : settings) list += definition(s.name, s.value);
        return list;
    };
    std::string html =
        definitions("Experiment", experiment) +
        definitions("Coupling " + record.coupling.method, described(record.coupling.options)) +
        definitions("Step control " + record.step_control.method,
                    described(record.step_control.options)) +
        definitions("Options", described(record.options)) + bonds_table(record);
    for (const GroupRecord& group : record.groups) html += group_settings(group);
    html = "<div class=\"columns\">" + html + "</div><h3>Details</h3>" + connections_table(record);
    std::string subsystems;
    for (const SubsystemRecord& s : record.subsystems) subsystems += subsystem_settings(s);
    return html + fmt::format("<div class=\"subsystem-settings\">{}</div>", subsystems);
}

std::string files_html(const RunRecord& record) {
    std::string html = fmt::format("<h3>Command</h3><pre class=\"command\">{}</pre>\n",
                                   escaped(joined(record.command_line, " ")));
    std::string rows;
    for (const FileRecord& file : record.files)
        rows += fmt::format(
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td><code>{}</code></td></tr>\n",
            escaped(file.path), escaped(file.role), byte_size(file.bytes), escaped(file.sha256));
    html += fmt::format(
        "<h3>Read</h3><div class=\"scroll\"><table class=\"files\"><thead><tr><th>file</th>"
        "<th>as</th><th class=\"n\">size</th><th>SHA-256</th></tr></thead><tbody>{}</tbody></table>"
        "</div>\n",
        rows);
    std::string written;
    for (const ResultsRecord& results : record.results)
        written += definition(
            results.path, fmt::format("{}, {}, {}", results.format, counted(results.rows, "row"),
                                      counted(results.columns.size(), "variable")));
    return html + definitions("Written", written);
}

}  // namespace tandem::report
