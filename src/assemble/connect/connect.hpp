#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "assemble/load/select_ports.hpp"
#include "assemble/load/signals.hpp"
#include "core/typed_links.hpp"
#include "expression/tree.hpp"
#include "ode/group/group_events.hpp"
#include "record/run_record.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::assemble {

/// An input: its subsystem, its variable, the element.
using FedElement = std::tuple<std::size_t, std::size_t, std::size_t>;

/// The variables behind a port of a line: one array, or the variables a[1], a[2], ... (or m[1,1],
/// m[1,2], ... of a matrix of three rows) that FMI 1.0 and 2.0 have instead.
std::vector<std::string> line_variables(const Signals& signals,
                                        const description::FlatVariable& port, std::size_t size);

/// Compiles connections and coupling functions to links.
class Connector {
public:
    Connector(const description::FlatSystem& flat, const std::vector<LoadedSubsystem>& loaded,
              const Signals& signals);

    void connect(const description::FlatConnection& connection);
    void connect(const description::FlatFunction& function);
    /// `aggregates`: models become one, which is where events can be.
    void connect(const std::vector<description::FlatEvent>& external, bool aggregates);
    void connect(const description::FlatTlm& line);
    /// When all is connected: columns of tables that feed whole values are held between rows.
    void hold_columns() const;
    /// One finding for all connections from a unit to none.
    void report_unmet_units() const;
    /// Inputs that nothing feeds and nobody has set become one warning a subsystem.
    void report_unconnected() const;
    std::set<FedElement> fed() const;
    /// Subsystem -> subsystem, where real ports are connected.
    numerics::Graph flows() const;

    std::vector<Link> links;
    std::vector<FunctionLink> functions;
    std::vector<TypedLink> typed_links;
    std::vector<ode::GroupEvent> events;
    std::vector<LineEndPorts> line_ends;
    std::vector<ConnectionRecord> records;
    std::vector<FunctionRecord> function_records;

private:
    bool is_source(const Signal& signal, const std::string& place) const;
    bool claim(const Signal& target, const std::string& place);
    bool claim_for(const Signal& source, const Signal& target, const std::string& place);
    bool claim_elements(const Signal& target, const std::string& place);
    std::optional<description::LinearMap> map_units(const std::vector<description::Stage>& stages,
                                                    const Signal& from, const Signal& to,
                                                    const std::string& place) const;
    std::optional<description::LinearMap> map_signal(const description::FlatSignal& signal,
                                                     const Signal& source,
                                                     const std::string& place) const;
    std::optional<Conversion> conversion(const description::FlatConnection& connection,
                                         const Signal& from, const Signal& to) const;
    bool types_fit(const Signal& from, const Signal& to,
                   const description::FlatConnection& connection) const;
    void refuse_entry(const description::FlatConnection& connection, const std::string& text,
                      const Signal& signal) const;
    std::optional<std::int64_t> map_value(const std::string& text, const Signal& signal) const;
    using Evaluator = std::function<double(double t, std::span<const double> signals)>;
    /// Nothing, with a finding, if the expression is wrong. A function that is not smooth is a
    /// SwitchedCall.
    Evaluator evaluator(const std::string& expression, const std::vector<std::string>& names,
                        const std::string& place,
                        const expression::ExpressionUnits& units = {}) const;
    void connect(const description::FlatEvent& event);
    LineEndPorts line_end(const description::FlatTlm& line, const description::FlatTlmEnd& end);
    std::vector<Signal> line_signals(const description::FlatVariable& port, std::size_t size,
                                     const std::string& place) const;
    void add_line_outputs(const description::FlatTlmEnd::Port& port, std::size_t size,
                          const std::string& place, std::vector<int>& outputs) const;
    void add_line_position(const description::FlatTlmEnd::Port& port, const std::string& place,
                           std::vector<VariableElement>& position) const;
    void check_line_units(const description::FlatTlm& line,
                          const description::FlatTlmEnd::Port& first,
                          const description::FlatTlmEnd::Port& second) const;
    void check_domain(const description::FlatTlm& line) const;
    std::optional<std::pair<Signal, UnitInBase>> line_unit(
        const description::FlatVariable& port) const;
    void add_line_inputs(const description::FlatTlmEnd::Port& port, std::size_t size,
                         const std::string& place, std::vector<int>& inputs);
    struct EventSignals {
        std::vector<std::string> names;
        std::vector<VariableElement> elements;
        std::vector<description::LinearMap> maps;
    };
    std::optional<EventSignals> event_signals(const description::FlatEvent& event) const;
    /// The same function of signals and to a value in other units.
    static Evaluator with_units(Evaluator evaluate, std::vector<description::LinearMap> signals,
                                const description::LinearMap& value);
    std::optional<ode::GroupEvent::Action> event_action(const description::FlatEvent& event,
                                                        const description::FlatAction& action,
                                                        const EventSignals& signals);
    bool is_model(const Signal& signal, const std::string& place) const;
    bool is_state(const Signal& signal) const;
    bool can_be_set(const Signal& target, const std::string& place);
    std::optional<description::LinearMap> function_map(const description::FlatFunction& function,
                                                       const description::FlatTarget& goal,
                                                       const Signal& target) const;
    void record(const description::FlatConnection& connection, const Signal& from, const Signal& to,
                const description::LinearMap& map);
    int first_input(std::size_t subsystem) const { return input_begin_[subsystem]; }
    int first_output(std::size_t subsystem) const { return output_begin_[subsystem]; }

    const description::FlatSystem& flat_;
    const std::vector<LoadedSubsystem>& loaded_;
    const Signals& signals_;
    std::vector<int> input_begin_, output_begin_;
    std::map<FedElement, std::string> fed_;   // -> where it is connected
    std::set<FedElement> fed_by_events_;      // which several events may do
    mutable std::vector<std::string> unmet_;  // findings, like those of signals_
};

}  // namespace tandem::assemble
