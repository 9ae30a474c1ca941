#include "ode/ode_model.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tandem::ode {

void OdeModel::select_ports(const PortSelection&) {}

void OdeModel::get_start_inputs(std::span<double> u) { std::ranges::fill(u, 0.0); }

bool OdeModel::jacobian_times(std::span<const double>, std::span<const double>, std::span<double>,
                              std::span<double>) {
    expects(false, "shape().exact_jacobian is checked before jacobian_times");
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
