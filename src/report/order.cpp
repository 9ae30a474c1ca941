#include <fmt/format.h>

#include <map>
#include <set>

#include "report/page.hpp"
#include "report/text.hpp"

namespace tandem::report {
namespace {

constexpr std::size_t most_rows = 16;  // that are shown without being asked for

bool is_cycle(const GroupRecord& group) { return group.kind.ends_with("cycle"); }

std::string names_text(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

/// "cycle of 3, algebraic: a.u → a.y → a.u"
std::string round_text(const GroupRecord& cycle) {
    std::string text = fmt::format("cycle of {}, ", cycle.members.size());
    if (cycle.kind == "discrete cycle") return text + "through discrete values";
    if (cycle.kind != "algebraic cycle") return text + "through states";
    text += "algebraic";
    for (std::size_t i = 0; i < cycle.loop.size(); ++i)
        text += (i == 0 ? ": " : " → ") + cycle.loop[i];
    return cycle.loop.empty() ? text : text + " → " + cycle.loop.front();
}

std::string statistics_text(const GroupRecord& cycle) {
    std::string text;
    for (const Statistic& statistic : cycle.statistics)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", statistic.name,
                            number(statistic.value, 6));
    return text;
}

struct Row {
    std::vector<std::string> members;
    const GroupRecord* cycle = nullptr;
};

/// By priority; subsystems alone first.
std::multimap<int, Row> rows_of(const RunRecord& record) {
    std::set<std::string> in_cycle;
    for (const GroupRecord& group : record.groups)
        if (is_cycle(group)) in_cycle.insert(group.members.begin(), group.members.end());
    std::map<int, Row> alone;
    for (const SubsystemRecord& subsystem : record.subsystems)
        if (subsystem.priority && !in_cycle.contains(subsystem.name))
            alone[*subsystem.priority].members.push_back(subsystem.name);
    std::multimap<int, Row> rows(alone.begin(), alone.end());
    for (const GroupRecord& group : record.groups)
        if (is_cycle(group)) rows.emplace(group.priority, Row{group.members, &group});
    return rows;
}

}  // namespace

std::string order_html(const RunRecord& record) {
    const std::multimap<int, Row> rows = rows_of(record);
    if (rows.empty()) return {};
    std::string body;
    bool any_statistics = false;
    for (const auto& [priority, row] : rows) {
        const std::string statistics = row.cycle != nullptr ? statistics_text(*row.cycle) : "";
        any_statistics = any_statistics || !statistics.empty();
        body += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", priority,
                            escaped(names_text(row.members)),
                            row.cycle != nullptr ? escaped(round_text(*row.cycle)) : "",
                            escaped(statistics));
    }
    const std::string table = fmt::format(
        "<div class=\"scroll\"><table class=\"order\"><thead><tr><th>priority</th>"
        "<th>subsystems</th><th>cycle</th><th>{}</th></tr></thead><tbody>{}</tbody></table>"
        "</div>\n",
        any_statistics ? "iteration" : "", body);
    if (rows.size() <= most_rows) return table;
    return fmt::format("<details><summary>{} and cycles by priority</summary>{}</details>\n",
                       counted(record.subsystems.size(), "subsystem"), table);
}

}  // namespace tandem::report
