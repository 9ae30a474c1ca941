#include "ode/ode_model.hpp"

#include <algorithm>

#include "tandem/error.hpp"

namespace tandem::ode {

std::vector<double> take_scales(const Scales& scales, OdeShape& shape) {
    for (std::vector<Port>* ports : {&shape.states, &shape.inputs, &shape.outputs})
        set_nominals(scales.nominals, *ports);
    if (!scales.absolute_tolerances.empty())
        shape.absolute_tolerances = scales.absolute_tolerances.of(shape.states);
    return scales.nominals.empty() ? std::vector<double>() : scales.nominals.of(shape.states);
}

void OdeModel::select_ports(const PortSelection&) {}

void OdeModel::get_start_inputs(std::span<double> u) { std::ranges::fill(u, 0.0); }

int OdeModel::prepare_inputs(std::span<const int>) { return -1; }
int OdeModel::prepare_outputs(std::span<const int>) { return -1; }
bool OdeModel::set_states(double, std::span<const double>) {
    expects(false, "states are set alone only where inputs are prepared");
    return false;
}
void OdeModel::set_prepared(int, std::span<const double>) {
    expects(false, "inputs are prepared before they are set");
}
std::span<double* const> OdeModel::places_of(int) { return {}; }
void OdeModel::inputs_written(int) {
    expects(false, "inputs are written only into places that the model has given");
}
bool OdeModel::get_prepared(int, std::span<double>) {
    expects(false, "outputs are prepared before they are read");
    return false;
}
bool OdeModel::jacobian_times(std::span<const double>, std::span<const double>, std::span<double>,
                              std::span<double>) {
    expects(false, "shape().exact_jacobian is checked before jacobian_times");
    return false;
}
bool OdeModel::jacobian_entries(JacobianBlock, std::span<double>) {
    expects(false, "shape().assembles_jacobian is checked before jacobian_entries");
    return false;
}

std::string OdeModel::indicator_name(int i) const {
    return "event indicator " + std::to_string(i + 1) + " of '" + name() + "'";
}

void OdeModel::save(StateSlot) { expects(false, "shape().can_save is checked before save"); }
void OdeModel::restore(StateSlot) { expects(false, "shape().can_save is checked before restore"); }
void OdeModel::serialise(std::vector<std::byte>&) {
    expects(false, "shape().can_serialise is checked before serialise");
}
void OdeModel::deserialise(std::span<const std::byte>) {
    expects(false, "shape().can_serialise is checked before deserialise");
}

}  // namespace tandem::ode
