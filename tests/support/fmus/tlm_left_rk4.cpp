#include "tlm_spring_mass.hpp"

/// The model TlmLeft with fixed steps inside its Co-Simulation FMU.
class TlmLeftRk4 : public TlmLeftMass {
public:
    Input<double> F3{*this, "F3", 0.0, {.unit = "N", .description = "force on the mass"}};

    void derivatives() override { move(F3); }
};

TANDEM_MODEL(TlmLeftRk4, {.description = "A driven mass that takes a force, in fixed steps",
                          .solver = "rk4",
                          .fixed_step = 2e-5})
