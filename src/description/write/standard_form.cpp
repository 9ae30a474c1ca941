#include "description/write/standard_form.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/listed.hpp"
#include "description/slice.hpp"
#include "description/table_reader.hpp"

namespace tandem::description {
namespace {

enum class Role { source, target };

template <class Named>
Named* find_named(std::vector<Named>& list, std::string_view name) {
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const Named& item) { return item.name == name; });
    return found == list.end() ? nullptr : &*found;
}

template <class Named>
void merge(std::vector<Named>& known, const std::vector<Named>& more) {
    for (const Named& item : more)
        if (find_named(known, item.name) == nullptr) known.push_back(item);
}

/// The connector of that name, or the array whose element it names.
bool is_declared(std::vector<Connector>& connectors, const std::string& name) {
    if (find_named(connectors, name) != nullptr) return true;
    const auto sliced = split_slice(name);
    return sliced && find_named(connectors, sliced->name) != nullptr;
}

void declare(std::vector<Connector>& connectors, const std::string& name, Role role) {
    if (is_declared(connectors, name)) return;
    Connector connector;
    connector.name = name;
    connector.kind = role == Role::source ? ConnectorKind::output : ConnectorKind::input;
    connectors.push_back(std::move(connector));
}

const NestedSystem* system_with_id(const NestedSystem& system, const std::string& id) {
    if (system.id == id) return &system;
    for (const NestedSystem& nested : system.systems)
        if (const NestedSystem* found = system_with_id(nested, id)) return found;
    return nullptr;
}

/// Nested files become nested systems, from the outside in. A file cannot contain itself (the
/// reader has refused that), a part of the same file can: it stays a reference.
class Embedding {
public:
    explicit Embedding(SystemDescription& result) : result_(result) {}

    void embed(NestedSystem& system) {
        std::vector<SubsystemDescription> kept;
        for (SubsystemDescription& subsystem : system.subsystems) {
            if (!subsystem.nested) {
                kept.push_back(std::move(subsystem));
                continue;
            }
            NestedSystem nested = subsystem.nested->system;
            nested.name = subsystem.name;
            nested.id.clear();
            nested.bindings.insert(nested.bindings.end(), subsystem.bindings.begin(),
                                   subsystem.bindings.end());
            merge(result_.units, subsystem.nested->units);
            merge(result_.enumerations, subsystem.nested->enumerations);
            resolve_references(nested, subsystem.nested->system, 0);
            system.systems.push_back(std::move(nested));
        }
        system.subsystems = std::move(kept);
        for (NestedSystem& nested : system.systems) embed(nested);
    }

private:
    /// Ids are unique in one file only, so references by id do not survive the move.
    static void resolve_references(NestedSystem& system, const NestedSystem& root, int depth) {
        constexpr int deepest_nesting = 50;
        std::vector<SubsystemDescription> kept;
        std::vector<NestedSystem> found;
        for (SubsystemDescription& subsystem : system.subsystems) {
            const bool refers = subsystem.type == SourceType::system && !subsystem.nested &&
                                subsystem.source.empty() && depth < deepest_nesting;
            const NestedSystem* target =
                refers ? system_with_id(root, subsystem.fragment) : nullptr;
            if (target == nullptr) {
                kept.push_back(std::move(subsystem));
                continue;
            }
            NestedSystem copy = *target;
            copy.name = subsystem.name;
            copy.bindings.insert(copy.bindings.end(), subsystem.bindings.begin(),
                                 subsystem.bindings.end());
            found.push_back(std::move(copy));
        }
        system.subsystems = std::move(kept);
        system.systems.insert(system.systems.end(), found.begin(), found.end());
        for (NestedSystem& nested : system.systems) {
            nested.id.clear();
            resolve_references(nested, root, depth + 1);
        }
    }

    SystemDescription& result_;
};

/// Endpoints as element and connector, both declared.
class Declaring {
public:
    void run(NestedSystem& system) {
        expand_ranges(system);
        // Connections of a system may add connectors and connections to systems inside it.
        for (std::size_t i = 0; i < system.connections.size(); ++i) {
            const Connection connection = system.connections[i];
            const Endpoint from = declared(system, connection.from, Role::source);
            const Endpoint to = declared(system, connection.to, Role::target);
            system.connections[i].from = from;
            system.connections[i].to = to;
        }
        for (NestedSystem& nested : system.systems) run(nested);
    }

private:
    Endpoint declared(NestedSystem& system, const Endpoint& endpoint, Role role) {
        if (!endpoint.element.empty())
            return on_element(system, endpoint.element, endpoint.connector, role);
        const std::string& path = endpoint.connector;
        if (is_declared(system.connectors, path)) return endpoint;
        for (auto dot = path.rfind('.'); dot != std::string::npos && dot > 0;
             dot = path.rfind('.', dot - 1)) {
            const std::string element = path.substr(0, dot);
            if (has_element(system, element))
                return on_element(system, element, path.substr(dot + 1), role);
        }
        throw InputError(system.place,
                         fmt::format("there is no '{}' in the system '{}'", path, system.name),
                         "check the system before it is written");
    }

    static bool has_element(NestedSystem& system, const std::string& name) {
        return find_named(system.subsystems, name) != nullptr ||
               find_named(system.systems, name) != nullptr ||
               find_named(system.references, name) != nullptr;
    }

