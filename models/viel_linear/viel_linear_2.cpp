#include <tandem/model.hpp>

#include "viel_linear.hpp"

/// The second of two linear R-I-R-C elements: it takes an effort and gives a flow.
class VielLinear2 : public tandem::Model {
public:
    Parameter<double> w0{*this, "w0", viel::w0, {.unit = "rad/s", .min = 1e-6}};
    Parameter<double> zeta{*this, "zeta", viel::zeta, {.description = "damping of the inertia"}};
    Parameter<double> w0_tau{*this, "w0_tau", viel::w0_tau, {.description = "w0 times leak time"}};
    Parameter<double> f3{*this, "f3", 1.0, {.description = "flow of the source, drawn from C"}};
    Input<double> e1{*this, "e1", 0.0, {.description = "effort of the first element"}};
    State q2{*this, "q2", 0.0, {.description = "stored in C", .nominal = viel::stored}};
    State p2{*this, "p2", 0.0, {.description = "momentum of I", .nominal = viel::stored}};
    Output<double> f2{*this, "f2", 0.0, {.description = "flow p2/I"}};

    VielLinear2() {
        has_exact_jacobian();
        depends(q2.der, {q2, p2});
        depends(p2.der, {q2, p2, e1});
        depends(f2, {p2});
    }
    void derivatives() override {
        q2.der = -w0 / w0_tau * q2 + w0 * p2 - f3;
        p2.der = -w0 * q2 - 2.0 * zeta * w0 * p2 + e1;
    }
    void outputs() override { f2 = w0 * p2; }
    void jacobian(tandem::Jacobian& j) override {
        j(q2.der, q2) = -w0 / w0_tau;
        j(q2.der, p2) = w0;
        j(p2.der, q2) = -w0;
        j(p2.der, p2) = -2.0 * zeta * w0;
        j(p2.der, e1) = 1.0;
        j(f2, p2) = w0;
    }
};

TANDEM_MODEL(VielLinear2, {.description = "A linear R-I-R-C element that gives its flow",
                           .stop = 0.1,
                           .step_size = 50e-6,
                           .tolerance = 1e-8,
                           .solver = "dopri5"})
