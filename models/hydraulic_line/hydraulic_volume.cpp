#include <tandem/model.hpp>

/// A volume of oil with a source and a leak; a short pipe leads from it to the end of a
/// transmission line.
class HydraulicVolume : public tandem::Model {
public:
    Parameter<double> V{*this, "V", 1e-3, {.unit = "m3", .description = "volume", .min = 1e-12}};
    Parameter<double> beta{
        *this, "beta", 1e9, {.unit = "Pa", .description = "bulk modulus", .min = 1.0}};
    Parameter<double> G{*this, "G", 5e-11, {.unit = "m3/(s.Pa)", .description = "of the leak"}};
    Parameter<double> L{
        *this, "L", 8.5e5, {.unit = "kg/m4", .description = "inertance of the pipe", .min = 1e-3}};
    Parameter<double> R{
        *this, "R", 1e8, {.unit = "Pa.s/m3", .description = "resistance of the pipe"}};
    Parameter<double> q_in{*this, "q_in", 0.0, {.unit = "m3/s", .description = "of the source"}};
    Parameter<double> t_step{*this, "t_step", 0.01, {.unit = "s", .description = "of q_in"}};
    Input<double> p_line{*this,
                         "p_line",
                         0.0,
                         {.unit = "Pa", .description = "at the end of the line", .nominal = 1e5}};
    State p{*this,
            "p",
            0.0,
            {.unit = "Pa", .description = "in the volume", .nominal = 1e5, .output = true}};
    State q{*this,
            "q",
            0.0,
            {.unit = "m3/s", .description = "into the line", .nominal = 1e-4, .output = true}};
    Discrete<double> q_now{
        *this, "q_now", 0.0, {.unit = "m3/s", .description = "0, and q_in from t_step on"}};

    HydraulicVolume() {
        has_exact_jacobian();
        depends(p.der, {p, q, q_now});
        depends(q.der, {p, q, p_line});
    }
    void initialise() override { follow_time(); }
    void event() override { follow_time(); }
    void derivatives() override {
        p.der = beta / V * (q_now - G * p - q);
        q.der = (p - p_line - R * q) / L;
    }
    void jacobian(tandem::Jacobian& j) override {
        j(p.der, p) = -beta / V * G;
        j(p.der, q) = -beta / V;
        j(q.der, p) = 1.0 / L;
        j(q.der, q) = -R / L;
        j(q.der, p_line) = -1.0 / L;
    }

private:
    void follow_time() {
        q_now = time() < t_step ? 0.0 : q_in.value();
        if (time() < t_step) next_event(t_step);
    }
};

TANDEM_MODEL(HydraulicVolume, {.description = "A volume of oil with a pipe to a line",
                               .stop = 0.2,
                               .step_size = 1e-4,
                               .tolerance = 1e-9,
                               .solver = "dopri5"})
