#include "assemble/connect/aggregate.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "assemble/load/table_ode.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::assemble {
namespace {

/// The inputs, or the outputs, of all subsystems as they were listed.
struct Ports {
    std::vector<int> begin{0};  ///< of each subsystem
    std::vector<int> owner;     ///< of each port
    std::vector<std::string> names;

    Ports(const std::vector<std::unique_ptr<Subsystem>>& subsystems,
          std::vector<Port> Interface::*ports) {
        for (std::size_t s = 0; s < subsystems.size(); ++s) {
            for (const Port& port : subsystems[s]->interface().*ports) {
                owner.push_back(static_cast<int>(s));
                names.push_back(port.name);
            }
            begin.push_back(static_cast<int>(owner.size()));
        }
    }
    int count(int subsystem) const { return begin[index(subsystem) + 1] - begin[index(subsystem)]; }
};

/// A group while it is put together.
struct Draft {
    std::vector<int> parts;                      ///< its members, as listed
    std::unordered_map<int, int> member;         ///< part -> member
    std::vector<int> input_begin, output_begin;  ///< of each member
    ode::GroupWiring wiring;

    void add(int part, const Ports& inputs, const Ports& outputs) {
        if (!member.emplace(part, static_cast<int>(parts.size())).second) return;
        const auto next = [](std::vector<int>& begin, int count) {
            if (begin.empty()) begin.push_back(0);
            begin.push_back(begin.back() + count);
        };
        parts.push_back(part);
        next(input_begin, inputs.count(part));
        next(output_begin, outputs.count(part));
    }
};

class Aggregator {
public:
    Aggregator(std::vector<std::unique_ptr<Subsystem>> subsystems,
               const std::vector<LoadedSubsystem>& parts, PortLinks links,
               const AggregateOptions& options)
        : given_(std::move(subsystems)),
          parts_(parts),
          links_(std::move(links)),
          options_(options),
          inputs_(given_, &Interface::inputs),
          outputs_(given_, &Interface::outputs) {
        result_.members.resize(given_.size());
        for (std::size_t s = 0; s < given_.size(); ++s) result_.members[s].name = given_[s]->name();
    }

    Aggregation perform() {
        choose_groups();
        find_apart();
        if (options_.keeps_apart) group_of_.assign(given_.size(), -1), drafts_.clear();
        split_links();
        for (std::size_t g = 0; g < drafts_.size(); ++g) make_group(g);
        add_others();
        renumber();
        return std::move(result_);
    }

private:
    enum class Direction { forward, both };

    bool is_model(int s) const { return parts_[index(s)].hosted != nullptr; }
    bool is_table(int s) const { return parts_[index(s)].table != nullptr; }

    void choose_groups() {
        group_of_.assign(given_.size(), -1);
        if (options_.clusters == Clusters::none) return;
        const bool all = options_.clusters == Clusters::all;
        const std::vector<int> parts = all ? levels() : cycles(Direction::forward);
        const std::vector<int> islands = links_.line_ends.empty() || !all
                                             ? std::vector<int>(given_.size(), 0)
                                             : cycles(Direction::both);
        std::map<std::pair<int, int>, int> groups;
        for (int s = 0; s < static_cast<int>(given_.size()); ++s) {
            if (!is_model(s)) continue;
            const auto [known, is_new] = groups.try_emplace({islands[index(s)], parts[index(s)]},
                                                            static_cast<int>(drafts_.size()));
            if (is_new) drafts_.emplace_back();
            group_of_[index(s)] = known->second;
            drafts_[index(known->second)].add(s, inputs_, outputs_);
        }
    }

    /// Direct connections between models of two equations.
    void find_apart() {
        if (options_.clusters != Clusters::all) return;
        const auto note = [&](int output, int input) {
            const int from = outputs_.owner[index(output)], to = inputs_.owner[index(input)];
            if (is_model(from) && is_model(to) && group_of_[index(from)] != group_of_[index(to)])
                result_.apart.emplace_back(from, to);
        };
        for (const Link& link : links_.links) note(link.output, link.input);
        for (const FunctionLink& function : links_.functions)
            for (const int output : function.outputs) note(output, function.input);
    }

    /// The cycle of each subsystem. If links count in both directions: its part of the system, as
    /// transmission lines divide it.
    std::vector<int> cycles(Direction direction) const {
        return numerics::strongly_connected_components(model_graph(direction)).of_node;
    }

