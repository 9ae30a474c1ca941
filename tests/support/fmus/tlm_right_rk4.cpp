#include "tlm_spring_mass.hpp"

/// The model TlmRight with fixed steps inside its Co-Simulation FMU.
class TlmRightRk4 : public TlmRightMasses {
public:
    Input<double> F1{*this, "F1", 0.0, {.unit = "N", .description = "force on the first mass"}};

    void derivatives() override { move(F1); }
};

TANDEM_MODEL(TlmRightRk4, {.description = "Two masses that take a force, in fixed steps",
                           .solver = "rk4",
                           .fixed_step = 2e-5})
