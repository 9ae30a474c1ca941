#include "tlm_spring_mass.hpp"

/// Two masses on springs, as one end of a transmission line: they take ten samples of the wave
/// that arrives and compute the force from the line through them.
class TlmRightTable : public TlmRightMasses {
public:
    Parameter<double> Zc{*this, "Zc", 0.4, {.unit = "N.s/m", .description = "of the line"}};
    Input<double[]> t_table{
        *this, "t_table", {10}, 0.0, {.unit = "s", .description = "times, in order"}};
    Input<double[]> c_table{
        *this, "c_table", {10}, 0.0, {.unit = "N", .description = "wave that arrives then"}};
    Output<double> F1{*this, "F1", 0.0, {.unit = "N", .description = "force on the first mass"}};

    TlmRightTable() {
        has_exact_jacobian();
        depends(x1.der, {v1});
        depends(v1.der, {x1, v1, x2, t_table, c_table});
        depends(x2.der, {v2});
        depends(v2.der, {x1, x2, v2});
        depends(F1, {v1, t_table, c_table});
    }
    void derivatives() override { move(force()); }
    void outputs() override { F1 = force(); }
    void jacobian(tandem::Jacobian& j) override {
        const TableValue wave = look_up(t_table, c_table, time());
        partials(j, -Zc);
        table_partials(j, {v1.der, t_table, c_table}, wave, 1.0 / M1);
        j(F1, v1) = -Zc;
        table_partials(j, {F1, t_table, c_table}, wave, 1.0);
    }

private:
    double force() const { return look_up(t_table, c_table, time()).value - Zc * v1; }
};

TANDEM_MODEL(TlmRightTable, {.description = "Two masses on springs that take samples of a wave",
                             .stop = 0.5,
                             .step_size = 2e-4,
                             .tolerance = 1e-9,
                             .solver = "dopri5"})
