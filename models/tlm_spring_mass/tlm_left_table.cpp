#include "tlm_spring_mass.hpp"

/// The mass that is driven, as one end of a transmission line: it takes ten samples of the wave
/// that arrives and computes the force from the line through them.
class TlmLeftTable : public TlmLeftMass {
public:
    Parameter<double> Zc{*this, "Zc", 0.4, {.unit = "N.s/m", .description = "of the line"}};
    Input<double[]> t_table{
        *this, "t_table", {10}, 0.0, {.unit = "s", .description = "times, in order"}};
    Input<double[]> c_table{
        *this, "c_table", {10}, 0.0, {.unit = "N", .description = "wave that arrives then"}};
    Output<double> F3{*this, "F3", 0.0, {.unit = "N", .description = "force on the mass"}};

    TlmLeftTable() {
        has_exact_jacobian();
        depends(x3.der, {v3});
        depends(v3.der, {v3, Fnow, t_table, c_table});
        depends(F3, {v3, t_table, c_table});
    }
    void derivatives() override { move(force()); }
    void outputs() override { F3 = force(); }
    void jacobian(tandem::Jacobian& j) override {
        const TableValue wave = look_up(t_table, c_table, time());
        partials(j, -Zc);
        table_partials(j, {v3.der, t_table, c_table}, wave, 1.0 / M3);
        j(F3, v3) = -Zc;
        table_partials(j, {F3, t_table, c_table}, wave, 1.0);
    }

private:
    double force() const { return look_up(t_table, c_table, time()).value - Zc * v3; }
};

TANDEM_MODEL(TlmLeftTable, {.description = "A driven mass that takes samples of a wave",
                            .stop = 0.5,
                            .step_size = 2e-4,
                            .tolerance = 1e-9,
                            .solver = "dopri5"})
