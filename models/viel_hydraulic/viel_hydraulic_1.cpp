#include <tandem/model.hpp>

#include "viel_hydraulic.hpp"

/// The first of two pipes with a volume each: it takes the flow out of its volume and gives the
/// pressure there.
class VielHydraulic1 : public tandem::Model {
public:
    Parameter<double> p0{*this, "p0", 100.0, {.unit = "bar", .description = "of the source"}};
    Input<double> Q2{*this, "Q2", 0.0, {.unit = "L/min"}};
    State Q1{
        *this, "Q1", 0.0, {.unit = "L/min", .description = "flow in the pipe", .output = true}};
    State p1{*this,
             "p1",
             100.0,
             {.unit = "bar", .description = "pressure in the volume", .output = true}};

    VielHydraulic1() {
        has_exact_jacobian();
        depends(Q1.der, {Q1, p1});
        depends(p1.der, {Q1, p1, Q2});
    }
    void derivatives() override {
        if (p() <= -line_.air) discard("the pressure is below that of a vacuum");
        Q1.der = line_.q_rate(q(), p(), p0 * viel::bar).value / viel::l_per_min;
        p1.der = line_.p_rate(q(), p(), Q2 * viel::l_per_min).value / viel::bar;
    }
    void jacobian(tandem::Jacobian& j) override {
        const viel::Slope flow = line_.q_rate(q(), p(), p0 * viel::bar);
        const viel::Slope pressure = line_.p_rate(q(), p(), Q2 * viel::l_per_min);
        j(Q1.der, Q1) = flow.by_q;
        j(Q1.der, p1) = flow.by_p * viel::bar / viel::l_per_min;
        j(p1.der, Q1) = pressure.by_q * viel::l_per_min / viel::bar;
        j(p1.der, p1) = pressure.by_p;
        j(p1.der, Q2) = -pressure.by_q * viel::l_per_min / viel::bar;
    }

private:
    double q() const { return Q1 * viel::l_per_min; }
    double p() const { return p1 * viel::bar; }

    viel::Line line_;
};

TANDEM_MODEL(VielHydraulic1, {.description = "A pipe with a volume that gives its pressure",
                              .stop = 2.0,
                              .step_size = 50e-6,
                              .tolerance = 1e-5,
                              .solver = "dopri5"})
