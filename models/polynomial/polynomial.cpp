#include <tandem/model.hpp>

/// A function of two inputs, without memory.
class Polynomial : public tandem::Model {
public:
    Parameter<double> c0{*this, "c0", 0.0, {.description = "constant part"}};
    Parameter<double> c1{*this, "c1", 1.0, {.description = "of u1"}};
    Parameter<double> c2{*this, "c2", 0.0, {.description = "of u2"}};
    Parameter<double> c11{*this, "c11", 0.0, {.description = "of the square of u1"}};
    Input<double> u1{*this, "u1"};
    Input<double> u2{*this, "u2"};
    Output<double> y{*this, "y", 0.0, {.description = "c0 + c1 u1 + c2 u2 + c11 u1^2"}};

    Polynomial() {
        has_exact_jacobian();
        depends(y, {u1, u2});
    }
    void outputs() override { y = c0 + c1 * u1 + c2 * u2 + c11 * u1 * u1; }
    void jacobian(tandem::Jacobian& j) override {
        j(y, u1) = c1 + 2.0 * c11 * u1;
        j(y, u2) = c2;
    }
};

TANDEM_MODEL(Polynomial,
             {.description = "A function of two inputs", .stop = 1.0, .step_size = 0.01})