    /// Of each model the most cycles or subsystems with a step of their own on a way to it from
    /// another model. Models of one level do not feed each other through such a subsystem, unless
    /// they did before they became one: so events still reach it in the order of the connections.
    std::vector<int> levels() const {
        constexpr int none = -1;  // no model before it
        const numerics::Graph graph = model_graph(Direction::forward);
        const numerics::Components components = numerics::strongly_connected_components(graph);
        std::vector<int> level(components.members.size(), none);
        for (std::size_t c = 0; c < level.size(); ++c) {
            const std::vector<int>& members = components.members[c];
            if (std::ranges::any_of(members, [&](int s) { return is_model(s); }))
                level[c] = std::max(level[c], 0);
            const bool steps =
                std::ranges::any_of(members, [&](int s) { return !is_model(s) && !is_table(s); });
            const int next = level[c] + (steps && level[c] != none ? 1 : 0);
            for (const int s : members)
                for (const int to : graph.successors(s))
                    if (int& other = level[index(components.of_node[index(to)])];
                        &other != &level[c])
                        other = std::max(other, next);
        }
        std::vector<int> of_subsystem;
        for (const int c : components.of_node) of_subsystem.push_back(level[index(c)]);
        return of_subsystem;
    }

    /// Who feeds whom; an event makes all that it concerns depend on each other.
    numerics::Graph model_graph(Direction direction) const {
        std::vector<std::pair<int, int>> edges;
        const auto add = [&](int output, int input) {
            const int from = outputs_.owner[index(output)], to = inputs_.owner[index(input)];
            edges.emplace_back(from, to);
            if (direction == Direction::both && !is_table(from)) edges.emplace_back(to, from);
        };
        for (const Link& link : links_.links) add(link.output, link.input);
        for (const FunctionLink& function : links_.functions)
            for (const int output : function.outputs) add(output, function.input);
        for (const TypedLink& link : links_.typed)
            edges.emplace_back(link.from.subsystem, link.to.subsystem);
        for (const ode::GroupEvent& event : links_.events) {
            const std::vector<int> all = subsystems_of(event);
            for (std::size_t i = 1; i < all.size(); ++i) {
                edges.emplace_back(all[i - 1], all[i]);
                edges.emplace_back(all[i], all[i - 1]);
            }
        }
        return {static_cast<int>(given_.size()), std::move(edges)};
    }

    static std::vector<int> subsystems_of(const ode::GroupEvent& event) {
        std::vector<int> all;
        for (const VariableElement& signal : event.signals) all.push_back(signal.subsystem);
        for (const auto& action : event.actions) all.push_back(action.target.subsystem);
        return all;
    }

    /// The group in which all of this happens; -1 if it goes across. Tables are everywhere.
    int common_group(int target, std::span<const int> sources) const {
        const int group = group_of_[index(target)];
        for (const int source : sources)
            if (!is_table(source) && group_of_[index(source)] != group) return -1;
        return group;
    }

    /// The draft, with all tables among `sources` in it.
    Draft& draft(int group, std::span<const int> sources) {
        Draft& own = drafts_[index(group)];
        for (const int source : sources) own.add(source, inputs_, outputs_);
        return own;
    }

    static int local(const Draft& own, const std::vector<int>& begin, const Ports& ports,
                     int port) {
        const int part = ports.owner[index(port)];
        return begin[index(own.member.at(part))] + port - ports.begin[index(part)];
    }
    int local_input(const Draft& own, int port) const {
        return local(own, own.input_begin, inputs_, port);
    }
    int local_output(const Draft& own, int port) const {
        return local(own, own.output_begin, outputs_, port);
    }

    void split_links() {
        for (const Link& link : links_.links) split(link);
        for (FunctionLink& function : links_.functions) split(std::move(function));
        for (TypedLink& link : links_.typed) split(std::move(link));
        if (options_.clusters == Clusters::none || options_.keeps_apart) return;
        for (ode::GroupEvent& event : links_.events) place(std::move(event));
    }

