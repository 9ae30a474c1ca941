#include <tandem/model.hpp>

#include <algorithm>
#include <string>

#include "space.hpp"

using namespace space;

/// A rigid body with two points at which transmission lines may hold it.
class RigidBody3D : public tandem::Model {
public:
    /// One of these points. All but the offset is in the frame at rest.
    struct Point {
        Point(RigidBody3D& body, const std::string& n)
            : offset(
                  body, "offset" + n, {3}, 0.0,
                  {.unit = "m", .description = "from the centre of mass, turning with the body"}),
              F(body, "F" + n, {3}, 0.0, {.unit = "N", .description = "force on the body"}),
              M(body, "M" + n, {3}, 0.0,
                {.unit = "N.m", .description = "moment on the body, about this point"}),
              r(body, "r" + n, {3}, 0.0, {.unit = "m", .description = "position"}),
              R(body, "R" + n, {9}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                {.description = "its columns are the axes of the body"}),
              v(body, "v" + n, {3}, 0.0, {.unit = "m/s", .description = "velocity"}),
              w(body, "w" + n, {3}, 0.0, {.unit = "rad/s", .description = "angular velocity"}) {}
        Parameter<double[]> offset;
        Input<double[]> F, M;
        Output<double[]> r, R, v, w;
    };

    Parameter<double> m{*this, "m", 1.0, {.unit = "kg", .description = "mass", .min = 1e-9}};
    Parameter<double[]> J{
        *this, "J", {3}, 0.1, {.unit = "kg.m2", .description = "about the axes of the body"}};
    Parameter<double[]> g{*this, "g", {3}, 0.0, {.unit = "m/s2", .description = "gravity"}};
    Parameter<double[]> M_ext{*this,
                              "M_ext",
                              {3},
                              0.0,
                              {.unit = "N.m", .description = "moment that turns with the body"}};
    Parameter<double> t_ramp{
        *this, "t_ramp", 0.0, {.unit = "s", .description = "in which M_ext grows from 0"}};
    StateArray r{*this, "r", {3}, 0.0, {.unit = "m", .description = "of the centre of mass"}};
    StateArray v{*this, "v", {3}, 0.0, {.unit = "m/s", .description = "of the centre of mass"}};
    StateArray q{*this,
                 "q",
                 {4},
                 {1.0, 0.0, 0.0, 0.0},
                 {.description = "orientation, a quaternion, scalar first"}};
    StateArray w{*this,
                 "w",
                 {3},
                 0.0,
                 {.unit = "rad/s", .description = "angular velocity, about the axes of the body"}};
    Point one{*this, "1"}, two{*this, "2"};

    RigidBody3D() {
        has_exact_jacobian();
        depends(r.der, {v});
        depends(v.der, {one.F, two.F});
        depends(q.der, {q, w});
        depends(w.der, {q, w, one.F, one.M, two.F, two.M});
        for (Point* point : {&one, &two}) {
            depends(point->r, {r, q});
            depends(point->R, {q});
            depends(point->v, {v, q, w});
            depends(point->w, {q, w});
        }
    }
    void initialise() override { follow_time(); }
    void event() override { follow_time(); }

    void derivatives() override;
    void outputs() override;
    void jacobian(tandem::Jacobian& j) override;

private:
    /// M_ext has a corner there.
    void follow_time() {
        if (time() < t_ramp) next_event(t_ramp);
    }
    double ramp() const { return time() < t_ramp ? std::max(time() / t_ramp, 0.0) : 1.0; }
    Quaternion orientation() const { return {q[0], q[1], q[2], q[3]}; }
    Matrix turn() const { return rotation(orientation()); }
    /// Sum of R^T M_i + s_i x R^T F_i: the moment about the centre of mass, in the frame of the
    /// body. It is linear in R, so it gives its own derivative as well.
    Vector moment(const Matrix& R) const {
        Vector sum = {};
        for (const Point* point : {&one, &two})
            sum = sum + turn_back(R, vector(point->M)) +
                  cross(vector(point->offset), turn_back(R, vector(point->F)));
        return sum;
    }
    /// w x J w
    Vector gyration(const Vector& a, const Vector& b) const {
        return cross(a, {J[0] * b[0], J[1] * b[1], J[2] * b[2]});
    }
    void point_partials(tandem::Jacobian& j, const Point& point);
    void turn_partials(tandem::Jacobian& j);

    /// Holds q to length 1, which rounding and the solver would lose: [1/s].
    static constexpr double pull_ = 10.0;
};

