#include <tandem/model.hpp>

/// One linear state with an input that is seen at once in the output.
class LinearOde : public tandem::Model {
public:
    Parameter<double> a{*this, "a", -1.0, {.unit = "1/s", .description = "of x in dx/dt"}};
    Parameter<double> b{*this, "b", 1.0, {.unit = "1/s", .description = "of u in dx/dt"}};
    Parameter<double> c{*this, "c", 1.0, {.description = "of x in y"}};
    Parameter<double> d{*this, "d", 0.0, {.description = "of u in y"}};
    Input<double> u{*this, "u", 0.0, {.description = "what drives it"}};
    State x{*this, "x", 0.0, {.description = "what remembers"}};
    Output<double> y{*this, "y", 0.0, {.description = "c x + d u"}};

    LinearOde() {
        has_exact_jacobian();
        depends(x.der, {x, u});
        depends(y, {x, u});
    }
    void derivatives() override { x.der = a * x + b * u; }
    void outputs() override { y = c * x + d * u; }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, x) = a;
        j(x.der, u) = b;
        j(y, x) = c;
        j(y, u) = d;
    }
};

TANDEM_MODEL(LinearOde, {.description = "A linear state with direct feed-through",
                         .stop = 10.0,
                         .step_size = 0.1,
                         .tolerance = 1e-9})
