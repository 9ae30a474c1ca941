#include "description/flatten/flatten_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/listed.hpp"
#include "base/names.hpp"
#include "description/table_reader.hpp"

namespace tandem::description {
namespace {

/// A value on its way to the variables it is for.
struct Assignment {
    std::string name;
    ParameterValue value;
    std::vector<Stage> stages;
    Place place;
};

/// The values of a one-dimensional array that a segment selects.
ParameterValue selected(const ParameterValue& value, const Segment& segment) {
    if (segment.whole) return value;
    ParameterValue part = value;
    const auto cut = [&](auto& list) {
        const std::size_t first = std::min<std::size_t>(segment.first - 1, list.size());
        const std::size_t count = std::min<std::size_t>(segment.count, list.size() - first);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(first + count), list.end());
        list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first));
    };
    cut(part.values.reals);
    cut(part.values.integers);
    cut(part.values.strings);
    part.dimensions.clear();
    if (segment.count > 1) part.dimensions.push_back(segment.count);
    return part;
}

bool is_given_from_inside(ConnectorKind kind) {
    return kind == ConnectorKind::output || kind == ConnectorKind::local ||
           kind == ConnectorKind::constant || kind == ConnectorKind::calculated_parameter;
}

class ParameterSetter {
public:
    ParameterSetter(SignalGraph& graph, FlatSystem& flat, Diagnostics& findings)
        : graph_(graph), flat_(flat), findings_(findings) {}

    void apply(const SystemInstance& instance) {
        for (const Element& element : instance.elements) {
            if (element.system) apply(*element.system);
            if (element.subsystem != nullptr)
                for (const ParameterBinding& binding : element.subsystem->bindings)
                    for (const Assignment& assignment : assignments_of(binding))
                        set(element.index, assignment.name, assignment);
        }
        for (const ParameterBinding& binding : instance.system->bindings) bind(binding, instance);
        if (instance.referrer != nullptr)
            for (const ParameterBinding& binding : instance.referrer->bindings)
                bind(binding, instance);
    }

private:
    void bind(const ParameterBinding& binding, const SystemInstance& instance) {
        for (const Assignment& assignment : assignments_of(binding)) {
            if (assign(instance, assignment.name, assignment)) continue;
            const std::string first = assignment.name.substr(0, assignment.name.find('.'));
            std::vector<std::string> names = instance.element_names();
            for (const Connector& connector : instance.system->connectors)
                names.push_back(connector.name);
            const std::string hint =
                did_you_mean(first, names, fmt::format("the system holds: {}", listed(names)));
            if (binding.strict)
                report(findings_, assignment.place,
                       fmt::format("parameter '{}': nothing has this name", assignment.name), hint);
            else
                warn(findings_, assignment.place,
                     fmt::format("parameter '{}' is ignored: nothing has this name",
                                 assignment.name),
                     hint);
        }
    }

    std::vector<Assignment> assignments_of(const ParameterBinding& binding) {
        std::vector<Assignment> result;
        if (!binding.mapping) {
            for (const Parameter& parameter : binding.parameters)
                result.push_back(
                    {binding.prefix + parameter.name, parameter.value, {}, parameter.place});
            return result;
        }
        for (const MappingEntry& entry : *binding.mapping) {
            const auto found = std::find_if(
                binding.parameters.begin(), binding.parameters.end(),
                [&](const Parameter& p) { return binding.prefix + p.name == entry.source; });
            if (found == binding.parameters.end()) {
                warn(findings_, entry.place,
                     fmt::format("the mapping of '{}' is ignored: no parameter has this name",
                                 entry.source));
                continue;
            }
            Assignment assignment{entry.target, found->value, {}, found->place};
            expects(append_stage(assignment.stages,
                                 {entry.transformation, entry.suppress_unit_conversion, {}}),
                    "a single stage fits behind none");
            result.push_back(std::move(assignment));
        }
        return result;
    }

    /// To everything in the system that has this name; false if nothing has.
    bool assign(const SystemInstance& instance, const std::string& name,
                const Assignment& assignment) {
        bool found = assign_connector(instance, name, assignment);
        for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
            const Element* element = instance.find(std::string_view(name).substr(0, dot));
            if (element == nullptr) continue;
            const std::string rest = name.substr(dot + 1);
            if (element->subsystem != nullptr) {
                set(element->index, rest, assignment);
                found = true;
            } else if (element->system) {
                found = assign(*element->system, rest, assignment) || found;
            }
        }
        return found;
    }

    bool assign_connector(const SystemInstance& instance, const std::string& name,
                          const Assignment& assignment) {
        const auto& connectors = instance.system->connectors;
        const auto connector = std::find_if(connectors.begin(), connectors.end(),
                                            [&](const Connector& c) { return c.name == name; });
        if (connector == connectors.end()) return false;
        const auto end = graph_.resolve(instance, {{}, name});
        if (is_given_from_inside(connector->kind))
            set_sources(end->node, assignment);
        else
            set_targets(end->node, assignment);
        return true;
    }

    void set_targets(std::size_t node, const Assignment& assignment) {
        for (const Way& way : graph_.targets_of(node)) {
            if (graph_.node(way.to).owner != Node::Owner::subsystem) continue;
            Assignment passed = assignment;
            passed.value = selected(assignment.value, way.segments.source);
            bool fits = true;
            if (const Connector* connector = graph_.connector(node))
                fits = append_stage(passed.stages, {{}, false, connector->unit});
            for (const Stage& stage : way.stages) fits = fits && append_stage(passed.stages, stage);
            const FlatVariable target = graph_.variable(way.to, way.segments.target);
            if (fits)
                set(target.subsystem, target.name, passed);
            else
                report(findings_, assignment.place,
                       fmt::format("parameter '{}': transformations of different types follow one "
                                   "another on its way to '{}'",
                                   assignment.name, target.name));
        }
    }

    /// The start value of what a system shows to the outside.
    void set_sources(std::size_t node, const Assignment& assignment) {
        for (const Way& way : graph_.sources_of(node)) {
            if (graph_.node(way.from).owner != Node::Owner::subsystem) continue;
            const bool transformed =
                std::any_of(way.stages.begin(), way.stages.end(), [](const Stage& stage) {
                    return stage.transformation.type != Transformation::Type::none;
                });
            if (transformed) {
                warn(findings_, assignment.place,
                     fmt::format("parameter '{}' is ignored: it would have to go backwards through "
                                 "a transformation",
                                 assignment.name));
                continue;
            }
            const FlatVariable source = graph_.variable(way.from, way.segments.source);
            Assignment passed = assignment;
            passed.value = selected(assignment.value, way.segments.target);
            set(source.subsystem, source.name, passed);
        }
    }

    void set(std::size_t subsystem, const std::string& variable, const Assignment& assignment) {
        auto& parameters = flat_.subsystems[subsystem].parameters;
        std::erase_if(parameters, [&](const FlatParameter& p) { return p.variable == variable; });
        parameters.push_back({variable, assignment.value, assignment.stages, assignment.place});
    }

    SignalGraph& graph_;
    FlatSystem& flat_;
    Diagnostics& findings_;
};

}  // namespace

void apply_parameters(const InstanceTree& tree, SignalGraph& graph, FlatSystem& flat,
                      Diagnostics& findings) {
    ParameterSetter(graph, flat, findings).apply(tree.root);
}

}  // namespace tandem::description
