#include <tandem/model.hpp>

#include <array>
#include <cmath>
#include <numbers>

namespace {

using Vector = std::array<double, 3>;
using Four = std::array<double, 4>;

constexpr double pi = std::numbers::pi;
constexpr double first_zero_of_j0 = 2.404825557695773;

// The letters of RaceChassis and RaceWheel with their default values.
constexpr double g = 9.81, mh = 700.0, mz = 640.0, Ixx = 120.0, Iyy = 600.0, Izz = 650.0;
constexpr double a = 1.8, b = 1.3, th = 0.75, zm = 0.1, CdA = 1.0, rho = 1.2;
constexpr double cl1 = 1.5, cl2 = 2.5, v1 = 14.0, L = 240.0, psim = first_zero_of_j0;
constexpr double v0 = 8.0, acc = 0.4, kv = 2.0, klon = 0.3, kmix = 0.1, klat = 0.05, kpsi = 0.5;
constexpr double kus = 0.0015, dmax = 0.19, td = 0.08, carb = 200.0;
constexpr double karb_f = 20000.0, karb_r = 12000.0, mu0 = 1.6, kth = 5e-4, Th0 = 60.0;
constexpr double kap0 = 0.15, P0 = 1e5, Rw = 0.33, m = 15.0, kt = 250e3, lam = 0.5;
constexpr Four ks{60e3, 60e3, 70e3, 70e3}, l0{0.0978, 0.0978, 0.1039, 0.1039};
constexpr double c1 = 3000.0, c2 = 1200.0, vk = 0.02, cb = 0.03, kb = 60e3, cr = 0.018, kr = 40e3;
constexpr double Iw = 0.9, Cx = 200e3, Cy = 180e3, sx = 0.3, sy = 0.35, Cg = 0.8, tp = 0.03;
constexpr double t_tq = 0.05, ch = 2e-4, cc = 0.05, Ta = 25.0;
constexpr double hr1 = 0.004, k1 = 2.0 * pi / 7.3, hr2 = 0.003, k2 = 2.0 * pi / 5.1;
constexpr double hk = 0.03, xk = 13.85, yk = 18.5, wk = 0.4;

Vector cross(const Vector& x, const Vector& y) {
    return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}

}  // namespace

/// The race car of RaceChassis and four RaceWheels, written as one model: what a solver could do at
/// best, when nothing has to be coupled. Arrays are in the order fl, fr, rl, rr.
class RaceCar : public tandem::Model {
public:
    State X{*this, "X", 0.0, {.unit = "m", .output = true}};
    State Y{*this, "Y", 0.0, {.unit = "m", .output = true}};
    State Z{*this, "Z", 0.30, {.unit = "m", .output = true}};
    State Vx{*this, "Vx", 8.0 * std::cos(first_zero_of_j0), {.unit = "m/s"}};
    State Vy{*this, "Vy", 8.0 * std::sin(first_zero_of_j0), {.unit = "m/s"}};
    State Vz{*this, "Vz", 0.0, {.unit = "m/s"}};
    State phi{*this, "phi", 0.0, {.unit = "rad"}};
    State theta{*this, "theta", 0.0, {.unit = "rad"}};
    State psi{*this, "psi", first_zero_of_j0, {.unit = "rad"}};
    State p{*this, "p", 0.0, {.unit = "rad/s"}};
    State q{*this, "q", 0.0, {.unit = "rad/s"}};
    State r{*this, "r", 0.0, {.unit = "rad/s"}};
    State xr{*this, "xr", 0.0, {.unit = "m"}};
    State yr{*this, "yr", 0.0, {.unit = "m"}};
    State delta{*this, "delta", 0.0, {.unit = "rad"}};
    StateArray zw{*this, "zw", {4}, {0.324146, 0.324146, 0.322120, 0.322120}, {.unit = "m"}};
    StateArray vw{*this, "vw", {4}, 0.0, {.unit = "m/s"}};
    StateArray Om{*this, "Om", {4}, 8.0 / 0.33, {.unit = "rad/s"}};
    StateArray phiw{*this, "phiw", {4}, 0.0, {.unit = "rad"}};
    StateArray xix{*this, "xix", {4}, 0.0, {.unit = "m"}};
    StateArray xiy{*this, "xiy", {4}, 0.0, {.unit = "m"}};
    StateArray tq{*this, "tq", {4}, 0.0, {.unit = "N.m"}};
    StateArray Th{*this, "Th", {4}, 60.0};

