#include "report/graph_dot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tandem::report {
namespace {

constexpr std::size_t most_lines = 8;  // of the label of an edge
constexpr const char* cycle_colour = "#b8500a";

/// A quoted text: only quotes and backslashes mean something inside.
std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
    }
    return result + "\"";
}

/// Lines of a label.
std::string label(const std::vector<std::string>& lines) {
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i) {
        const std::string line = quoted(lines[i]);
        text += (i > 0 ? "\\n" : "") + line.substr(1, line.size() - 2);
    }
    if (lines.size() > most_lines) text += fmt::format("\\nand {} more", lines.size() - most_lines);
    return "\"" + text + "\"";
}

bool is_cycle(const GroupRecord& group) { return group.kind.ends_with("cycle"); }

class Dot {
public:
    explicit Dot(const RunRecord& record) : record_(record) {
        for (const GroupRecord& group : record.groups)
            if (is_cycle(group))
                for (const std::string& member : group.members) cycle_.emplace(member, &group);
    }

    std::string text() {
        text_ = fmt::format(
            "digraph {} {{\n"
            "  rankdir=LR; newrank=true; nodesep=0.6; forcelabels=true;\n"
            "  node [shape=box, style=\"rounded,filled\", fillcolor=white, "
            "fontname=\"Helvetica\"];\n"
            "  edge [fontname=\"Helvetica\", fontsize=10];\n",
            quoted(record_.system_name));
        for (const SubsystemRecord& subsystem : record_.subsystems)
            if (!cycle_.contains(subsystem.name)) text_ += node("  ", subsystem.name);
        clusters();
        ranks();
        edges();
        delayed_edges();
        return std::move(text_) + "}\n";
    }

private:
    static std::string node(const char* indent, const std::string& name) {
        return fmt::format("{}{};\n", indent, quoted(name));
    }

    void clusters() {
        int number = 0;
        for (const GroupRecord& group : record_.groups) {
            if (!is_cycle(group)) continue;
            text_ += fmt::format(
                "  subgraph cluster_{} {{\n    label={}; color=\"{}\"; style=rounded; "
                "fontname=\"Helvetica\"; fontsize=10;\n",
                number++, quoted(group.kind), cycle_colour);
            for (const std::string& member : group.members) text_ += node("    ", member);
            text_ += "  }\n";
        }
    }

    void ranks() {
        std::map<int, std::string> ranks;
        for (const SubsystemRecord& subsystem : record_.subsystems)
            if (subsystem.priority) ranks[*subsystem.priority] += quoted(subsystem.name) + "; ";
        for (const auto& [priority, names] : ranks)
            text_ += fmt::format("  {{ rank=same; {}}} // priority {}\n", names, priority);
    }

    void edges() {
        std::map<std::pair<std::string, std::string>, std::vector<std::string>> labels;
        const auto add = [&](const PortRecord& from, const PortRecord& to) {
            labels[{from.subsystem, to.subsystem}].push_back(from.variable + " → " + to.variable);
        };
        for (const ConnectionRecord& connection : record_.connections)
            add(connection.from, connection.to);
        for (const FunctionRecord& function : record_.functions)
            for (const PortRecord& from : function.from) add(from, function.to);
        for (const auto& [ends, lines] : labels) {
            // Edges inside a rank lie close together; only labels outside do not overlap then.
            const bool beside = goes_round(ends) && ends.first != ends.second;
            text_ +=
                fmt::format("  {} -> {} [{}={}{}];\n", quoted(ends.first), quoted(ends.second),
                            beside ? "xlabel" : "label", label(lines),
                            goes_round(ends) ? fmt::format(", color=\"{}\"", cycle_colour) : "");
        }
    }

    /// Of transmission lines: they have no direction, and no say in the ranks.
    void delayed_edges() {
        for (const LineRecord& line : record_.lines)
            text_ += fmt::format(
                "  {} -> {} [label={}, dir=none, style=dashed, constraint=false];\n",
                quoted(line.ends[0].subsystem), quoted(line.ends[1].subsystem), quoted(line.name));
    }

    bool goes_round(const std::pair<std::string, std::string>& ends) const {
        const auto a = cycle_.find(ends.first), b = cycle_.find(ends.second);
        return a != cycle_.end() && b != cycle_.end() && a->second == b->second;
    }

    const RunRecord& record_;
    std::map<std::string, const GroupRecord*> cycle_;  // of a subsystem
    std::string text_;
};

}  // namespace

std::string system_dot(const RunRecord& record) { return Dot(record).text(); }

}  // namespace tandem::report