    void split(const Link& link) {
        const int source = outputs_.owner[index(link.output)];
        const int group = common_group(inputs_.owner[index(link.input)], std::span(&source, 1));
        if (group < 0) {
            outer_.links.push_back(link);
            return;
        }
        Draft& own = draft(group, std::span(&source, 1));
        own.wiring.links.push_back(
            {local_output(own, link.output), local_input(own, link.input), link.gain, link.offset});
    }

    void split(FunctionLink function) {
        std::vector<int> sources;
        for (const int output : function.outputs) sources.push_back(outputs_.owner[index(output)]);
        const int group = common_group(inputs_.owner[index(function.input)], sources);
        if (group < 0) {
            outer_.functions.push_back(std::move(function));
            return;
        }
        Draft& own = draft(group, sources);
        function.input = local_input(own, function.input);
        for (int& output : function.outputs) output = local_output(own, output);
        own.wiring.functions.push_back(std::move(function));
    }

    void split(TypedLink link) {
        const int group = common_group(link.to.subsystem, std::span(&link.from.subsystem, 1));
        if (group < 0) {
            outer_.typed.push_back(std::move(link));
            return;
        }
        Draft& own = draft(group, std::span(&link.from.subsystem, 1));
        link.from.subsystem = own.member.at(link.from.subsystem);
        link.to.subsystem = own.member.at(link.to.subsystem);
        if (link.input >= 0) link.input = local_input(own, link.input);
        own.wiring.typed.push_back(std::move(link));
    }

    /// All its targets are models, as the connector has made sure of.
    void place(ode::GroupEvent event) {
        const std::vector<int> all = subsystems_of(event);
        const int group = common_group(event.actions.front().target.subsystem, all);
        expects(group >= 0, "an event concerns models of one group");
        Draft& own = draft(group, all);
        for (VariableElement& signal : event.signals)
            signal.subsystem = own.member.at(signal.subsystem);
        for (auto& action : event.actions) {
            action.target.subsystem = own.member.at(action.target.subsystem);
            if (action.input >= 0) action.input = local_input(own, action.input);
        }
        own.wiring.events.push_back(std::move(event));
    }

    /// A table stays where it is too, so that others can be fed by it: a group gets its own.
    std::unique_ptr<ode::OdeModel> take(int part, int place) {
        Member& member = result_.members[index(part)];
        if (is_table(part)) {
            auto model = std::make_unique<TableOde>(parts_[index(part)].table->copy(),
                                                    options_.host.solver.relative_tolerance);
            result_.tables.push_back({&model->table(), -1});
            member.place = place;
            return model;
        }
        auto model = parts_[index(part)].hosted->release_model();
        member = {model->name(), nullptr, place, model->name() + "."};
        given_[index(part)].reset();
        return model;
    }

    void make_group(std::size_t g) {
        Draft& own = drafts_[g];
        std::vector<std::unique_ptr<ode::OdeModel>> models;
        for (const int part : own.parts) models.push_back(take(part, static_cast<int>(g)));
        auto group = std::make_unique<ode::OdeGroup>(
            drafts_.size() == 1 ? "aggregate" : "aggregate " + std::to_string(g + 1),
            std::move(models), std::move(own.wiring));
        for (std::size_t m = 0; m < own.parts.size(); ++m)
            result_.members[index(own.parts[m])].variables =
                &group->member_variables(static_cast<int>(m));
        if (options_.ports != KeptPorts::all) group->select_ports(wanted(g));
        ode::HostedOdeOptions hosting = options_.host;
        if (options_.on_event)
            hosting.on_event = [members =
                                    std::vector<std::size_t>(own.parts.begin(), own.parts.end()),
                                notify = options_.on_event](const ode::EventNotice& notice) {
                notify(members, notice.t, notice.after);
            };
        auto hosted = std::make_unique<ode::HostedOde>(std::move(group), std::move(hosting));
        result_.groups.push_back(hosted.get());
        result_.subsystems.push_back(std::move(hosted));
    }

