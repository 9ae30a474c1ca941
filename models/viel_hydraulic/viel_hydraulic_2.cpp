#include <tandem/model.hpp>

#include "viel_hydraulic.hpp"

/// The second of two pipes with a volume each: it takes the pressure before its pipe and gives the
/// flow in it. A source draws a flow from the volume that changes at one time.
class VielHydraulic2 : public tandem::Model {
public:
    Parameter<double> Q3_first{*this, "Q3_first", 10.0, {.unit = "L/min"}};
    Parameter<double> Q3_then{*this, "Q3_then", 25.0, {.unit = "L/min"}};
    Parameter<double> t_step{*this, "t_step", 1.0, {.unit = "s", .description = "from then on"}};
    Input<double> p1{*this, "p1", 100.0, {.unit = "bar"}};
    State Q2{
        *this, "Q2", 0.0, {.unit = "L/min", .description = "flow in the pipe", .output = true}};
    State p2{*this,
             "p2",
             100.0,
             {.unit = "bar", .description = "pressure in the volume", .output = true}};
    Discrete<double> Q3{*this, "Q3", 10.0, {.unit = "L/min", .description = "flow of the source"}};

    VielHydraulic2() {
        has_exact_jacobian();
        depends(Q2.der, {Q2, p2, p1});
        depends(p2.der, {Q2, p2, Q3});
    }
    void initialise() override { follow_time(); }
    void event() override { follow_time(); }
    void derivatives() override {
        if (p() <= -line_.air) discard("the pressure is below that of a vacuum");
        Q2.der = line_.q_rate(q(), p(), p1 * viel::bar).value / viel::l_per_min;
        p2.der = line_.p_rate(q(), p(), Q3 * viel::l_per_min).value / viel::bar;
    }
    void jacobian(tandem::Jacobian& j) override {
        const viel::Slope flow = line_.q_rate(q(), p(), p1 * viel::bar);
        const viel::Slope pressure = line_.p_rate(q(), p(), Q3 * viel::l_per_min);
        j(Q2.der, Q2) = flow.by_q;
        j(Q2.der, p2) = flow.by_p * viel::bar / viel::l_per_min;
        j(Q2.der, p1) = line_.q_rate_by_p_in(p()) * viel::bar / viel::l_per_min;
        j(p2.der, Q2) = pressure.by_q * viel::l_per_min / viel::bar;
        j(p2.der, p2) = pressure.by_p;
    }

private:
    void follow_time() {
        Q3 = time() < t_step ? Q3_first.value() : Q3_then.value();
        if (time() < t_step) next_event(t_step);
    }
    double q() const { return Q2 * viel::l_per_min; }
    double p() const { return p2 * viel::bar; }

    viel::Line line_;
};

TANDEM_MODEL(VielHydraulic2, {.description = "A pipe with a volume that gives its flow",
                              .stop = 2.0,
                              .step_size = 50e-6,
                              .tolerance = 1e-5,
                              .solver = "dopri5"})
