#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "description/flatten/instances.hpp"
#include "description/slice.hpp"

namespace tandem::description {

struct TlmPort;

/// A place a signal can be at: a variable of a subsystem, a connector of a system, an entry of a
/// dictionary, a signal or the result of a function, a signal of an event, the result of an action,
/// or a port of an end of a transmission line (`index` is twice that of the line, plus the end's).
struct Node {
    enum class Owner { subsystem, system, dictionary, function, event, action, line };
    Owner owner = Owner::subsystem;
    std::size_t index = 0;  ///< of the owner
    std::string name;

    bool passes_on() const { return owner == Owner::system || owner == Owner::dictionary; }
    bool operator<(const Node& other) const {
        return std::tie(owner, index, name) < std::tie(other.owner, other.index, other.name);
    }
};

/// An endpoint, found.
struct ResolvedEnd {
    std::size_t node = 0;
    Segment segment;
    /// Seen from the system the connection is in.
    bool can_be_source = true;
    bool can_be_target = true;
    std::string kind;  ///< "input of 'wheel'": for messages
};

struct Hop {
    std::size_t from = 0;
    std::size_t to = 0;
    SegmentPair segments;
    Stage stage;
    Place place;
};

/// A whole way from a node that is a source to one that is a target.
struct Way {
    std::size_t from = 0;
    std::size_t to = 0;
    SegmentPair segments;
    std::vector<Stage> stages;
    Place place;
};

class SignalGraph {
public:
    SignalGraph(InstanceTree& tree, const FlatSystem& flat, Diagnostics& findings);

    /// Adds every connection, function, event and transmission line of all systems. These get the
    /// indices of `functions`, `events`, `actions` and `lines`.
    void build();
    struct FunctionUse {
        const CouplingFunction* function;
        const SystemInstance* system;
    };
    const std::vector<FunctionUse>& functions() const { return functions_; }
    struct EventUse {
        const SystemEvent* event;
        const SystemInstance* system;
    };
    const std::vector<EventUse>& events() const { return events_; }
    struct ActionUse {
        const EventAction* action;
        std::size_t event;  ///< index
        bool is_found;      ///< its target; if not, that is a finding already
    };
    const std::vector<ActionUse>& actions() const { return actions_; }

    struct LineUse {
        const TlmElement* element;
        const SystemInstance* system;
        /// End and port of all that were found; what is wrong with others is a finding already.
        std::vector<std::pair<std::size_t, const TlmPort*>> found;
    };
    const std::vector<LineUse>& lines() const { return lines_; }

    /// All ways that end at nodes that do not pass on.
    std::vector<Way> ways();
    /// There are more ways than may be followed.
    bool is_cut_off() const;
    /// The variables that feed a node, and those it feeds. A node that does not pass on is itself.
    std::vector<Way> sources_of(std::size_t node);
    std::vector<Way> targets_of(std::size_t node);

    std::optional<ResolvedEnd> resolve(const SystemInstance& system, const Endpoint& endpoint);
    const Node& node(std::size_t index) const { return nodes_[index]; }
    const Connector* connector(std::size_t node) const { return connectors_[node]; }
    FlatVariable variable(std::size_t node, const Segment& segment) const;
    void refuse(const Place& place, std::string problem, std::string hint = {});

private:
    void build(const SystemInstance& instance);
    void add_connection(const SystemInstance& instance, const Connection& connection);
    void add_functions(const SystemInstance& instance);
    void add_event(const SystemInstance& instance, const SystemEvent& event);
    void add_action(const SystemInstance& instance, const EventAction& action);
    void add_line(const SystemInstance& instance, const TlmElement& element);
    void add_port(const SystemInstance& instance, std::size_t index, const TlmPort& port);
    struct Use {
        const char* what;  ///< "function", "event": for messages
        const Place& place;
    };
    std::optional<ResolvedEnd> find(const SystemInstance& instance, const Endpoint& endpoint,
                                    const Use& use);
    void add_hop(const ResolvedEnd& from, const ResolvedEnd& to, const Connection& connection);
    std::size_t add_node(Node node, const Connector* connector);

    std::optional<ResolvedEnd> own_connector(const SystemInstance& system, const std::string& name,
                                             bool from_inside);
    std::optional<ResolvedEnd> on_element(const Element& element, const std::string& name);
    std::optional<ResolvedEnd> by_path(const SystemInstance& system, const std::string& path);
    std::string hint_for(const SystemInstance& system, const Endpoint& endpoint) const;

    bool may_follow(const Place& place);
    void follow_back(const Way& way, std::vector<std::size_t>& passed, std::vector<Way>& result);
    void follow_on(const Way& way, std::vector<std::size_t>& passed, std::vector<Way>& result);
    bool expects_a_source(std::size_t node) const;
    bool extend(const Way& before, const Way& after, Way& whole);

    InstanceTree& tree_;
    const FlatSystem& flat_;
    Diagnostics& findings_;
    std::map<Node, std::size_t> index_;
    std::vector<Node> nodes_;
    std::vector<const Connector*> connectors_;
    std::vector<Hop> hops_;
    std::vector<std::vector<std::size_t>> hops_into_, hops_from_;
    std::vector<FunctionUse> functions_;
    std::vector<EventUse> events_;
    std::vector<ActionUse> actions_;
    std::vector<LineUse> lines_;
    std::size_t followed_ = 0;  // hops of ways, so far
};

}  // namespace tandem::description