    Endpoint on_element(NestedSystem& system, const std::string& element, const std::string& name,
                        Role role) {
        if (SubsystemDescription* subsystem = find_named(system.subsystems, element))
            declare(subsystem->connectors, name, role);
        if (DictionaryReference* reference = find_named(system.references, element))
            declare_entry(*reference, name);
        NestedSystem* nested = find_named(system.systems, element);
        if (nested != nullptr && !is_declared(nested->connectors, name))
            expose(*nested, name, role);
        return {element, name};
    }

    static void declare_entry(DictionaryReference& reference, const std::string& name) {
        if (is_declared(reference.connectors, name)) return;
        Connector connector;
        connector.name = name;
        connector.kind = ConnectorKind::inout;
        reference.connectors.push_back(std::move(connector));
    }

    /// Gives a system a connector of its own for something deep inside it.
    static void expose(NestedSystem& nested, const std::string& name, Role role) {
        declare(nested.connectors, name, role);
        Connection connection;
        connection.place = nested.place;
        // As a path the name would mean the new connector, so the element is split off here.
        const auto dot = split_point(nested, name);
        const Endpoint inside{name.substr(0, dot), name.substr(dot + 1)};
        const Endpoint own{{}, name};
        connection.from = role == Role::source ? inside : own;
        connection.to = role == Role::source ? own : inside;
        nested.connections.push_back(std::move(connection));
    }

    static std::size_t split_point(NestedSystem& nested, const std::string& name) {
        for (auto dot = name.rfind('.'); dot != std::string::npos && dot > 0;
             dot = name.rfind('.', dot - 1))
            if (has_element(nested, name.substr(0, dot))) return dot;
        throw InputError(nested.place,
                         fmt::format("there is no '{}' in the system '{}'", name, nested.name),
                         "check the system before it is written");
    }

    static void expand_ranges(NestedSystem& system) {
        std::vector<Connection> expanded;
        for (const Connection& connection : system.connections) {
            const std::size_t count = std::max(elements_of(connection.from.connector, 1).size(),
                                               elements_of(connection.to.connector, 1).size());
            if (count <= 1) {
                expanded.push_back(connection);
                continue;
            }
            const auto from = elements_of(connection.from.connector, count);
            const auto to = elements_of(connection.to.connector, count);
            if (from.size() != to.size())
                throw InputError(connection.place,
                                 fmt::format("{}: {} cannot become {}", connection.text(),
                                             counted(from.size(), "value"), to.size()),
                                 "check the system before it is written");
            for (std::size_t i = 0; i < count; ++i) {
                Connection single = connection;
                single.from.connector = from[i];
                single.to.connector = to[i];
                expanded.push_back(std::move(single));
            }
        }
        system.connections = std::move(expanded);
    }

    /// The elements that a slice names, row-major; without a slice the first `count`.
    static std::vector<std::string> elements_of(const std::string& name, std::size_t count) {
        std::vector<std::string> elements;
        const auto sliced = split_slice(name);
        if (!sliced) {
            if (count == 1) return {name};
            for (std::size_t i = 1; i <= count; ++i)
                elements.push_back(fmt::format("{}[{}]", name, i));
            return elements;
        }
        elements.push_back(sliced->name + "[");
        for (const IndexRange& range : sliced->ranges) {
            const bool is_last = &range == &sliced->ranges.back();
            std::vector<std::string> longer;
            for (const std::string& element : elements)
                for (std::uint64_t i = range.first; i <= range.last; ++i)
                    longer.push_back(fmt::format("{}{}{}", element, i, is_last ? "]" : ","));
            elements = std::move(longer);
        }
        return elements;
    }
};

class UnitCollector {
public:
    explicit UnitCollector(std::vector<Unit>& units) : units_(units) {}

    void collect(const NestedSystem& system) {
        collect(system.connectors);
        collect(system.bindings);
        for (const SubsystemDescription& subsystem : system.subsystems) {
            collect(subsystem.connectors);
            collect(subsystem.bindings);
        }
        for (const SignalDictionary& dictionary : system.dictionaries) {
            merge(units_, dictionary.units);
            collect(dictionary.entries);
        }
        for (const NestedSystem& nested : system.systems) collect(nested);
    }

private:
    void collect(const std::vector<Connector>& connectors) {
        for (const Connector& connector : connectors) define(connector.unit);
    }

    void collect(const std::vector<ParameterBinding>& bindings) {
        for (const ParameterBinding& binding : bindings) {
            merge(units_, binding.units);
            for (const Parameter& parameter : binding.parameters) define(parameter.value.unit);
        }
    }

    void define(const std::string& name) {
        if (name.empty() || find_named(units_, name) != nullptr) return;
        if (const auto base = parse_unit(name)) units_.push_back({name, *base, {}, {}});
    }

    std::vector<Unit>& units_;
};

void collect_enumerations(const NestedSystem& system, std::vector<Enumeration>& result) {
    for (const ParameterBinding& binding : system.bindings) merge(result, binding.enumerations);
    for (const SubsystemDescription& subsystem : system.subsystems)
        for (const ParameterBinding& binding : subsystem.bindings)
            merge(result, binding.enumerations);
    for (const SignalDictionary& dictionary : system.dictionaries)
        merge(result, dictionary.enumerations);
    for (const NestedSystem& nested : system.systems) collect_enumerations(nested, result);
}

}  // namespace

SystemDescription standard_form(const SystemDescription& description) {
    SystemDescription result = description;
    Embedding(result).embed(result.system);
    Declaring().run(result.system);
    UnitCollector(result.units).collect(result.system);
    collect_enumerations(result.system, result.enumerations);
    return result;
}

}  // namespace tandem::description
