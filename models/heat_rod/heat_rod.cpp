#include <tandem/model.hpp>

/// Heat flows along a rod of `n` cells, heated at its left end: states in an array whose size is a
/// structural parameter.
class HeatRod : public tandem::Model {
public:
    StructuralParameter n{*this, "n", 8, {.description = "number of cells", .min = 2.0}};
    Parameter<double> a{*this, "a", 2.0, {.unit = "1/s", .description = "exchange between cells"}};
    Input<double> heating{*this, "heating", 1.0, {.unit = "K/s", .description = "at the left"}};
    StateArray T{*this, "T", {n}, 300.0, {.unit = "K", .nominal = 300.0}};
    Output<double> T_end{*this, "T_end", 300.0, {.unit = "K", .description = "at the right end"}};

    HeatRod() {
        has_exact_jacobian();
        depends(T.der, {T, heating});
        depends(T_end, {T});
    }
    void derivatives() override {
        for (std::size_t i = 0; i < T.size(); ++i) {
            T.der[i] = i == 0 ? heating.value() : a * (T[i - 1] - T[i]);
            if (i + 1 < T.size()) T.der[i] += a * (T[i + 1] - T[i]);
        }
    }
    void outputs() override { T_end = T[T.size() - 1]; }
    void jacobian(tandem::Jacobian& j) override {
        j({T.der, 0}, heating) = 1.0;
        j(T_end, {T, T.size() - 1}) = 1.0;
        for (std::size_t i = 0; i + 1 < T.size(); ++i) {
            j({T.der, i}, {T, i}) = -a;
            j({T.der, i}, {T, i + 1}) = a;
            j({T.der, i + 1}, {T, i}) = a;
            j({T.der, i + 1}, {T, i + 1}) = -a;
        }
    }
};

TANDEM_MODEL(HeatRod, {.description = "Heat in a rod of cells", .stop = 10.0, .step_size = 0.1})
