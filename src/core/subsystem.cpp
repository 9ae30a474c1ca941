#include "tandem/extend/subsystem.hpp"

#include "tandem/error.hpp"

namespace tandem {

void Subsystem::select_ports(const PortSelection&) {}

StepResult Subsystem::exchange_step(const InputCourse& course, Interval interval,
                                    std::span<double> outputs) {
    set_inputs(course);
    const StepResult result = step(interval);
    if (result) get_outputs(outputs);
    return result;
}

bool Subsystem::get_output_derivatives(int, std::span<double>) {
    expects(false, "the subsystem's capabilities are checked before output derivatives are asked");
    return false;
}
void Subsystem::keep_trace(bool on) {
    expects(!on, "the subsystem's capabilities are checked before its trace is kept");
}
const OutputTrace& Subsystem::trace() const {
    static const OutputTrace none;
    expects(false, "the subsystem's capabilities are checked before its trace is asked");
    return none;
}
void Subsystem::expect_law(std::span<const double> nominals) {
    expects(nominals.empty(), "the subsystem's capabilities are checked before it is given laws");
}
void Subsystem::get_inputs(std::span<double>) {
    expects(false, "the subsystem's capabilities are checked before its inputs are asked");
}
void Subsystem::save(StateSlot) {
    expects(false, "the subsystem's capabilities are checked before its state is saved");
}
void Subsystem::restore(StateSlot) {
    expects(false, "the subsystem's capabilities are checked before its state is restored");
}
void Subsystem::serialise(std::vector<std::byte>&) {
    expects(false, "the subsystem's capabilities are checked before its state is serialised");
}
void Subsystem::deserialise(std::span<const std::byte>) {
    expects(false, "the subsystem's capabilities are checked before its state is deserialised");
}
void Subsystem::jacobian_times(std::span<const double>, std::span<double>) {
    expects(false, "the subsystem's capabilities are checked before its jacobian is asked");
}
void Subsystem::linearise(LinearModel&, LinearParts) {
    expects(false, "the subsystem's capabilities are checked before its linear model is asked");
}

}  // namespace tandem
