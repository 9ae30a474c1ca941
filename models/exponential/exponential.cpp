#include <tandem/model.hpp>

#include <cmath>

/// A function of one input, without memory.
class Exponential : public tandem::Model {
public:
    Parameter<double> gain{*this, "gain", 1.0, {.description = "y at u = 0"}};
    Parameter<double> rate{*this, "rate", -1.0, {.description = "of u in the exponent"}};
    Input<double> u{*this, "u"};
    Output<double> y{*this, "y", 0.0, {.description = "gain exp(rate u)"}};

    Exponential() {
        has_exact_jacobian();
        depends(y, {u});
    }
    void outputs() override { y = gain * std::exp(rate * u); }
    void jacobian(tandem::Jacobian& j) override { j(y, u) = gain * rate * std::exp(rate * u); }
};

TANDEM_MODEL(Exponential,
             {.description = "The exponential of an input", .stop = 1.0, .step_size = 0.01})