// r' = v,  m v' = F1 + F2 + m g,  q' = q (0, w)/2 + pull (1 - |q|^2) q,
// J w' = M_ext + sum of (R^T M_i + s_i x R^T F_i) - w x J w
void RigidBody3D::derivatives() {
    const Quaternion rate = product(orientation(), {0.0, w[0], w[1], w[2]});
    const double pull = pull_ * (1.0 - square(orientation()));
    const Vector outside = moment(turn()), inside = gyration(vector(w), vector(w));
    for (std::size_t i = 0; i < 3; ++i) {
        r.der[i] = v[i];
        v.der[i] = (one.F[i] + two.F[i]) / m + g[i];
        w.der[i] = (ramp() * M_ext[i] + outside[i] - inside[i]) / J[i];
    }
    for (std::size_t i = 0; i < 4; ++i) q.der[i] = 0.5 * rate[i] + pull * q[i];
}

// r_i = r + R s_i,  v_i = v + R (w x s_i),  w_i = R w
void RigidBody3D::outputs() {
    const Matrix R = turn();
    const Vector spin = vector(w);
    for (Point* point : {&one, &two}) {
        const Vector offset = vector(point->offset);
        const Vector arm = R * offset, swing = R * cross(spin, offset), turning = R * spin;
        for (std::size_t i = 0; i < 3; ++i) {
            point->r[i] = r[i] + arm[i];
            point->v[i] = v[i] + swing[i];
            point->w[i] = turning[i];
        }
        std::copy(R.begin(), R.end(), point->R.begin());
    }
}

void RigidBody3D::jacobian(tandem::Jacobian& j) {
    for (std::size_t i = 0; i < 3; ++i) {
        j({r.der, i}, {v, i}) = 1.0;
        j({v.der, i}, {one.F, i}) = 1.0 / m;
        j({v.der, i}, {two.F, i}) = 1.0 / m;
    }
    turn_partials(j);
    for (const Point* point : {&one, &two}) point_partials(j, *point);
}

void RigidBody3D::turn_partials(tandem::Jacobian& j) {
    const double pull = pull_ * (1.0 - square(orientation()));
    const Vector spin = vector(w);
    for (std::size_t k = 0; k < 4; ++k) {
        Quaternion e = {};
        e[k] = 1.0;
        const Quaternion rate = product(e, {0.0, w[0], w[1], w[2]});
        for (std::size_t i = 0; i < 4; ++i)
            j({q.der, i}, {q, k}) = 0.5 * rate[i] + pull * e[i] - 2.0 * pull_ * q[i] * q[k];
        const Vector by_q = moment(rotation_by(orientation(), k));
        for (std::size_t i = 0; i < 3; ++i) j({w.der, i}, {q, k}) = by_q[i] / J[i];
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const Vector e = unit(k);
        const Quaternion rate = product(orientation(), {0.0, e[0], e[1], e[2]});
        for (std::size_t i = 0; i < 4; ++i) j({q.der, i}, {w, k}) = 0.5 * rate[i];
        const Vector by_w = gyration(e, spin) + gyration(spin, e);
        for (std::size_t i = 0; i < 3; ++i) j({w.der, i}, {w, k}) = -by_w[i] / J[i];
    }
}

void RigidBody3D::point_partials(tandem::Jacobian& j, const Point& point) {
    const Matrix R = turn();
    const Vector spin = vector(w), offset = vector(point.offset);
    for (std::size_t k = 0; k < 3; ++k) {
        const Vector e = unit(k), back = turn_back(R, e);
        const Vector by_force = cross(offset, back);
        const Vector swing = R * cross(e, offset), turning = R * e;
        j({point.r, k}, {r, k}) = 1.0;
        j({point.v, k}, {v, k}) = 1.0;
        for (std::size_t i = 0; i < 3; ++i) {
            j({w.der, i}, {point.F, k}) = by_force[i] / J[i];
            j({w.der, i}, {point.M, k}) = back[i] / J[i];
            j({point.v, i}, {w, k}) = swing[i];
            j({point.w, i}, {w, k}) = turning[i];
        }
    }
    for (std::size_t k = 0; k < 4; ++k) {
        const Matrix by_q = rotation_by(orientation(), k);
        const Vector arm = by_q * offset, swing = by_q * cross(spin, offset), turning = by_q * spin;
        for (std::size_t i = 0; i < 3; ++i) {
            j({point.r, i}, {q, k}) = arm[i];
            j({point.v, i}, {q, k}) = swing[i];
            j({point.w, i}, {q, k}) = turning[i];
        }
        for (std::size_t i = 0; i < 9; ++i) j({point.R, i}, {q, k}) = by_q[i];
    }
}

TANDEM_MODEL(RigidBody3D, {.description = "A rigid body held at two points",
                           .stop = 1.0,
                           .step_size = 1e-3,
                           .tolerance = 1e-9,
                           .solver = "dopri5"})
