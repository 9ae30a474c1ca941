#include <tandem/model.hpp>

#include "viel_linear.hpp"

/// The first of two linear R-I-R-C elements: it takes a flow and gives an effort.
class VielLinear1 : public tandem::Model {
public:
    Parameter<double> w0{*this, "w0", viel::w0, {.unit = "rad/s", .min = 1e-6}};
    Parameter<double> zeta{*this, "zeta", viel::zeta, {.description = "damping of the inertia"}};
    Parameter<double> w0_tau{*this, "w0_tau", viel::w0_tau, {.description = "w0 times leak time"}};
    Parameter<double> e0{*this, "e0", 0.0, {.description = "effort of the source"}};
    Input<double> f2{*this, "f2", 0.0, {.description = "flow into the second element"}};
    State q1{*this, "q1", 0.0, {.description = "stored in C", .nominal = viel::stored}};
    State p1{*this, "p1", 0.0, {.description = "momentum of I", .nominal = viel::stored}};
    Output<double> e1{*this, "e1", 0.0, {.description = "effort q1/C"}};

    VielLinear1() {
        has_exact_jacobian();
        depends(q1.der, {q1, p1, f2});
        depends(p1.der, {q1, p1});
        depends(e1, {q1});
    }
    void derivatives() override {
        q1.der = -w0 / w0_tau * q1 + w0 * p1 - f2;
        p1.der = -w0 * q1 - 2.0 * zeta * w0 * p1 + e0;
    }
    void outputs() override { e1 = w0 * q1; }
    void jacobian(tandem::Jacobian& j) override {
        j(q1.der, q1) = -w0 / w0_tau;
        j(q1.der, p1) = w0;
        j(q1.der, f2) = -1.0;
        j(p1.der, q1) = -w0;
        j(p1.der, p1) = -2.0 * zeta * w0;
        j(e1, q1) = w0;
    }
};

TANDEM_MODEL(VielLinear1, {.description = "A linear R-I-R-C element that gives its effort",
                           .stop = 0.1,
                           .step_size = 50e-6,
                           .tolerance = 1e-8,
                           .solver = "dopri5"})
