#include "run/port_values.hpp"

#include "base/error.hpp"
#include "run/input_table.hpp"

namespace tandem::run {

void read_inputs(Subsystem& subsystem, std::span<double> inputs) {
    Variables& variables = subsystem.variables();
    const std::vector<Port>& ports = subsystem.interface().inputs;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const auto element = find_element(variables.list(), ports[i].name);
        expects(element.has_value(), "every port is a variable of its subsystem");
        const VariableGroup group = variables.group(std::span(&element->variable, 1));
        Values values;
        values.resize(group.type, group.size);
        variables.read(group, values);
        inputs[i] = values.reals[element->index];
    }
}

}  // namespace tandem::run
