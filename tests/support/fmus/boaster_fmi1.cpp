/// The Co-Simulation FMU of FMI 1.0 of boaster.hpp.
#include "boaster.hpp"
#include "fmi/abi/fmi1.hpp"

namespace {

using namespace tandem::fmi::abi1;

Boaster& self(Component component) { return *static_cast<Boaster*>(component); }

}  // namespace

extern "C" {

Component BoasterFmi1_fmiInstantiateSlave(String name, String, String, String, Real, Boolean,
                                          Boolean, CallbackFunctionsCs, Boolean) {
    return new Boaster{.name = name};
}
void BoasterFmi1_fmiFreeSlaveInstance(Component component) { delete &self(component); }
Status BoasterFmi1_fmiInitializeSlave(Component component, Real start, Boolean, Real) {
    self(component).t = start;
    return Status::ok;
}
Status BoasterFmi1_fmiTerminateSlave(Component) { return Status::ok; }
Status BoasterFmi1_fmiSetReal(Component component, const ValueReference* references,
                              std::size_t size, const Real* values) {
    for (std::size_t i = 0; i < size; ++i) self(component).values[references[i]] = values[i];
    return Status::ok;
}
Status BoasterFmi1_fmiGetReal(Component component, const ValueReference* references,
                              std::size_t size, Real* values) {
    for (std::size_t i = 0; i < size; ++i) values[i] = self(component).get(references[i]);
    return Status::ok;
}
Status BoasterFmi1_fmiDoStep(Component component, Real begin, Real length, Boolean) {
    self(component).step(begin, length);
    return Status::ok;
}
Status BoasterFmi1_fmiSetRealInputDerivatives(Component component, const ValueReference*,
                                              std::size_t, const Integer*, const Real* slopes) {
    return self(component).input_slopes<Status>(slopes);
}
Status BoasterFmi1_fmiGetRealOutputDerivatives(Component component, const ValueReference*,
                                               std::size_t size, const Integer*, Real* slopes) {
    return self(component).output_slopes<Status>(size, slopes);
}
}
