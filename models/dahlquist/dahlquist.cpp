#include <tandem/model.hpp>

/// Dahlquist's test equation with an input: the simplest model whose solution is known.
class Dahlquist : public tandem::Model {
public:
    Parameter<double> k{*this, "k", 1.0, {.unit = "1/s", .description = "decay rate"}};
    Input<double> u{*this, "u", 0.0, {.unit = "1/s", .description = "source"}};
    State x{*this, "x", 1.0, {.description = "what decays", .output = true}};
    Output<double> y{*this, "y", 0.0, {.description = "x + u, with direct feed-through"}};

    Dahlquist() {
        has_exact_jacobian();
        depends(x.der, {x, u});
        depends(y, {x, u});
    }
    void derivatives() override { x.der = -k * x + u; }
    void outputs() override { y = x + u; }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, x) = -k;
        j(x.der, u) = 1.0;
        j(y, x) = 1.0;
        j(y, u) = 1.0;
    }
};

TANDEM_MODEL(Dahlquist,
             {.description = "Dahlquist's test equation", .stop = 10.0, .step_size = 0.1})
