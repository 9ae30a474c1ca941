#include "report/graph_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "report/graph_layout.hpp"
#include "report/page_sources.hpp"
#include "report/text.hpp"

namespace tandem::report {
namespace {

constexpr std::size_t longest_tip = 14;
/// Smaller than that, the names could not be read: the page scrolls instead.
constexpr double least_scale = 0.72;

/// A value that goes from an output to an input: over a connection, or as one of several signals of
/// a function.
struct Flow {
    const PortRecord* from = nullptr;
    const PortRecord* to = nullptr;
    const ConnectionRecord* connection = nullptr;
};

std::vector<Flow> flows_of(const RunRecord& record) {
    std::vector<Flow> flows;
    for (const ConnectionRecord& c : record.connections) flows.push_back({&c.from, &c.to, &c});
    for (const FunctionRecord& function : record.functions)
        for (const PortRecord& from : function.from)
            flows.push_back({&from, &function.to, nullptr});
    return flows;
}

/// The pairs of connected subsystems, with what flows between them. Over transmission lines alone
/// nothing flows in either direction: what arrives is late.
struct Pairs {
    Graph graph;
    std::vector<std::vector<Flow>> flows;
    std::vector<std::vector<const LineRecord*>> lines;
    std::vector<std::vector<Flow>> own;  ///< per subsystem, to itself
};

class Pairing {
public:
    explicit Pairing(const RunRecord& record) {
        for (const SubsystemRecord& subsystem : record.subsystems)
            index_.emplace(subsystem.name, index_.size());
        pairs_.graph.nodes = record.subsystems.size();
        pairs_.own.resize(pairs_.graph.nodes);
        for (const Flow& flow : flows_of(record)) add(flow);
        for (const LineRecord& line : record.lines) add(line);
    }
    Pairs take() { return std::move(pairs_); }

private:
    /// The edge, which may be a new one.
    std::size_t edge_between(std::size_t a, std::size_t b) {
        const auto [entry, is_new] = known_.emplace(std::minmax(a, b), pairs_.graph.edges.size());
        if (is_new) {
            pairs_.graph.edges.push_back({a, b, false, false});
            pairs_.flows.emplace_back();
            pairs_.lines.emplace_back();
        }
        return entry->second;
    }
    void add(const Flow& flow) {
        const auto a = index_.find(flow.from->subsystem), b = index_.find(flow.to->subsystem);
        if (a == index_.end() || b == index_.end()) return;
        if (a->second == b->second) return pairs_.own[a->second].push_back(flow);
        const std::size_t i = edge_between(a->second, b->second);
        GraphEdge& edge = pairs_.graph.edges[i];
        (edge.from == a->second ? edge.forward : edge.backward) = true;
        pairs_.flows[i].push_back(flow);
    }
    void add(const LineRecord& line) {
        if (line.ends.size() != 2) return;
        const auto a = index_.find(line.ends[0].subsystem), b = index_.find(line.ends[1].subsystem);
        if (a == index_.end() || b == index_.end() || a == b) return;
        pairs_.lines[edge_between(a->second, b->second)].push_back(&line);
    }