    // One mode per indicator: true where it is positive.
    Discrete<bool> drives{*this, "drives", true};
    Discrete<bool> left_stop{*this, "left_stop", false};
    Discrete<bool> right_stop{*this, "right_stop", false};
    Discrete<bool> fast{*this, "fast", false};
    Discrete<bool[]> on_road{*this, "on_road", {4}, true};
    Discrete<bool[]> damp_plus{*this, "damp_plus", {4}};
    Discrete<bool[]> damp_minus{*this, "damp_minus", {4}};
    Discrete<bool[]> bump{*this, "bump", {4}};
    Discrete<bool[]> rebound{*this, "rebound", {4}};
    Discrete<bool[]> slip_x_plus{*this, "slip_x_plus", {4}};
    Discrete<bool[]> slip_x_minus{*this, "slip_x_minus", {4}};
    Discrete<bool[]> slip_y_plus{*this, "slip_y_plus", {4}};
    Discrete<bool[]> slip_y_minus{*this, "slip_y_minus", {4}};
    Discrete<bool[]> forwards{*this, "forwards", {4}, true};

    RaceCar() {
        has_indicators(44);
        outputs_come_first();
    }

    void initialise() override { event(); }
    void event() override;
    void outputs() override;
    void derivatives() override;
    void indicators(std::span<double> z) override;

private:
    struct Wheel {
        Vector mount, P, V;
        double comp, vcomp, kappa, alpha, d, d_rate, zr, va, vsx, vsy, elx, ely, etx, ety;
        double Farb, mu, Fz, Fs, fx, fy, lim, Fx, Fy, loss;
        Vector F, M;
    };
    struct Driver {
        double speed, heading_x, heading_y, reference, acceleration, steering;
    };

    double at(std::size_t row, std::size_t column) const { return matrix_[3 * row + column]; }
    Vector to_world(const Vector& v) const;
    void turn();
    void drive();
    void move(std::size_t k);
    void feel_road(std::size_t k);
    void press(std::size_t k);
    void grip(std::size_t k);
    void differentiate_body();
    void differentiate_rotation(const Vector& moment);
    void differentiate_wheels();
    std::array<bool*, 10> modes_of(std::size_t k);

    std::array<double, 9> matrix_{};
    std::array<Wheel, 4> wheels_{};
    Driver driver_{};
};

Vector RaceCar::to_world(const Vector& v) const {
    Vector result{};
    for (std::size_t i = 0; i < 3; ++i)
        result[i] = at(i, 0) * v[0] + at(i, 1) * v[1] + at(i, 2) * v[2];
    return result;
}

void RaceCar::turn() {
    const double cy = std::cos(psi), sy_ = std::sin(psi);
    const double cp = std::cos(theta), sp = std::sin(theta);
    const double c = std::cos(phi), s = std::sin(phi);
    matrix_ = {cy * cp,
               cy * sp * s - sy_ * c,
               cy * sp * c + sy_ * s,
               sy_ * cp,
               sy_ * sp * s + cy * c,
               sy_ * sp * c - cy * s,
               -sp,
               cp * s,
               cp * c};
}

void RaceCar::drive() {
    const double t = time();
    const double k = 2.0 * pi / L, s = v0 * t + 0.5 * acc * t * t;
    const double heading = psim * std::cos(k * s), curvature = -psim * k * std::sin(k * s);
    const double hx = std::cos(heading), hy = std::sin(heading);
    const double v = std::hypot(Vx, Vy);
    const double ahead = hx * (xr - X) + hy * (yr - Y), left = -hy * (xr - X) + hx * (yr - Y);
    const double spin = (Om[0] + Om[1] + Om[2] + Om[3]) / 4.0;
    const double measured = (1.0 - kmix) * v + kmix * Rw * spin;
    const double reference = v0 + acc * t;
    driver_ = {v,
               hx,
               hy,
               reference,
               kv * (reference - measured) + klon * ahead + acc,
               (a + b) * curvature + kus * curvature * v * v + klat * left +
                   kpsi * std::sin(heading - psi)};
}

void RaceCar::move(std::size_t k) {
    Wheel& o = wheels_[k];
    o.mount = to_world({k < 2 ? a : -b, k % 2 == 0 ? th : -th, zm});
    const Vector swing = cross(to_world({p, q, r}), o.mount);
    o.P = {X + o.mount[0], Y + o.mount[1], Z + o.mount[2]};
    o.V = {Vx + swing[0], Vy + swing[1], Vz + swing[2]};
    o.comp = l0[k] - (o.P[2] - zw[k]);
    o.vcomp = vw[k] - o.V[2];
    const double along = std::hypot(at(0, 0), at(1, 0)), across = std::hypot(at(0, 1), at(1, 1));
    const double angle = k < 2 ? delta.value() : 0.0, c = std::cos(angle), s = std::sin(angle);
    o.elx = c * at(0, 0) / along + s * at(0, 1) / across;
    o.ely = c * at(1, 0) / along + s * at(1, 1) / across;
    o.etx = -s * at(0, 0) / along + c * at(0, 1) / across;
    o.ety = -s * at(1, 0) / along + c * at(1, 1) / across;
    const double vl = o.V[0] * o.elx + o.V[1] * o.ely;
    o.va = std::sqrt(vl * vl + 0.01);
    o.vsx = vl - Rw * Om[k];
    o.vsy = o.V[0] * o.etx + o.V[1] * o.ety;
    o.kappa = -o.vsx / o.va;
    o.alpha = std::atan2(o.vsy, o.va);
}

