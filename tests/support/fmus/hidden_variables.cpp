#include <tandem/model.hpp>

/// dx/dt = a x + b u with all that is worth seeing behind the outputs: for tests of connections
/// from states, derivatives and locals.
class HiddenVariables : public tandem::Model {
public:
    Parameter<double> a{*this, "a", -1.0, {.description = "of x in dx/dt"}};
    Parameter<double> b{*this, "b", 1.0, {.description = "of u in dx/dt"}};
    Input<double> u{*this, "u", 0.0, {.description = "what drives it"}};
    State x{*this, "x", 1.0, {.description = "what remembers"}};
    Local<double> z{*this, "z", 0.0, {.description = "x + u / 2"}};
    Local<double[]> w{*this, "w", {2}, 0.0, {.description = "x, -2 x"}};
    Output<double> y{*this, "y", 0.0, {.description = "nothing of interest"}};

    HiddenVariables() {
        has_exact_jacobian();
        depends(x.der, {x, u});
        depends(y, {});
    }
    void derivatives() override { x.der = a * x + b * u; }
    void outputs() override {
        y = 1.0;
        z = x + 0.5 * u;
        w[0] = x;
        w[1] = -2.0 * x;
    }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, x) = a;
        j(x.der, u) = b;
    }
};

TANDEM_MODEL(HiddenVariables, {.description = "Variables behind outputs",
                               .stop = 2.0,
                               .step_size = 0.1,
                               .tolerance = 1e-10})
