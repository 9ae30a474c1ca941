#include <tandem/model.hpp>

/// The oscillator of van der Pol.
class VanDerPol : public tandem::Model {
public:
    Parameter<double> mu{*this, "mu", 1.0, {.description = "damping", .tunable = true}};
    State x0{*this, "x0", 2.0, {.description = "displacement", .output = true}};
    State x1{*this, "x1", 0.0, {.description = "velocity", .output = true}};

    VanDerPol() {
        has_exact_jacobian();
        depends(x0.der, {x1});
        depends(x1.der, {x0, x1});
    }
    void derivatives() override {
        x0.der = x1;
        x1.der = mu * (1.0 - x0 * x0) * x1 - x0;
    }
    void jacobian(tandem::Jacobian& j) override {
        j(x0.der, x1) = 1.0;
        j(x1.der, x0) = -2.0 * mu * x0 * x1 - 1.0;
        j(x1.der, x1) = mu * (1.0 - x0 * x0);
    }
};

TANDEM_MODEL(VanDerPol,
             {.description = "Oscillator of van der Pol", .stop = 20.0, .step_size = 0.01})