void RaceCar::feel_road(std::size_t k) {
    Wheel& o = wheels_[k];
    const double l = o.P[2] - zw[k];
    const double x = o.P[0] - at(0, 2) * l, y = o.P[1] - at(1, 2) * l;
    const double dx = x - xk, dy = y - yk;
    const double hump = hk * std::exp(-(dx * dx + dy * dy) / (wk * wk));
    o.zr = hr1 * std::sin(k1 * x) + hr2 * std::sin(k2 * y) + hump;
    o.d = Rw + o.zr - zw[k];
    o.d_rate = hr1 * k1 * std::cos(k1 * x) * o.V[0] + hr2 * k2 * std::cos(k2 * y) * o.V[1] -
               2.0 * hump / (wk * wk) * (dx * o.V[0] + dy * o.V[1]) - vw[k];
}

void RaceCar::press(std::size_t k) {
    Wheel& o = wheels_[k];
    const Wheel& other = wheels_[k ^ 1U];
    o.Farb = (k < 2 ? karb_f : karb_r) * (o.comp - other.comp) + carb * (o.vcomp - other.vcomp);
    o.mu = mu0 * (1.0 - kth * (Th[k] - Th0));
    o.Fz = on_road[k] ? kt * o.d * (1.0 + lam * o.d_rate) : 0.0;
    const double damper = damp_plus[k]    ? c1 * vk + c2 * (o.vcomp - vk)
                          : damp_minus[k] ? -c1 * vk + c2 * (o.vcomp + vk)
                                          : c1 * o.vcomp;
    o.Fs = ks[k] * o.comp + damper + o.Farb;
    if (bump[k]) o.Fs += kb * (o.comp - cb);
    if (rebound[k]) o.Fs -= kr * (cr - o.comp);
}

void RaceCar::grip(std::size_t k) {
    Wheel& o = wheels_[k];
    o.fx = -Cx * xix[k];
    o.fy = -Cy * xiy[k];
    o.lim = o.mu * o.Fz;
    o.Fx = slip_x_plus[k] ? o.lim : slip_x_minus[k] ? -o.lim : o.fx;
    o.Fy = (slip_y_plus[k] ? o.lim : slip_y_minus[k] ? -o.lim : o.fy) + Cg * at(2, 1) * o.Fz;
    o.F = {o.Fx * o.elx + o.Fy * o.etx, o.Fx * o.ely + o.Fy * o.ety, o.Fs};
    o.loss = -(o.Fx * o.vsx + o.Fy * o.vsy);
    const double h = o.zr - o.P[2], spin = Iw * Om[k];
    const Vector gyro = cross(to_world({p, q, r}), {at(0, 1), at(1, 1), at(2, 1)});
    o.M = {-h * o.F[1] - spin * gyro[0], h * o.F[0] - spin * gyro[1], -tp * o.Fy - spin * gyro[2]};
}

void RaceCar::outputs() {
    turn();
    drive();
    for (std::size_t k = 0; k < 4; ++k) {
        move(k);
        feel_road(k);
    }
    for (std::size_t k = 0; k < 4; ++k) {
        press(k);
        grip(k);
    }
}

void RaceCar::derivatives() {
    differentiate_body();
    differentiate_wheels();
}

void RaceCar::differentiate_body() {
    Vector force{}, moment{};
    double drag_force = 0.0;
    for (const Wheel& o : wheels_) {
        const Vector lever = cross(o.mount, o.F);
        for (std::size_t i = 0; i < 3; ++i) force[i] += o.F[i];
        for (std::size_t i = 0; i < 3; ++i) moment[i] += lever[i] + o.M[i];
        drag_force += o.Fx;
    }
    const double v = driver_.speed, drag = 0.5 * rho * CdA * v;
    const double down = fast ? cl1 * v1 * v1 + cl2 * (v * v - v1 * v1) : cl1 * v * v;
    X.der = Vx;
    Y.der = Vy;
    Z.der = Vz;
    Vx.der = (force[0] - drag * Vx) / mh;
    Vy.der = (force[1] - drag * Vy) / mh;
    Vz.der = (force[2] - down) / mz - g;
    xr.der = driver_.reference * driver_.heading_x;
    yr.der = driver_.reference * driver_.heading_y;
    const double command = left_stop ? dmax : right_stop ? -dmax : driver_.steering;
    delta.der = (command - 2e-7 * (wheels_[0].Fy + wheels_[1].Fy) -
                 0.02 * (wheels_[0].alpha + wheels_[1].alpha) - 1e-8 * drag_force - delta) /
                td;
    differentiate_rotation(moment);
}

