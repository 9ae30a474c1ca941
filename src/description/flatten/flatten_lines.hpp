#pragma once

#include <set>

#include "description/flatten/signal_graph.hpp"

namespace tandem::description {

/// Gives the transmission lines of a system the variables that the ways of the graph lead to.
class LineFlattening {
public:
    /// `graph` must have been built. Adds its lines to `flat`, still without ports.
    LineFlattening(const SignalGraph& graph, FlatSystem& flat, Diagnostics& findings);

    /// True if the way begins or ends at a line: then it needs nothing more.
    bool take(const Way& way);
    /// After all ways: reports ports that lead nowhere, ends of two subsystems, repeated names.
    void finish();

private:
    std::string port_text(const Node& port) const;
    void refuse_other(const Node& port, const Node& other, const Place& place);
    void set(const Node& port, FlatVariable variable, const Way& way);
    void check_ports(std::size_t line);
    void check_subsystem(std::size_t line, std::size_t end);
    void check_names();

    const SignalGraph& graph_;
    FlatSystem& flat_;
    Diagnostics& findings_;
    std::set<std::pair<std::size_t, std::string>> refused_;  ///< ports, as in nodes
};

}  // namespace tandem::description