    /// All its inputs, and the outputs that somebody outside needs.
    PortSelection wanted(std::size_t g) const {
        PortSelection selection;
        const auto full_name = [this](const Ports& ports, int port) {
            return result_.members[index(ports.owner[index(port)])].name + "." +
                   ports.names[index(port)];
        };
        for (const int part : drafts_[g].parts)
            for (int i = inputs_.begin[index(part)]; i < inputs_.begin[index(part) + 1]; ++i)
                selection.inputs.insert(full_name(inputs_, i));
        const auto add = [&](int output) {
            if (group_of_[index(outputs_.owner[index(output)])] == static_cast<int>(g))
                selection.outputs.insert(full_name(outputs_, output));
        };
        for (const Link& link : outer_.links) add(link.output);
        for (const FunctionLink& function : outer_.functions)
            for (const int output : function.outputs) add(output);
        for (LineEndPorts end : links_.line_ends)
            for (const std::vector<int>* list : end.outputs())
                for (const int output : *list) add(output);
        return selection;
    }

    /// What is in no group. A table that only groups need does not step.
    void add_others() {
        for (int s = 0; s < static_cast<int>(given_.size()); ++s) {
            Member& member = result_.members[index(s)];
            if (group_of_[index(s)] >= 0 ||
                (is_table(s) && member.variables != nullptr && !feeds(s)))
                continue;
            member = {given_[index(s)]->name(), &given_[index(s)]->variables(),
                      static_cast<int>(result_.subsystems.size()), ""};
            if (is_table(s)) result_.tables.push_back({parts_[index(s)].table, member.place});
            result_.subsystems.push_back(std::move(given_[index(s)]));
        }
    }

    bool feeds(int s) const {
        const auto is_own = [&](int output) { return outputs_.owner[index(output)] == s; };
        return std::ranges::any_of(outer_.links,
                                   [&](const Link& link) { return is_own(link.output); }) ||
               std::ranges::any_of(outer_.functions,
                                   [&](const FunctionLink& function) {
                                       return std::ranges::any_of(function.outputs, is_own);
                                   }) ||
               std::ranges::any_of(outer_.typed,
                                   [&](const TypedLink& link) { return link.from.subsystem == s; });
    }

    /// From the numbers of the ports as they were to those of the new subsystems.
    std::vector<int> new_numbers(const Ports& before, std::vector<Port> Interface::*ports) const {
        std::vector<std::unordered_map<std::string, int>> positions(result_.subsystems.size());
        int next = 0;
        for (std::size_t s = 0; s < result_.subsystems.size(); ++s)
            for (const Port& port : result_.subsystems[s]->interface().*ports)
                positions[s].emplace(port.name, next++);
        std::vector<int> numbers;
        for (std::size_t i = 0; i < before.names.size(); ++i) {
            const Member& member = result_.members[index(before.owner[i])];
            const auto& own = positions[index(member.place)];
            const auto found = own.find(member.prefix + before.names[i]);
            numbers.push_back(found == own.end() ? -1 : found->second);
        }
        return numbers;
    }

    void renumber() {
        const std::vector<int> inputs = new_numbers(inputs_, &Interface::inputs);
        const std::vector<int> outputs = new_numbers(outputs_, &Interface::outputs);
        for (Link& link : outer_.links) {
            link.input = inputs[index(link.input)];
            link.output = outputs[index(link.output)];
        }
        for (FunctionLink& function : outer_.functions) {
            function.input = inputs[index(function.input)];
            for (int& output : function.outputs) output = outputs[index(output)];
        }
        for (TypedLink& link : outer_.typed)
            if (link.input >= 0) link.input = inputs[index(link.input)];
        for (LineEndPorts& end : links_.line_ends) {
            for (std::vector<int>* list : end.outputs())
                for (int& output : *list) output = outputs[index(output)];
            for (std::vector<int>* list : end.inputs())
                for (int& input : *list) input = inputs[index(input)];
        }
        outer_.line_ends = std::move(links_.line_ends);
        result_.links = std::move(outer_);
    }

    std::vector<std::unique_ptr<Subsystem>> given_;
    const std::vector<LoadedSubsystem>& parts_;
    PortLinks links_;
    const AggregateOptions& options_;
    Ports inputs_, outputs_;
    std::vector<int> group_of_;  // of each subsystem; -1: none
    std::vector<Draft> drafts_;
    PortLinks outer_;
    Aggregation result_;
};

}  // namespace

Aggregation aggregate(std::vector<std::unique_ptr<Subsystem>> subsystems,
                      const std::vector<LoadedSubsystem>& parts, PortLinks links,
                      const AggregateOptions& options) {
    return Aggregator(std::move(subsystems), parts, std::move(links), options).perform();
}

}  // namespace tandem::assemble
