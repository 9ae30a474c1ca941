#pragma once

#include <tandem/model.hpp>

#include <algorithm>
#include <cstddef>

/// A mass that a force drives from t_step on, and whatever pulls at it: F3.
class TlmLeftMass : public tandem::Model {
public:
    Parameter<double> M3{*this, "M3", 0.005, {.unit = "kg", .description = "mass", .min = 1e-9}};
    Parameter<double> B3{*this, "B3", 0.2, {.unit = "N.s/m", .description = "damper to ground"}};
    Parameter<double> Fext{*this, "Fext", -100.0, {.unit = "N", .description = "external force"}};
    Parameter<double> t_step{*this, "t_step", 0.1, {.unit = "s", .description = "of Fext"}};
    State x3{*this, "x3", 0.0, {.unit = "m", .description = "position", .output = true}};
    State v3{*this, "v3", 0.0, {.unit = "m/s", .description = "velocity", .output = true}};
    Discrete<double> Fnow{
        *this, "Fnow", 0.0, {.unit = "N", .description = "0, and Fext from t_step on"}};

    void initialise() override { follow_time(); }
    void event() override { follow_time(); }

protected:
    void move(double force) {
        x3.der = v3;
        v3.der = (-B3 * v3 + Fnow + force) / M3;
    }
    /// The force changes by `force_by_v` with v3.
    void partials(tandem::Jacobian& j, double force_by_v = 0.0) {
        j(x3.der, v3) = 1.0;
        j(v3.der, v3) = (force_by_v - B3) / M3;
    }

private:
    void follow_time() {
        Fnow = time() < t_step ? 0.0 : Fext.value();
        if (time() < t_step) next_event(t_step);
    }
};

/// Two masses with a spring between them, the second held by another spring, and whatever pulls at
/// the first: F1.
class TlmRightMasses : public tandem::Model {
public:
    Parameter<double> M1{*this, "M1", 0.005, {.unit = "kg", .description = "mass", .min = 1e-9}};
    Parameter<double> B1{*this, "B1", 0.2, {.unit = "N.s/m", .description = "damper to ground"}};
    Parameter<double> K1{*this, "K1", 90.0, {.unit = "N/m", .description = "between the masses"}};
    Parameter<double> M2{*this, "M2", 0.005, {.unit = "kg", .description = "mass", .min = 1e-9}};
    Parameter<double> B2{*this, "B2", 0.2, {.unit = "N.s/m", .description = "damper to ground"}};
    Parameter<double> K2{*this, "K2", 141.0, {.unit = "N/m", .description = "spring to ground"}};
    State x1{*this, "x1", 0.0, {.unit = "m", .description = "position", .output = true}};
    State v1{*this, "v1", 0.0, {.unit = "m/s", .description = "velocity", .output = true}};
    State x2{*this, "x2", 0.0, {.unit = "m", .description = "position", .output = true}};
    State v2{*this, "v2", 0.0, {.unit = "m/s", .description = "velocity", .output = true}};

protected:
    void move(double force) {
        const double spring = K1 * (x1 - x2);
        x1.der = v1;
        v1.der = (-B1 * v1 - spring + force) / M1;
        x2.der = v2;
        v2.der = (-B2 * v2 + spring - K2 * x2) / M2;
    }
    /// The force changes by `force_by_v` with v1.
    void partials(tandem::Jacobian& j, double force_by_v = 0.0) {
        j(x1.der, v1) = 1.0;
        j(v1.der, x1) = -K1 / M1;
        j(v1.der, v1) = (force_by_v - B1) / M1;
        j(v1.der, x2) = K1 / M1;
        j(x2.der, v2) = 1.0;
        j(v2.der, x1) = K1 / M2;
        j(v2.der, x2) = -(K1 + K2) / M2;
        j(v2.der, v2) = -B2 / M2;
    }
};

/// c(t) through the points (t[k], c[k]), times in order, by straight lines; beyond its ends as
/// there.
struct TableValue {
    double value = 0.0;
    std::size_t left = 0;  ///< the point before, or the only one that counts
    double weight = 0.0;   ///< of the point after it
    double slope = 0.0;
};
template <class Array>
TableValue look_up(const Array& t, const Array& c, double time) {
    const std::size_t last = t.size() - 1;
    if (!(time > t[0])) return {c[0], 0, 0.0, 0.0};
    if (!(time < t[last])) return {c[last], last, 0.0, 0.0};
    const auto right =
        static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), time) - t.begin());
    const std::size_t left = right - 1;
    const double length = t[right] - t[left];
    const double weight = (time - t[left]) / length, slope = (c[right] - c[left]) / length;
    return {c[left] + slope * (time - t[left]), left, weight, slope};
}

/// A row of the Jacobian and the variables of a table that it depends on.
struct TableRow {
    const tandem::kit::VariableBase &unknown, &t, &c;
};
/// Partial derivatives of `factor` c(t) there.
inline void table_partials(tandem::Jacobian& j, const TableRow& row, const TableValue& at,
                           double factor) {
    j(row.unknown, {row.c, at.left}) = factor * (1.0 - at.weight);
    if (at.weight == 0.0) return;
    j(row.unknown, {row.c, at.left + 1}) = factor * at.weight;
    j(row.unknown, {row.t, at.left}) = -factor * at.slope * (1.0 - at.weight);
    j(row.unknown, {row.t, at.left + 1}) = -factor * at.slope * at.weight;
}