void RaceCar::differentiate_rotation(const Vector& moment) {
    Vector torque{};
    for (std::size_t i = 0; i < 3; ++i)
        torque[i] = at(0, i) * moment[0] + at(1, i) * moment[1] + at(2, i) * moment[2];
    p.der = (torque[0] - (Izz - Iyy) * q * r) / Ixx;
    q.der = (torque[1] - (Ixx - Izz) * r * p) / Iyy;
    r.der = (torque[2] - (Iyy - Ixx) * p * q) / Izz;
    const double c = std::cos(phi), s = std::sin(phi), e = q * s + r * c;
    phi.der = p + e * std::tan(theta);
    theta.der = q * c - r * s;
    psi.der = e / std::cos(theta);
}

void RaceCar::differentiate_wheels() {
    double loss = 0.0, load = 1.0;
    for (const Wheel& o : wheels_) {
        loss += o.loss / P0;
        load += o.Fz;
    }
    const double thrust = mh * driver_.acceleration * Rw;
    const double lift = at(2, 0) * at(2, 0) + at(2, 1) * at(2, 1) + at(2, 2) * at(2, 2);
    for (std::size_t k = 0; k < 4; ++k) {
        const Wheel& o = wheels_[k];
        const double slip = o.kappa / kap0;
        const bool is_driven = drives && k >= 2 && on_road[k];
        const double driving =
            is_driven ? 0.5 * thrust / (1.0 + slip * slip) / (1.0 + loss * loss) : 0.0;
        const double braking = drives ? 0.0 : -thrust * o.Fz / load;
        zw.der[k] = vw[k];
        vw.der[k] = (o.Fz - o.Fs) / m - g * lift;
        Om.der[k] = (tq[k] - Rw * o.Fx - (forwards[k] ? braking : -braking)) / Iw;
        phiw.der[k] = Om[k];
        xix.der[k] = o.vsx - o.va / sx * xix[k];
        xiy.der[k] = o.vsy - o.va / sy * xiy[k];
        tq.der[k] = (driving - tq[k]) / t_tq;
        Th.der[k] = ch * o.loss - cc * (Th[k] - Ta);
    }
}

void RaceCar::indicators(std::span<double> z) {
    z[0] = driver_.acceleration;
    z[1] = driver_.steering - dmax;
    z[2] = -driver_.steering - dmax;
    z[3] = driver_.speed - v1;
    for (std::size_t k = 0; k < 4; ++k) {
        const Wheel& o = wheels_[k];
        const std::array<double, 10> own{o.d,           o.vcomp - vk, -o.vcomp - vk, o.comp - cb,
                                         cr - o.comp,   o.fx - o.lim, -o.fx - o.lim, o.fy - o.lim,
                                         -o.fy - o.lim, Om[k]};
        std::copy(own.begin(), own.end(), z.begin() + static_cast<std::ptrdiff_t>(4 + 10 * k));
    }
}

std::array<bool*, 10> RaceCar::modes_of(std::size_t k) {
    return {&on_road[k],     &damp_plus[k],    &damp_minus[k],  &bump[k],         &rebound[k],
            &slip_x_plus[k], &slip_x_minus[k], &slip_y_plus[k], &slip_y_minus[k], &forwards[k]};
}

/// The second pass is for the indicators of slip: their limit depends on the contact.
void RaceCar::event() {
    std::array<double, 44> z{};
    for (int pass = 0; pass < 2; ++pass) {
        outputs();
        indicators(z);
        drives = z[0] > 0.0;
        left_stop = z[1] > 0.0;
        right_stop = z[2] > 0.0;
        fast = z[3] > 0.0;
        for (std::size_t k = 0; k < 4; ++k)
            for (std::size_t i = 0; i < 10; ++i) *modes_of(k)[i] = z[4 + 10 * k + i] > 0.0;
    }
}

TANDEM_MODEL(RaceCar, {.description = "The race car as one model",
                       .stop = 20.0,
                       .step_size = 0.01,
                       .tolerance = 1e-6})
