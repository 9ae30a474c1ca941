#include "description/read/weight.hpp"

namespace tandem::description {
namespace {

// Maps, findings and places come on top of the texts and the structures themselves.
constexpr std::size_t overhead = 2;

/// Members of a class, so that each may call all others.
struct Weight {
    template <class Item>
    static std::size_t sum(const std::vector<Item>& items) {
        std::size_t total = 0;
        for (const Item& item : items) total += weight(item);
        return total;
    }

    static std::size_t weight(const std::string& text) { return sizeof text + text.size(); }

    static std::size_t weight(const Connector& connector) {
        return sizeof connector + connector.name.size() + connector.description.size() +
               connector.unit.size() + sum(connector.clocks) +
               connector.dimensions.size() * sizeof(Extent);
    }

    static std::size_t weight(const MapEntry& entry) {
        return weight(entry.source) + weight(entry.target);
    }

    static std::size_t weight(const Connection& connection) {
        return sizeof connection + connection.text().size() +
               sum(connection.transformation.entries);
    }

    static std::size_t weight(const Parameter& parameter) {
        const Values& values = parameter.value.values;
        return sizeof parameter + parameter.name.size() + values.reals.size() * sizeof(double) +
               values.integers.size() * sizeof(std::int64_t) + sum(values.strings);
    }

    static std::size_t weight(const MappingEntry& entry) {
        return sizeof entry + entry.source.size() + entry.target.size() +
               sum(entry.transformation.entries);
    }

    static std::size_t weight(const ParameterBinding& binding) {
        return sizeof binding + sum(binding.parameters) +
               (binding.mapping ? sum(*binding.mapping) : 0);
    }

    static std::size_t weight(const NamedSignal& signal) {
        return sizeof signal + signal.name.size() + signal.signal.text().size();
    }

    static std::size_t weight(const CouplingFunction& function) {
        return sizeof function + function.expression.size() + sum(function.signals);
    }

    static std::size_t weight(const EventAction& action) {
        return sizeof action + action.expression.size();
    }

    static std::size_t weight(const SystemEvent& event) {
        return sizeof event + event.indicator.size() + event.times.size() * sizeof(double) +
               sum(event.signals) + sum(event.actions);
    }

    static std::size_t weight(const Setting& setting) {
        return sizeof setting + setting.key.size() + setting.place.size() + sum(setting.entries);
    }

    static std::size_t weight(const DictionaryReference& reference) {
        return sizeof reference + sum(reference.connectors);
    }
};

}  // namespace

std::size_t weight_of(const NestedSystem& system) {
    return overhead *
           (sizeof system + Weight::sum(system.connectors) + Weight::sum(system.connections) +
            Weight::sum(system.bindings) + Weight::sum(system.references) +
            Weight::sum(system.functions) + Weight::sum(system.events) +
            system.bonds.size() * sizeof(Bond) + system.tlm.size() * sizeof(TlmElement));
}

std::size_t weight_of(const SubsystemDescription& subsystem) {
    return overhead * (sizeof subsystem + Weight::sum(subsystem.connectors) +
                       Weight::sum(subsystem.bindings) + Weight::sum(subsystem.options));
}

}  // namespace tandem::description