    std::map<std::string, std::size_t> index_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> known_;
    Pairs pairs_;
};

std::string tip_of(const std::vector<Flow>& flows) {
    std::string tip;
    for (std::size_t i = 0; i < flows.size() && i < longest_tip; ++i) {
        const Flow& flow = flows[i];
        tip += fmt::format("{}{}.{} → {}.{}", i > 0 ? "\n" : "", flow.from->subsystem,
                           flow.from->variable, flow.to->subsystem, flow.to->variable);
        if (flow.connection == nullptr) {
            tip += "  (in a function)";
            continue;
        }
        const ConnectionRecord& c = *flow.connection;
        if (!c.unit.empty()) tip += fmt::format("  [{}]", c.unit);
        if (c.gain != 1.0) tip += fmt::format("  × {}", number(c.gain));
        if (c.offset != 0.0) tip += fmt::format("  + {}", number(c.offset));
    }
    if (flows.size() > longest_tip)
        tip += fmt::format("\n… and {} more", flows.size() - longest_tip);
    return tip;
}

std::string tip_of(const std::vector<const LineRecord*>& lines) {
    std::string tip;
    for (std::size_t i = 0; i < lines.size() && i < longest_tip; ++i)
        tip += fmt::format("{}{}: delay {} s, impedance {}", i > 0 ? "\n" : "", lines[i]->name,
                           number(lines[i]->delay, 4), number(lines[i]->impedance, 4));
    if (lines.size() > longest_tip)
        tip += fmt::format("\n… and {} more", lines.size() - longest_tip);
    return tip;
}

/// How an element says more: the script of the page shows attributes, every viewer shows titles.
enum class Tips { attributes, titles };
std::string tip_attribute(Tips tips, const std::string& text) {
    return tips == Tips::attributes ? fmt::format(" data-tip=\"{}\"", escaped(text)) : "";
}
std::string tip_title(Tips tips, const std::string& text) {
    return tips == Tips::titles ? fmt::format("<title>{}</title>", escaped(text)) : "";
}

std::string path_text(const BezierPath& path) {
    std::string text = fmt::format("M{:.1f},{:.1f}", path[0].x, path[0].y);
    for (std::size_t i = 1; i + 2 < path.size(); i += 3)
        text += fmt::format("C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", path[i].x, path[i].y,
                            path[i + 1].x, path[i + 1].y, path[i + 2].x, path[i + 2].y);
    return text;
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
    if (subsystem.priority) tip += fmt::format("\npriority {}", *subsystem.priority);
    if (subsystem.parts.empty()) return tip;
    tip += fmt::format("\n{}, {:.1f} % of all subsystems\n{}, {}", duration(subsystem.seconds()),
                       100.0 * share, counted(subsystem.steps, "step"),
                       counted(subsystem.events, "event"));
    return tip;
}

LayoutOptions options_for(const RunRecord& record) {
    std::size_t longest = 0;
    for (const SubsystemRecord& subsystem : record.subsystems)
        longest = std::max(longest, subsystem.name.size());
    LayoutOptions options;
    const double wanted = 8.9 * static_cast<double>(longest) + 34.0;
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

/// Boxes and curves.
class Drawing {
public:
    Drawing(const RunRecord& record, Tips tips)
        : record_(record),
          tips_(tips),
          options_(options_for(record)),
          pairs_(Pairing(record).take()),
          layout_(lay_out(pairs_.graph, options_)) {
        for (const SubsystemRecord& subsystem : record.subsystems) {
            total_ += subsystem.seconds();
            greatest_ = std::max(greatest_, subsystem.seconds());
        }
        for (const GroupRecord& group : record.groups)
            if (group.kind == "algebraic cycle")
                algebraic_.insert(group.members.begin(), group.members.end());
    }

    double width() const { return layout_.width; }
    double height() const { return layout_.height; }

    std::string text() const {
        std::string svg = "<defs>" + marker("arrow") + marker("arrow-cycle") + "</defs>\n";
        for (std::size_t i = 0; i < pairs_.graph.edges.size(); ++i) svg += edge(i);
        for (std::size_t i = 0; i < layout_.nodes.size(); ++i) svg += node(i);
        return svg;
    }

private:
    std::string edge(std::size_t i) const {
        const GraphEdge& edge = pairs_.graph.edges[i];
        const bool in_cycle = layout_.edge_in_cycle[i];
        const std::vector<Flow>& flows = pairs_.flows[i];
        const auto& lines = pairs_.lines[i];
        const double width =
            1.3 + 0.5 * std::log2(static_cast<double>(flows.size() + lines.size()));
        const char* arrow = in_cycle ? "arrow-cycle" : "arrow";
        const std::string d = path_text(layout_.edges[i]);
        const std::string between = flows.empty() || lines.empty() ? "" : "\n";
        const std::string tip = tip_of(flows) + between + tip_of(lines);
        std::string text =
            fmt::format(R"svg(<g class="edge{}{}" data-a="{}" data-b="{}"{}>{})svg",
                        in_cycle ? " cycle" : "", flows.empty() ? " delayed" : "", edge.from,
                        edge.to, tip_attribute(tips_, tip), tip_title(tips_, tip));
        text += fmt::format(R"svg(<path class="halo" d="{}"/>)svg", d);
        text += fmt::format(R"svg(<path class="line" d="{}" stroke-width="{:.2f}")svg", d, width);
        if (edge.forward) text += fmt::format(R"svg( marker-end="url(#{})")svg", arrow);
        if (edge.backward) text += fmt::format(R"svg( marker-start="url(#{})")svg", arrow);
        return text + "/></g>\n";
    }

    std::string node(std::size_t i) const {
        const SubsystemRecord& subsystem = record_.subsystems[i];
        const double w = options_.node_width, h = options_.node_height;
        const double share = total_ > 0.0 ? subsystem.seconds() / total_ : 0.0;
        const bool in_cycle = layout_.node_in_cycle[i] || !pairs_.own[i].empty();
        const std::string tip = node_tip(subsystem, share);
        std::string svg = fmt::format(R"svg(<g class="node{}{}" data-node="{}"{})svg"
                                      R"svg( transform="translate({:.1f},{:.1f})">{})svg",
                                      in_cycle ? " cycle" : "",
                                      algebraic_.contains(subsystem.name) ? " algebraic" : "", i,
                                      tip_attribute(tips_, tip), layout_.nodes[i].x - w / 2.0,
                                      layout_.nodes[i].y - h / 2.0, tip_title(tips_, tip));
        if (!pairs_.own[i].empty()) svg += own_edge(i);
        svg += fmt::format(R"svg(<rect class="box" width="{}" height="{}" rx="7"/>)svg", w, h);
        return svg + words(subsystem) + cost_bar(subsystem) + "</g>\n";
    }

    /// From a subsystem to itself, above its box.
    std::string own_edge(std::size_t i) const {
        const double w = options_.node_width;
        const std::string tip = tip_of(pairs_.own[i]);
        return fmt::format(
            R"svg(<g class="own"{}>{}<path class="line" d="M{:.1f},0C{:.1f},-16 {:.1f},-16 )svg"
            R"svg({:.1f},0" marker-end="url(#arrow-cycle)"/></g>)svg",
            tip_attribute(tips_, tip), tip_title(tips_, tip), w - 46.0, w - 46.0, w - 16.0,
            w - 16.0);
    }

    std::string words(const SubsystemRecord& subsystem) const {
        const auto letters = [&](double used) {
            return static_cast<std::size_t>((options_.node_width - used) / 8.9);
        };
        std::string svg = fmt::format(
            R"svg(<text class="name" x="11" y="20">{}</text>)svg",
            escaped(shortened(subsystem.name, letters(subsystem.priority ? 34.0 : 22.0))));
        svg += fmt::format(R"svg(<text class="kind" x="11" y="35">{}</text>)svg",
                           escaped(shortened(short_kind(subsystem), letters(22.0) + 3)));
        if (subsystem.priority)
            svg += fmt::format(R"svg(<text class="priority" x="{:.1f}" y="18">{}</text>)svg",
                               options_.node_width - 9.0, *subsystem.priority);
        return svg;
    }

    std::string cost_bar(const SubsystemRecord& subsystem) const {
        if (subsystem.parts.empty()) return {};
        const double length = options_.node_width - 22.0;
        const double bar = greatest_ > 0.0 ? subsystem.seconds() / greatest_ : 0.0;
        return fmt::format(
            R"svg(<rect class="track" x="11" y="{0}" width="{1}" height="3.5" rx="1.75"/>)svg"
            R"svg(<rect class="cost" x="11" y="{0}" width="{2:.1f}" height="3.5" rx="1.75"/>)svg",
            options_.node_height - 9.5, length, bar * length);
    }

    const RunRecord& record_;
    Tips tips_;
    LayoutOptions options_;
    Pairs pairs_;
    GraphLayout layout_;
    double total_ = 0.0;
    double greatest_ = 0.0;
    std::set<std::string> algebraic_;  ///< subsystems in such a cycle
};

/// The style sheet of the graph in its light colours, without variables, which few viewers of SVG
/// know.
std::string plain_style() {
    std::string style = graph_css;
    const std::string_view colours(colours_css, std::string_view(colours_css).find('}'));
    for (std::size_t at = colours.find("--"); at != std::string_view::npos;
         at = colours.find("--", at + 2)) {
        const std::size_t colon = colours.find(':', at), end = colours.find(';', at);
        const std::string name = fmt::format("var({})", colours.substr(at, colon - at));
        for (std::size_t use = style.find(name); use != std::string::npos;
             use = style.find(name, use))
            style.replace(use, name.size(), colours.substr(colon + 2, end - colon - 2));
    }
    return style;
}

std::string counts(const RunRecord& record) {
    std::string text = fmt::format("{}, {}", counted(record.subsystems.size(), "subsystem"),
                                   counted(record.connections.size(), "connection"));
    if (!record.functions.empty()) text += ", " + counted(record.functions.size(), "function");
    if (!record.lines.empty()) text += ", " + counted(record.lines.size(), "transmission line");
    return text + ".";
}

std::string legend(const RunRecord& record) {
    std::string text = "The number in a box is its priority";
    if (has_cycle(record)) text += "; orange: part of a cycle";
    if (std::ranges::find(record.groups, "algebraic cycle", &GroupRecord::kind) !=
        record.groups.end())
        text += ", with a strong frame of an algebraic one";
    if (!record.lines.empty()) text += "; dashed: transmission lines";
    return text + ".";
}

}  // namespace

std::string system_svg(const RunRecord& record) {
    const Drawing drawing(record, Tips::attributes);
    return fmt::format(
               R"svg(<svg class="system" role="img" aria-label="Subsystems and connections")svg"
               R"svg( viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}")svg"
               R"svg( style="min-width:{2:.0f}px">)svg",
               drawing.width(), drawing.height(), least_scale * drawing.width()) +
           drawing.text() + "</svg>";
}

std::string system_svg_file(const RunRecord& record) {
    constexpr double head = 44.0, foot = 48.0, least_width = 640.0;
    const Drawing drawing(record, Tips::titles);
    const double width = std::max(drawing.width(), least_width);
    const double height = head + drawing.height() + foot;
    std::string svg =
        fmt::format(R"svg(<svg xmlns="http://www.w3.org/2000/svg" class="system" )svg"
                    R"svg(viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}">)svg",
                    width, height);
    svg += fmt::format("\n<title>{}</title>\n<style>\n{}</style>\n", escaped(record.system_name),
                       plain_style());
    svg += R"svg(<rect class="paper" width="100%" height="100%"/>)svg";
    svg += fmt::format(R"svg(<text class="title" x="16" y="30">{}</text>)svg",
                       escaped(record.system_name));
    svg += fmt::format(R"svg(<g transform="translate({:.1f},{:.1f})">)svg",
                       (width - drawing.width()) / 2.0, head);
    svg += drawing.text() + "</g>\n";
    const auto caption = [&](double above, const std::string& text) {
        return fmt::format(R"svg(<text class="caption" x="16" y="{:.0f}">{}</text>)svg",
                           height - above, escaped(text));
    };
    svg += caption(30.0, counts(record)) + caption(13.0, legend(record));
    return svg + "\n</svg>\n";
}

bool has_cycle(const RunRecord& record) {
    const Pairs pairs = Pairing(record).take();
    if (std::ranges::any_of(pairs.own, [](const auto& flows) { return !flows.empty(); }))
        return true;
    std::vector<std::size_t> parts = strong_parts(pairs.graph);
    std::ranges::sort(parts);
    return std::ranges::adjacent_find(parts) != parts.end();
}

}  // namespace tandem::report
