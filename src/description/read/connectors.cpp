#include "description/read/connectors.hpp"

#include <fmt/format.h>

#include <tuple>
#include <unordered_map>

#include "description/table_reader.hpp"

namespace tandem::description {
namespace {

/// What a connector says beyond its name and kind.
auto details(const Connector& connector) {
    return std::tie(connector.type, connector.unit, connector.enumeration, connector.mime_type,
                    connector.dimensions, connector.clocks);
}

}  // namespace

void unite_connectors(std::vector<Connector>& connectors, Diagnostics& findings) {
    const Connector plain;
    std::unordered_map<std::string, std::size_t> known;
    std::vector<Connector> united;
    for (Connector& connector : connectors) {
        const auto [first, is_new] = known.emplace(connector.name, united.size());
        if (is_new) {
            united.push_back(std::move(connector));
            continue;
        }
        Connector& other = united[first->second];
        const bool says_less =
            details(connector) == details(plain) || details(connector) == details(other);
        if (connector.kind == other.kind && says_less) continue;
        if (connector.kind == other.kind && details(other) == details(plain))
            other = std::move(connector);
        else
            report(findings, connector.place,
                   fmt::format("the connector '{}' is declared twice, here and at {}",
                               connector.name, other.place),
                   "remove one of them");
    }
    connectors = std::move(united);
}

}  // namespace tandem::description
