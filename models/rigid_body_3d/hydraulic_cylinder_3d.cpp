#include <tandem/model.hpp>

#include <cmath>

#include "space.hpp"

using namespace space;

/// A cylinder with its rod between a ball joint at rest and a point that lines may hold: between
/// the end of a hydraulic line and that of a mechanical one in space. All mass is at that point.
class HydraulicCylinder3D : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 5.0, {.unit = "kg", .description = "mass", .min = 1e-9}};
    Parameter<double> A{*this, "A", 1e-3, {.unit = "m2", .description = "area of the piston"}};
    Parameter<double> d{*this, "d", 1000.0, {.unit = "N.s/m", .description = "friction"}};
    Parameter<double[]> anchor{*this, "anchor", {3}, 0.0, {.unit = "m"}};
    Parameter<double[]> g{*this, "g", {3}, 0.0, {.unit = "m/s2", .description = "gravity"}};
    Input<double> p{
        *this, "p", 0.0, {.unit = "Pa", .description = "at the end of the line", .nominal = 1e5}};
    Input<double[]> F{*this, "F", {3}, 0.0, {.unit = "N", .description = "force on the rod"}};
    StateArray r{*this,
                 "r",
                 {3},
                 {1.0, 0.0, 0.0},
                 {.unit = "m", .description = "end of the rod", .output = true}};
    StateArray v{
        *this, "v", {3}, 0.0, {.unit = "m/s", .description = "its velocity", .output = true}};
    Output<double> q{
        *this, "q", 0.0, {.unit = "m3/s", .description = "into the line", .nominal = 1e-4}};
    Output<double> length{
        *this, "length", 1.0, {.unit = "m", .description = "from the anchor to the end"}};

    HydraulicCylinder3D() {
        has_exact_jacobian();
        depends(r.der, {v});
        depends(v.der, {r, v, p, F});
        depends(q, {r, v});
        depends(length, {r});
    }
    // u = (r - anchor)/|r - anchor|,  m v' = (A p - d u.v) u + F + m g
    void derivatives() override {
        const Vector u = direction();
        const double push = A * p - d * dot(u, vector(v));
        for (std::size_t i = 0; i < 3; ++i) {
            r.der[i] = v[i];
            v.der[i] = (push * u[i] + F[i]) / m + g[i];
        }
    }
    void outputs() override {
        length = distance();
        q = -A * dot(direction(), vector(v));
    }
    // du_i/dr_k = (delta_ik - u_i u_k)/length, so d(u.v)/dr = (v - (u.v) u)/length
    void jacobian(tandem::Jacobian& j) override {
        const Vector u = direction();
        const double out = dot(u, vector(v)), push = A * p - d * out;
        const Vector across = (1.0 / distance()) * (vector(v) - out * u);
        for (std::size_t k = 0; k < 3; ++k) {
            j({r.der, k}, {v, k}) = 1.0;
            j({v.der, k}, {F, k}) = 1.0 / m;
            j({v.der, k}, p) = A * u[k] / m;
            for (std::size_t i = 0; i < 3; ++i) {
                const double by_r = ((i == k ? 1.0 : 0.0) - u[i] * u[k]) / distance();
                j({v.der, i}, {r, k}) = (push * by_r - d * across[k] * u[i]) / m;
                j({v.der, i}, {v, k}) = -d * u[i] * u[k] / m;
            }
            j(q, {r, k}) = -A * across[k];
            j(q, {v, k}) = -A * u[k];
            j(length, {r, k}) = u[k];
        }
    }

private:
    Vector way() const { return vector(r) - vector(anchor); }
    double distance() const {
        const double square = dot(way(), way());
        if (!(square > 0.0)) discard("the cylinder has no length");
        return std::sqrt(square);
    }
    Vector direction() const { return (1.0 / distance()) * way(); }
};

TANDEM_MODEL(HydraulicCylinder3D, {.description = "A cylinder in space between oil and a force",
                                   .stop = 1.0,
                                   .step_size = 1e-3,
                                   .tolerance = 1e-9,
                                   .solver = "dopri5"})
