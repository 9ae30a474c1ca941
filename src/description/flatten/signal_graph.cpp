#include "description/flatten/signal_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/listed.hpp"
#include "base/names.hpp"
#include "description/table_reader.hpp"
#include "description/values.hpp"

namespace tandem::description {
namespace {

const Connector* find_connector(const std::vector<Connector>& connectors, std::string_view name) {
    for (const Connector& connector : connectors)
        if (connector.name == name) return &connector;
    return nullptr;
}

struct FoundConnector {
    const Connector* connector = nullptr;
    Segment segment;
};

/// The connector of that very name, or the array whose elements the name gives.
FoundConnector find_sliced(const std::vector<Connector>& connectors, const std::string& name) {
    if (const Connector* connector = find_connector(connectors, name)) return {connector, {}};
    const auto sliced = split_slice(name);
    if (!sliced || sliced->ranges.size() != 1) return {};
    const IndexRange& range = sliced->ranges.front();
    return {find_connector(connectors, sliced->name),
            {false, range.first, range.last - range.first + 1}};
}

bool gives(ConnectorKind kind) {
    return kind != ConnectorKind::input && kind != ConnectorKind::parameter &&
           kind != ConnectorKind::structural_parameter;
}

bool takes(ConnectorKind kind) {
    return !gives(kind) || kind == ConnectorKind::inout || kind == ConnectorKind::unspecified;
}

/// Each looks through all names: where everything is wrong, some are enough.
constexpr std::size_t most_hints = 100;
/// Hops of all ways together.
constexpr std::size_t most_followed = 500'000;

void set_directions(ResolvedEnd& end, ConnectorKind kind, bool from_inside) {
    // The inside of a system sees its inputs as sources and its outputs as targets.
    end.can_be_source = from_inside ? takes(kind) : gives(kind);
    end.can_be_target = from_inside ? gives(kind) : takes(kind);
}

}  // namespace

SignalGraph::SignalGraph(InstanceTree& tree, const FlatSystem& flat, Diagnostics& findings)
    : tree_(tree), flat_(flat), findings_(findings) {}

void SignalGraph::refuse(const Place& place, std::string problem, std::string hint) {
    report(findings_, place, std::move(problem), std::move(hint));
}

std::size_t SignalGraph::add_node(Node node, const Connector* connector) {
    const auto [found, is_new] = index_.emplace(node, nodes_.size());
    if (is_new) {
        nodes_.push_back(std::move(node));
        connectors_.push_back(connector);
        hops_into_.emplace_back();
        hops_from_.emplace_back();
    }
    return found->second;
}

std::optional<ResolvedEnd> SignalGraph::own_connector(const SystemInstance& system,
                                                      const std::string& name, bool from_inside) {
    const FoundConnector found = find_sliced(system.system->connectors, name);
    if (found.connector == nullptr) return std::nullopt;
    ResolvedEnd end;
    end.node = add_node({Node::Owner::system, system.id, found.connector->name}, found.connector);
    end.segment = found.segment;
    set_directions(end, found.connector->kind, from_inside);
    end.kind = fmt::format("{} of the system", to_string(found.connector->kind));
    return end;
}

std::optional<ResolvedEnd> SignalGraph::on_element(const Element& element,
                                                   const std::string& name) {
    ResolvedEnd end;
    if (element.subsystem != nullptr) {
        const auto& connectors = flat_.subsystems[element.index].connectors;
        const FoundConnector found = find_sliced(connectors, name);
        const auto sliced = split_slice(name);
        const bool is_literal = found.connector != nullptr && found.connector->name == name;
        Node node{Node::Owner::subsystem, element.index, name};
        if (!is_literal && sliced && sliced->ranges.size() == 1) {
            const IndexRange& range = sliced->ranges.front();
            node.name = sliced->name;
            end.segment = {false, range.first, range.last - range.first + 1};
        }
        end.node = add_node(std::move(node), found.connector);
        if (found.connector != nullptr) {
            set_directions(end, found.connector->kind, false);
            end.kind = fmt::format("{} of '{}'", to_string(found.connector->kind), element.name);
        }
        return end;
    }
    if (element.system) {
        auto own = own_connector(*element.system, name, false);
        if (own) own->kind = fmt::format("{} '{}'", own->kind, element.name);
        return own ? own : by_path(*element.system, name);
    }
    const FoundConnector found = find_sliced(element.dictionary->entries, name);
    if (found.connector == nullptr) return std::nullopt;
    end.node = add_node({Node::Owner::dictionary, element.dictionary_id, found.connector->name},
                        found.connector);
    end.segment = found.segment;
    if (const Connector* window = find_connector(element.reference->connectors, name))
        if (window->kind == ConnectorKind::input || window->kind == ConnectorKind::output)
            set_directions(end, window->kind, false);
    return end;
}

std::optional<ResolvedEnd> SignalGraph::by_path(const SystemInstance& system,
                                                const std::string& path) {
    for (auto dot = path.rfind('.'); dot != std::string::npos && dot > 0;
         dot = path.rfind('.', dot - 1)) {
        const Element* element = system.find(std::string_view(path).substr(0, dot));
        if (element != nullptr) return on_element(*element, path.substr(dot + 1));
    }
    return std::nullopt;
}

std::optional<ResolvedEnd> SignalGraph::resolve(const SystemInstance& system,
                                                const Endpoint& endpoint) {
    if (!endpoint.element.empty()) {
        const Element* element = system.find(endpoint.element);
        return element == nullptr ? std::nullopt : on_element(*element, endpoint.connector);
    }
    const auto own = own_connector(system, endpoint.connector, true);
    return own ? own : by_path(system, endpoint.connector);
}

std::string SignalGraph::hint_for(const SystemInstance& system, const Endpoint& endpoint) const {
    if (findings_.size() > most_hints) return {};
    std::string element = endpoint.element;
    if (element.empty()) element = endpoint.connector.substr(0, endpoint.connector.find('.'));
    const Element* known = system.find(element);
    if (known == nullptr)
        return did_you_mean(element, system.element_names(),
                            fmt::format("the system holds: {}", listed(system.element_names())));
    std::vector<std::string> names;
    if (known->system)
        for (const Connector& connector : known->system->system->connectors)
            names.push_back(connector.name);
    if (known->dictionary != nullptr)
        for (const Connector& entry : known->dictionary->entries) names.push_back(entry.name);
    std::string rest = endpoint.connector;
    if (endpoint.element.empty() && rest.size() > element.size())
        rest = rest.substr(element.size() + 1);
    return did_you_mean(rest, names, fmt::format("'{}' has: {}", element, listed(names)));
}

void SignalGraph::add_hop(const ResolvedEnd& from, const ResolvedEnd& to,
                          const Connection& connection) {
    Hop hop;
    hop.from = from.node;
    hop.to = to.node;
    hop.segments = {from.segment, to.segment};
    hop.stage.transformation = connection.transformation;
    hop.stage.suppress_unit_conversion = connection.suppress_unit_conversion;
    if (nodes_[to.node].passes_on() && connectors_[to.node] != nullptr)
        hop.stage.unit = connectors_[to.node]->unit;
    hop.place = connection.place;
    hops_into_[hop.to].push_back(hops_.size());
    hops_from_[hop.from].push_back(hops_.size());
    hops_.push_back(std::move(hop));
}

void SignalGraph::add_connection(const SystemInstance& instance, const Connection& connection) {
    auto from = resolve(instance, connection.from);
    auto to = resolve(instance, connection.to);
    for (const auto& [end, endpoint] : {std::pair{&from, &connection.from}, {&to, &connection.to}})
        if (!*end)
            refuse(
                connection.place,
                fmt::format("connection {}: there is no '{}'", connection.text(), endpoint->text()),
                hint_for(instance, *endpoint));
    if (!from || !to) return;
    const bool fits = from->can_be_source && to->can_be_target;
    const bool fits_reversed = from->can_be_target && to->can_be_source;
    if (!fits && fits_reversed && !connection.directed) std::swap(from, to);
    if (!fits && (!fits_reversed || connection.directed)) {
        refuse(connection.place,
               fmt::format("connection {}: the {} cannot feed the {}", connection.text(),
                           from->kind.empty() ? "source" : from->kind,
                           to->kind.empty() ? "target" : to->kind),
               fits_reversed ? "turn the arrow round" : "connect an output to an input");
        return;
    }
    add_hop(*from, *to, connection);
}

std::optional<ResolvedEnd> SignalGraph::find(const SystemInstance& instance,
                                             const Endpoint& endpoint, const Use& use) {
    auto end = resolve(instance, endpoint);
    if (!end)
        refuse(use.place, fmt::format("{}: there is no '{}'", use.what, endpoint.text()),
               hint_for(instance, endpoint));
    return end;
}

void SignalGraph::build(const SystemInstance& instance) {
    for (const Connection& connection : instance.system->connections)
        add_connection(instance, connection);
    add_functions(instance);
    for (const SystemEvent& event : instance.system->events) add_event(instance, event);
    for (const TlmElement& element : instance.system->tlm) add_line(instance, element);
    for (const Element& element : instance.elements)
        if (element.system) build(*element.system);
}

void SignalGraph::build() { build(tree_.root); }

bool SignalGraph::extend(const Way& before, const Way& after, Way& whole) {
    const auto segments = compose(before.segments, after.segments);
    if (!segments) return false;
    whole = after;
    whole.from = before.from;
    whole.segments = *segments;
    whole.stages = before.stages;
    for (const Stage& stage : after.stages) {
        if (append_stage(whole.stages, stage)) continue;
        refuse(after.place, "transformations of different types follow one another here",
               "keep one of them");
        return false;
    }
    return true;
}

namespace {

Way way_of(const Hop& hop) {
    Way way{hop.from, hop.to, hop.segments, {}, hop.place};
    expects(append_stage(way.stages, hop.stage), "a single stage fits behind none");
    return way;
}

}  // namespace

bool SignalGraph::is_cut_off() const { return followed_ > most_followed; }

/// False, and one report, when connections through systems have multiplied beyond the limit.
bool SignalGraph::may_follow(const Place& place) {
    if (is_cut_off()) return false;
    if (++followed_ <= most_followed) return true;
    refuse(place,
           fmt::format("the connections through systems and dictionaries come to more than {} "
                       "ways, the limit here",
                       most_followed),
           "look for connectors that are connected many times over");
    return false;
}

void SignalGraph::follow_back(const Way& way, std::vector<std::size_t>& passed,
                              std::vector<Way>& result) {
    if (!may_follow(way.place)) return;
    if (!nodes_[way.from].passes_on()) {
        result.push_back(way);
        return;
    }
    if (std::find(passed.begin(), passed.end(), way.from) != passed.end()) {
        refuse(way.place,
               fmt::format("'{}' is connected to itself in a circle", nodes_[way.from].name),
               "remove one of the connections between the systems");
        return;
    }
    passed.push_back(way.from);
    for (const std::size_t index : hops_into_[way.from]) {
        Way longer;
        if (extend(way_of(hops_[index]), way, longer)) follow_back(longer, passed, result);
    }
    passed.pop_back();
}

void SignalGraph::follow_on(const Way& way, std::vector<std::size_t>& passed,
                            std::vector<Way>& result) {
    if (!may_follow(way.place)) return;
    if (!nodes_[way.to].passes_on()) {
        result.push_back(way);
        return;
    }
    if (std::find(passed.begin(), passed.end(), way.to) != passed.end()) return;
    passed.push_back(way.to);
    for (const std::size_t index : hops_from_[way.to]) {
        Way longer;
        if (extend(way, way_of(hops_[index]), longer)) follow_on(longer, passed, result);
    }
    passed.pop_back();
}

bool SignalGraph::expects_a_source(std::size_t node) const {
    if (!nodes_[node].passes_on()) return false;
    const Connector* connector = connectors_[node];
    return connector->kind != ConnectorKind::parameter &&
           connector->kind != ConnectorKind::structural_parameter;
}

std::vector<Way> SignalGraph::ways() {
    std::vector<Way> result;
    for (std::size_t i = 0; i < hops_.size(); ++i) {
        if (nodes_[hops_[i].to].passes_on()) continue;
        std::vector<std::size_t> passed;
        const std::size_t before = result.size();
        follow_back(way_of(hops_[i]), passed, result);
        if (result.size() == before && expects_a_source(hops_[i].from))
            warn(findings_, hops_[i].place,
                 fmt::format("nothing feeds '{}', so this connection carries nothing",
                             nodes_[hops_[i].from].name));
    }
    if (is_cut_off()) result.clear();  // they are not all
    return result;
}

std::vector<Way> SignalGraph::sources_of(std::size_t node) {
    std::vector<Way> result;
    std::vector<std::size_t> passed;
    follow_back({node, node, {}, {}, {}}, passed, result);
    return result;
}

std::vector<Way> SignalGraph::targets_of(std::size_t node) {
    std::vector<Way> result;
    std::vector<std::size_t> passed;
    follow_on({node, node, {}, {}, {}}, passed, result);
    return result;
}

FlatVariable SignalGraph::variable(std::size_t node, const Segment& segment) const {
    FlatVariable variable;
    variable.subsystem = nodes_[node].index;
    variable.name = render(nodes_[node].name, segment);
    if (const Connector* connector = connectors_[node]) {
        variable.unit = connector->unit;
        variable.type = connector->type;
        variable.enumeration = connector->enumeration;
    }
    return variable;
}

}  // namespace tandem::description
