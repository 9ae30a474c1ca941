#include "core/scales.hpp"

#include "tandem/extend/subsystem.hpp"

namespace tandem {

double NamedSizes::of(std::string_view name) const {
    const auto found = by_name.find(name);
    return found != by_name.end() ? found->second : all;
}

std::vector<double> NamedSizes::of(std::span<const Port> ports) const {
    std::vector<double> sizes;
    for (const Port& port : ports) sizes.push_back(of(port.name));
    return sizes;
}

void set_nominals(const NamedSizes& nominals, std::vector<Port>& ports) {
    if (nominals.empty()) return;
    for (Port& port : ports)
        if (const double nominal = nominals.of(port.name); nominal > 0.0) port.nominal = nominal;
}

void replace(std::span<const double> given, std::span<double> values) {
    for (std::size_t i = 0; i < given.size(); ++i)
        if (given[i] > 0.0) values[i] = given[i];
}

}  // namespace tandem
