#include "tandem/extend/subsystem.hpp"

#include "tandem/error.hpp"

namespace tandem {
namespace {

template <class Facet>
Facet& present(Facet* facet, const char* claim) {
    expects(facet != nullptr, claim);
    return *facet;
}

}  // namespace

void Rollback::serialise(std::vector<std::byte>&) {
    expects(false, "the subsystem's capabilities are checked before its state is serialised");
}
void Rollback::deserialise(std::span<const std::byte>) {
    expects(false, "the subsystem's capabilities are checked before its state is deserialised");
}

void Linearisable::jacobian_times(std::span<const double>, std::span<double>) {
    expects(false, "the subsystem's capabilities are checked before its jacobian is asked");
}
void Linearisable::linearise(LinearModel&, LinearParts) {
    expects(false, "the subsystem's capabilities are checked before its linear model is asked");
}
bool Linearisable::get_output_derivatives(int, std::span<double>) {
    expects(false, "the subsystem's capabilities are checked before output derivatives are asked");
    return false;
}

void Subsystem::select_ports(const PortSelection&) {}

StepResult Subsystem::exchange_step(const InputCourse& course, Interval interval,
                                    std::span<double> outputs) {
    set_inputs(course);
    const StepResult result = step(interval);
    if (result) get_outputs(outputs);
    return result;
}

Rollback& Subsystem::rollback() const {
    return present(facets_.rollback, "capabilities are checked before a state is saved");
}
Tracer& Subsystem::tracer() const {
    return present(facets_.tracer, "capabilities are checked before a trace is kept");
}
LawHost& Subsystem::laws() const {
    return present(facets_.laws, "capabilities are checked before laws are given");
}
Linearisable& Subsystem::linear() const {
    return present(facets_.linear, "capabilities are checked before derivatives are asked");
}

}  // namespace tandem
