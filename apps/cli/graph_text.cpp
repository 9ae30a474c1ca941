#include "graph_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace tandem::cli {
namespace {

constexpr std::size_t line_width = 48;  // of a list of names
constexpr std::size_t loop_width = 40;
constexpr std::size_t most_connections = 12;  // of a cycle, one by one
constexpr std::size_t most_pairs = 24;

using Names = std::vector<std::string>;

bool is_cycle(const GroupRecord& group) { return group.kind.ends_with("cycle"); }

/// Names with commas, as many lines as they need; never empty.
Names lines_of(const Names& names) {
    Names lines{""};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name = printable(names[i]) + (i + 1 < names.size() ? "," : "");
        if (!lines.back().empty() && lines.back().size() + name.size() >= line_width)
            lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + name;
    }
    return lines;
}

/// "cycle of 3 (algebraic: a.u -> a.y -> ... -> a.u)"
std::string kind_of(const GroupRecord& cycle) {
    std::string how = "through states";
    if (cycle.kind == "discrete cycle") how = "through discrete values";
    if (cycle.kind == "algebraic cycle") {
        how = "algebraic:";
        std::size_t shown = 0;
        while (shown < cycle.loop.size() && how.size() < loop_width)
            how += " " + printable(cycle.loop[shown++]) + " ->";
        if (shown < cycle.loop.size()) how += fmt::format(" {} more ->", cycle.loop.size() - shown);
        if (!cycle.loop.empty()) how += " " + printable(cycle.loop.front());
    }
    return fmt::format("cycle of {} ({})", cycle.members.size(), how);
}

/// Everything of one priority: subsystems alone, and cycles.
struct Rank {
    Names alone;
    std::vector<const GroupRecord*> cycles;
};

std::map<int, Rank> ranks_of(const RunRecord& record) {
    std::map<int, Rank> ranks;
    std::set<std::string> in_cycle;
    for (const GroupRecord& group : record.groups) {
        if (!is_cycle(group)) continue;
        ranks[group.priority].cycles.push_back(&group);
        in_cycle.insert(group.members.begin(), group.members.end());
    }
    for (const SubsystemRecord& subsystem : record.subsystems)
        if (!in_cycle.contains(subsystem.name))
            ranks[subsystem.priority.value_or(0)].alone.push_back(subsystem.name);
    return ranks;
}

std::string heading(const RunRecord& record, std::size_t priorities, const Style& style) {
    const auto cycles = std::ranges::count_if(record.groups, is_cycle);
    std::string text = fmt::format("{}: {}, {}", style.heading(printable(record.system_name)),
                                   counted(record.subsystems.size(), "subsystem"),
                                   counted(record.connections.size(), "connection"));
    if (!record.functions.empty()) text += ", " + counted(record.functions.size(), "function");
    if (!record.lines.empty()) text += ", " + counted(record.lines.size(), "line");
    return text +
           fmt::format(", {}, {}\n", counted(cycles, "cycle"),
                       priorities == 1 ? "1 priority" : fmt::format("{} priorities", priorities));
}

std::string priority_table(const std::map<int, Rank>& ranks, const Style& style) {
    TextTable table(style, 0);
    table.header({"priority", "in parallel", "subsystems", "cycle"});
    for (const auto& [priority, rank] : ranks) {
        std::string first = std::to_string(priority);
        std::string count = std::to_string(rank.alone.size() + rank.cycles.size());
        const auto add = [&](const Names& names, const std::string& kind) {
            const Names lines = lines_of(names);
            for (std::size_t i = 0; i < lines.size(); ++i)
                table.row({std::exchange(first, ""), std::exchange(count, ""), lines[i],
                           i == 0 ? kind : ""});
        };
        if (!rank.alone.empty()) add(rank.alone, "");
        for (const GroupRecord* cycle : rank.cycles) add(cycle->members, kind_of(*cycle));
    }
    return table.text();
}

/// What goes from a member of the cycle to a member, by the pair of them.
using Flows = std::map<std::pair<std::string, std::string>, Names>;

Flows flows_inside(const RunRecord& record, const GroupRecord& cycle) {
    const std::set<std::string> members(cycle.members.begin(), cycle.members.end());
    Flows flows;
    const auto add = [&](const PortRecord& from, const PortRecord& to, const char* how) {
        if (members.contains(from.subsystem) && members.contains(to.subsystem))
            flows[{from.subsystem, to.subsystem}].push_back(
                printable(fmt::format("{}.{} -> {}.{}{}", from.subsystem, from.variable,
                                      to.subsystem, to.variable, how)));
    };
    for (const ConnectionRecord& connection : record.connections)
        add(connection.from, connection.to, "");
    for (const FunctionRecord& function : record.functions)
        for (const PortRecord& from : function.from) add(from, function.to, " (in a function)");
    return flows;
}

/// Each one, or where they are many how many there are of each pair.
Names lines_of(const Flows& flows) {
    Names lines;
    for (const auto& [pair, names] : flows) lines.insert(lines.end(), names.begin(), names.end());
    if (lines.size() <= most_connections) return lines;
    lines.clear();
    for (const auto& [pair, names] : flows)
        lines.push_back(names.size() == 1
                            ? names.front()
                            : printable(fmt::format("{} -> {} ({} connections)", pair.first,
                                                    pair.second, names.size())));
    if (lines.size() <= most_pairs) return lines;
    const std::size_t more = lines.size() - most_pairs + 1;
    lines.resize(lines.size() - more);
    lines.push_back(fmt::format("and {} more pairs", more));
    return lines;
}

std::string cycle_table(const RunRecord& record, const Style& style) {
    TextTable table(style, 0);
    table.header({"cycle", "connections in it"});
    bool any = false;
    for (const GroupRecord& cycle : record.groups) {
        if (!is_cycle(cycle)) continue;
        any = true;
        std::string name = printable(cycle.name);
        for (const std::string& line : lines_of(flows_inside(record, cycle)))
            table.row({std::exchange(name, ""), line});
    }
    return any ? "\n" + table.text() : "";
}

std::string line_table(const RunRecord& record, const Style& style) {
    if (record.lines.empty()) return "";
    TextTable table(style, 0);
    table.header({"line", "between", "delay", "impedance"});
    for (std::size_t k = 0; k < std::min(record.lines.size(), most_pairs); ++k) {
        const LineRecord& line = record.lines[k];
        table.row({printable(line.name),
                   printable(fmt::format("{}, {}", line.ends[0].subsystem, line.ends[1].subsystem)),
                   fmt::format("{:.6g}", line.delay), fmt::format("{:.6g}", line.impedance)});
    }
    if (record.lines.size() > most_pairs)
        table.row({fmt::format("and {} more", record.lines.size() - most_pairs)});
    return "\n" + table.text();
}

std::string aggregates(const RunRecord& record) {
    std::string text;
    for (const GroupRecord& group : record.groups) {
        if (group.kind != "aggregate") continue;
        text += fmt::format("\n  The coupling {} makes one differential equation of\n",
                            record.coupling.method);
        for (const std::string& line : lines_of(group.members)) text += "    " + line + "\n";
    }
    return text;
}

}  // namespace

std::string graph_text(const RunRecord& record, const Style& style) {
    const std::map<int, Rank> ranks = ranks_of(record);
    return heading(record, ranks.size(), style) + "\n" + priority_table(ranks, style) +
           cycle_table(record, style) + line_table(record, style) + aggregates(record);
}

}  // namespace tandem::cli
