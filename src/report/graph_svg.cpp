#include "report/graph_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "report/graph_layout.hpp"
#include "report/text.hpp"

namespace tandem::report {
namespace {

constexpr std::size_t longest_tip = 14;
/// Smaller than that, the names could not be read: the page scrolls instead.
constexpr double least_scale = 0.72;

/// The pairs of connected subsystems, with the connections of each.
struct Pairs {
    Graph graph;
    std::vector<std::vector<const ConnectionRecord*>> connections;
};

Pairs pairs_of(const RunRecord& record) {
    std::map<std::string, std::size_t> index;
    for (const SubsystemRecord& subsystem : record.subsystems)
        index.emplace(subsystem.name, index.size());
    Pairs pairs;
    pairs.graph.nodes = record.subsystems.size();
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
    for (const ConnectionRecord& connection : record.connections) {
        const auto a = index.find(connection.from.subsystem),
                   b = index.find(connection.to.subsystem);
        if (a == index.end() || b == index.end() || a->second == b->second) continue;
        const auto ends = std::minmax(a->second, b->second);
        const auto [entry, is_new] = known.emplace(ends, pairs.graph.edges.size());
        if (is_new) {
            pairs.graph.edges.push_back({a->second, b->second, true, false});
            pairs.connections.emplace_back();
        }
        GraphEdge& edge = pairs.graph.edges[entry->second];
        if (edge.from != a->second) edge.backward = true;
        pairs.connections[entry->second].push_back(&connection);
    }
    return pairs;
}

std::string tip_of(const std::vector<const ConnectionRecord*>& connections) {
    std::string tip;
    for (std::size_t i = 0; i < connections.size() && i < longest_tip; ++i) {
        const ConnectionRecord& c = *connections[i];
        tip += fmt::format("{}{}.{} → {}.{}", i > 0 ? "\n" : "", c.from.subsystem, c.from.variable,
                           c.to.subsystem, c.to.variable);
        if (!c.unit.empty()) tip += fmt::format("  [{}]", c.unit);
        if (c.gain != 1.0) tip += fmt::format("  × {}", number(c.gain));
        if (c.offset != 0.0) tip += fmt::format("  + {}", number(c.offset));
    }
    if (connections.size() > longest_tip)
        tip += fmt::format("\n… and {} more", connections.size() - longest_tip);
    return tip;
}

std::string path_text(const BezierPath& path) {
    std::string text = fmt::format("M{:.1f},{:.1f}", path[0].x, path[0].y);
    for (std::size_t i = 1; i + 2 < path.size(); i += 3)
        text += fmt::format("C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", path[i].x, path[i].y,
                            path[i + 1].x, path[i + 1].y, path[i + 2].x, path[i + 2].y);
    return text;
}

std::string edge_svg(const GraphEdge& edge, const BezierPath& path, bool in_cycle,
                     const std::vector<const ConnectionRecord*>& connections) {
    const double width = 1.3 + 0.5 * std::log2(static_cast<double>(connections.size()));
    const char* arrow = in_cycle ? "arrow-cycle" : "arrow";
    const std::string d = path_text(path);
    std::string text =
        fmt::format(R"svg(<g class="edge{}" data-a="{}" data-b="{}" data-tip="{}">)svg",
                    in_cycle ? " cycle" : "", edge.from, edge.to, escaped(tip_of(connections)));
    text += fmt::format(R"svg(<path class="halo" d="{}"/>)svg", d);
    text += fmt::format(R"svg(<path class="line" d="{}" stroke-width="{:.2f}")svg", d, width);
    if (edge.forward) text += fmt::format(R"svg( marker-end="url(#{})")svg", arrow);
    if (edge.backward) text += fmt::format(R"svg( marker-start="url(#{})")svg", arrow);
    return text + "/></g>\n";
}

/// "CS · FMI 2.0" and the like.
std::string short_kind(const SubsystemRecord& subsystem) {
    std::string kind = subsystem.kind;
    if (kind == "co-simulation") kind = "CS";
    if (kind == "model exchange") kind = "ME";
    return subsystem.fmi_version.empty() ? kind : kind + " · FMI " + subsystem.fmi_version;
}

std::string node_tip(const SubsystemRecord& subsystem, double share) {
    std::string tip = subsystem.name + "\n" + subsystem.kind;
    if (!subsystem.fmi_version.empty()) tip += ", FMI " + subsystem.fmi_version;
    if (!subsystem.solver.empty()) tip += "\nsolver " + subsystem.solver;
    if (subsystem.parts.empty()) return tip;
    tip += fmt::format("\n{}, {:.1f} % of all subsystems\n{}, {}", duration(subsystem.seconds()),
                       100.0 * share, counted(subsystem.steps, "step"),
                       counted(subsystem.events, "event"));
    return tip;
}

/// Draws the boxes.
class NodeSvg {
public:
    NodeSvg(const RunRecord& record, const LayoutOptions& options)
        : record_(record), options_(options) {
        for (const SubsystemRecord& subsystem : record.subsystems) {
            total_ += subsystem.seconds();
            greatest_ = std::max(greatest_, subsystem.seconds());
        }
    }

    std::string text(std::size_t index, Point centre, bool in_cycle) const {
        const SubsystemRecord& subsystem = record_.subsystems[index];
        const double w = options_.node_width, h = options_.node_height;
        const double share = total_ > 0.0 ? subsystem.seconds() / total_ : 0.0;
        const double bar = greatest_ > 0.0 ? subsystem.seconds() / greatest_ : 0.0;
        const auto letters = static_cast<std::size_t>((w - 22.0) / 8.9);
        std::string svg =
            fmt::format(R"svg(<g class="node{}" data-node="{}" data-tip="{}")svg"
                        R"svg( transform="translate({:.1f},{:.1f})">)svg",
                        in_cycle ? " cycle" : "", index, escaped(node_tip(subsystem, share)),
                        centre.x - w / 2.0, centre.y - h / 2.0);
        svg += fmt::format(R"svg(<rect class="box" width="{}" height="{}" rx="7"/>)svg", w, h);
        svg += fmt::format(R"svg(<text class="name" x="11" y="20">{}</text>)svg",
                           escaped(shortened(subsystem.name, letters)));
        svg += fmt::format(R"svg(<text class="kind" x="11" y="35">{}</text>)svg",
                           escaped(shortened(short_kind(subsystem), letters + 3)));
        if (subsystem.parts.empty()) return svg + "</g>\n";
        svg += fmt::format(
            R"svg(<rect class="track" x="11" y="{0}" width="{1}" height="3.5" rx="1.75"/>)svg"
            R"svg(<rect class="cost" x="11" y="{0}" width="{2:.1f}" height="3.5" rx="1.75"/>)svg",
            h - 9.5, w - 22.0, bar * (w - 22.0));
        return svg + "</g>\n";
    }

private:
    const RunRecord& record_;
    const LayoutOptions& options_;
    double total_ = 0.0;
    double greatest_ = 0.0;
};

LayoutOptions options_for(const RunRecord& record) {
    std::size_t longest = 0;
    for (const SubsystemRecord& subsystem : record.subsystems)
        longest = std::max(longest, subsystem.name.size());
    LayoutOptions options;
    const double wanted = 8.9 * static_cast<double>(longest) + 24.0;
    const bool many = record.subsystems.size() > 16;
    options.node_width = std::clamp(wanted, 112.0, many ? 150.0 : 190.0);
    options.node_height = 54.0;
    options.column_gap = many ? 46.0 : 76.0;
    options.row_gap = many ? 14.0 : 24.0;
    options.columns = many ? 7 : 6;
    return options;
}

std::string marker(const char* id) {
    return fmt::format(
        R"svg(<marker id="{}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8")svg"
        R"svg( markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">)svg"
        R"svg(<path d="M0,1L10,5L0,9z"/></marker>)svg",
        id);
}

}  // namespace

std::string system_svg(const RunRecord& record) {
    const Pairs pairs = pairs_of(record);
    const LayoutOptions options = options_for(record);
    const GraphLayout layout = lay_out(pairs.graph, options);
    std::string svg = fmt::format(
        R"svg(<svg class="system" role="img" aria-label="Subsystems and connections")svg"
        R"svg( viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}")svg"
        R"svg( style="min-width:{2:.0f}px">)svg",
        layout.width, layout.height, least_scale * layout.width);
    svg += "<defs>" + marker("arrow") + marker("arrow-cycle") + "</defs>";
    for (std::size_t i = 0; i < pairs.graph.edges.size(); ++i)
        svg += edge_svg(pairs.graph.edges[i], layout.edges[i], layout.edge_in_cycle[i],
                        pairs.connections[i]);
    const NodeSvg node(record, options);
    for (std::size_t i = 0; i < layout.nodes.size(); ++i)
        svg += node.text(i, layout.nodes[i], layout.node_in_cycle[i]);
    return svg + "</svg>";
}

bool has_cycle(const RunRecord& record) {
    const std::vector<std::size_t> parts = strong_parts(pairs_of(record).graph);
    std::vector<std::size_t> sorted = parts;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

}  // namespace tandem::report
