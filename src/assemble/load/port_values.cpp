#include "assemble/load/port_values.hpp"

#include "assemble/load/input_table.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {

double read_input(Subsystem& subsystem, std::size_t port) {
    Variables& variables = subsystem.variables();
    const auto element = find_element(variables.list(), subsystem.interface().inputs[port].name);
    expects(element.has_value(), "every port is a variable of its subsystem");
    const VariableGroup group = variables.group(std::span(&element->variable, 1));
    Values values;
    values.resize(group.type, group.size);
    variables.observe(group, values);
    return values.reals[element->index];
}

void read_inputs(Subsystem& subsystem, std::span<double> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = read_input(subsystem, i);
}

}  // namespace tandem::assemble
