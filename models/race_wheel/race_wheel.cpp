#include <tandem/model.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

/// One wheel of the race car: unsprung mass, suspension with stops and a kinked damper, tyre with
/// stick and slip on an uneven road, rotation, driveline, temperature. Vectors and the matrix R are
/// in the world frame (x, y horizontal, z up) unless said otherwise.
class RaceWheel : public tandem::Model {
public:
    Parameter<double> m{*this, "m", 15.0, {.unit = "kg", .description = "unsprung mass"}};
    Parameter<double> kt{*this, "kt", 250e3, {.unit = "N/m", .description = "tyre stiffness"}};
    Parameter<double> lam{*this, "lam", 0.5, {.unit = "s/m", .description = "tyre damping"}};
    Parameter<double> ks{*this, "ks", 60e3, {.unit = "N/m", .description = "spring"}};
    Parameter<double> l0{*this, "l0", 0.0978, {.unit = "m", .description = "length at rest"}};
    Parameter<double> c1{*this, "c1", 3000.0, {.unit = "N.s/m", .description = "slow damper"}};
    Parameter<double> c2{*this, "c2", 1200.0, {.unit = "N.s/m", .description = "fast damper"}};
    Parameter<double> vk{*this, "vk", 0.02, {.unit = "m/s", .description = "damper's kink"}};
    Parameter<double> cb{*this, "cb", 0.030, {.unit = "m", .description = "begin of bump stop"}};
    Parameter<double> kb{*this, "kb", 60e3, {.unit = "N/m", .description = "bump stop"}};
    Parameter<double> cr{*this, "cr", 0.018, {.unit = "m", .description = "begin of rebound stop"}};
    Parameter<double> kr{*this, "kr", 40e3, {.unit = "N/m", .description = "rebound stop"}};
    Parameter<double> Rw{*this, "Rw", 0.33, {.unit = "m", .description = "radius"}};
    Parameter<double> Iw{*this, "Iw", 0.9, {.unit = "kg.m2", .description = "inertia"}};
    Parameter<double> Cx{*this, "Cx", 200e3, {.unit = "N/m", .description = "bristles along"}};
    Parameter<double> Cy{*this, "Cy", 180e3, {.unit = "N/m", .description = "bristles across"}};
    Parameter<double> sx{*this, "sx", 0.30, {.unit = "m", .description = "relaxation along"}};
    Parameter<double> sy{*this, "sy", 0.35, {.unit = "m", .description = "relaxation across"}};
    Parameter<double> Cg{*this, "Cg", 0.8, {.description = "camber thrust"}};
    Parameter<double> tp{*this, "tp", 0.03, {.unit = "m", .description = "pneumatic trail"}};
    Parameter<double> t_tq{*this, "t_tq", 0.05, {.unit = "s", .description = "of the driveline"}};
    Parameter<double> ch{*this, "ch", 2e-4, {.unit = "K/J", .description = "heating"}};
    Parameter<double> cc{*this, "cc", 0.05, {.unit = "1/s", .description = "cooling"}};
    Parameter<double> Ta{*this, "Ta", 25.0, {.description = "of the air in degC"}};
    Parameter<double> hr1{*this, "hr1", 0.004, {.unit = "m", .description = "road along x"}};
    Parameter<double> lr1{*this, "lr1", 7.3, {.unit = "m", .description = "wave along x"}};
    Parameter<double> hr2{*this, "hr2", 0.003, {.unit = "m", .description = "road along y"}};
    Parameter<double> lr2{*this, "lr2", 5.1, {.unit = "m", .description = "wave along y"}};
    Parameter<double> hk{*this, "hk", 0.03, {.unit = "m", .description = "height of the hump"}};
    Parameter<double> xk{*this, "xk", 13.85, {.unit = "m", .description = "x of the hump"}};
    Parameter<double> yk{*this, "yk", 18.50, {.unit = "m", .description = "y of the hump"}};
    Parameter<double> wk{*this, "wk", 0.4, {.unit = "m", .description = "width of the hump"}};

    Input<double[]> P{*this, "P", {3}, {0.0, 0.0, 0.4}, {.unit = "m", .description = "mount"}};
    Input<double[]> R{*this,
                      "R",
                      {3, 3},
                      {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                      {.description = "from the body frame to the world"}};
    Input<double[]> V{*this, "V", {3}, 0.0, {.unit = "m/s", .description = "of the mount"}};
    Input<double[]> w{*this, "w", {3}, 0.0, {.unit = "rad/s", .description = "body rates"}};
    Input<double[]> gb{*this,
                       "gb",
                       {3},
                       {0.0, 0.0, -9.81},
                       {.unit = "m/s2", .description = "gravity, body frame"}};
    Input<double> delta{*this, "delta", 0.0, {.unit = "rad", .description = "steering angle"}};
    Input<double> Tdrive{*this, "Tdrive", 0.0, {.unit = "N.m", .description = "driving torque"}};
    Input<double> Tbrake{*this, "Tbrake", 0.0, {.unit = "N.m", .description = "braking torque"}};
    Input<double> Farb{*this, "Farb", 0.0, {.unit = "N", .description = "of the anti-roll bar"}};
    Input<double> mu{*this, "mu", 1.6, {.description = "friction"}};

    State zw{*this, "zw", 0.324146, {.unit = "m", .description = "height of the centre"}};
    State vw{*this, "vw", 0.0, {.unit = "m/s", .description = "dzw/dt"}};
    State Om{*this, "Om", 8.0 / 0.33, {.unit = "rad/s", .description = "spin", .output = true}};
    State phiw{*this, "phiw", 0.0, {.unit = "rad", .description = "angle turned"}};
    State xix{*this, "xix", 0.0, {.unit = "m", .description = "deflection along"}};
    State xiy{*this, "xiy", 0.0, {.unit = "m", .description = "deflection across"}};
    State tq{*this, "tq", 0.0, {.unit = "N.m", .description = "torque of the driveline"}};
    State Th{*this, "Th", 60.0, {.description = "temperature in degC", .output = true}};

    Output<double[]> F{*this, "F", {3}, 0.0, {.unit = "N", .description = "on the body"}};
    Output<double[]> M{*this, "M", {3}, 0.0, {.unit = "N.m", .description = "on the body"}};
    Output<double> Fz{*this, "Fz", 0.0, {.unit = "N", .description = "road on tyre, upwards"}};
    Output<double> Fx{*this, "Fx", 0.0, {.unit = "N", .description = "along the wheel"}};
    Output<double> Fy{*this, "Fy", 0.0, {.unit = "N", .description = "across the wheel"}};
    Output<double> kappa{*this, "kappa", 0.0, {.description = "slip along"}};
    Output<double> alpha{*this, "alpha", 0.0, {.unit = "rad", .description = "slip angle"}};
    Output<double> comp{*this, "comp", 0.0, {.unit = "m", .description = "compression"}};
    Output<double> vcomp{*this, "vcomp", 0.0, {.unit = "m/s", .description = "its rate"}};
    Output<double> contact{*this, "contact", 0.0, {.description = "1: on the road, 0: in the air"}};
    Output<double> Ploss{*this, "Ploss", 0.0, {.unit = "W", .description = "friction"}};

    // One mode per indicator: true where it is positive.
    Discrete<bool> on_road{*this, "on_road", true};
    Discrete<bool> damp_plus{*this, "damp_plus", false};
    Discrete<bool> damp_minus{*this, "damp_minus", false};
    Discrete<bool> bump{*this, "bump", false};
    Discrete<bool> rebound{*this, "rebound", false};
    Discrete<bool> slip_x_plus{*this, "slip_x_plus", false};
    Discrete<bool> slip_x_minus{*this, "slip_x_minus", false};
    Discrete<bool> slip_y_plus{*this, "slip_y_plus", false};
    Discrete<bool> slip_y_minus{*this, "slip_y_minus", false};
    Discrete<bool> forwards{*this, "forwards", true};

    RaceWheel() {
        has_indicators(modes_.size());
        outputs_come_first();
        declare_derivatives();
        declare_outputs();
    }

    void initialise() override {
        point_.fill(std::numeric_limits<double>::quiet_NaN());
        choose_modes();
    }
    void event() override { choose_modes(); }
    void derivatives() override;
    void outputs() override;
    void indicators(std::span<double> z) override;

private:
    /// What follows from motion alone.
    struct Motion {
        double comp, vcomp, kappa, alpha;
        double d, d_rate;           ///< how deep the tyre is pressed in, without contact: < 0
        double zr;                  ///< height of the road
        double va, vsx, vsy;        ///< speed along, never 0; sliding speeds along and across
        double elx, ely, etx, ety;  ///< horizontal directions along and across the wheel
    };
    struct Forces {
        double Fz, Fs;       ///< tyre, suspension
        double fx, fy, lim;  ///< what the bristles would hold, and what friction allows
        double Fx, Fy, Fx_world, Fy_world;
        double loss;
    };

    void declare_derivatives();
    void declare_outputs();
    void update_motion();
    Motion compute_motion() const;
    void compute_directions(Motion& now) const;
    void compute_road(Motion& now) const;
    Forces forces(const Motion& now) const;
    double suspension(const Motion& now) const;
    void choose_modes();
    double r(std::size_t row, std::size_t column) const { return R[3 * row + column]; }

    const std::array<Discrete<bool>*, 10> modes_{
        &on_road,     &damp_plus,    &damp_minus,  &bump,         &rebound,
        &slip_x_plus, &slip_x_minus, &slip_y_plus, &slip_y_minus, &forwards};
    // Whoever couples this model reads the outputs of motion before it can give Farb, mu and the
    // torques: at a point of the solver, motion_ is wanted several times and computed once.
    std::array<double, 19> point_{};
    Motion motion_{};
    Forces forces_{};  ///< from outputs() to derivatives() and indicators()
};

void RaceWheel::declare_derivatives() {
    depends(zw.der, {vw});
    depends(vw.der, {zw, vw, P, R, V, gb, Farb});
    depends(Om.der, {zw, vw, tq, xix, P, R, V, mu, Tbrake});
    depends(phiw.der, {Om});
    depends(xix.der, {Om, xix, R, V, delta});
    depends(xiy.der, {xiy, R, V, delta});
    depends(tq.der, {tq, Tdrive});
    depends(Th.der, {zw, vw, Om, xix, xiy, Th, P, R, V, delta, mu});
}

void RaceWheel::declare_outputs() {
    depends(comp, {zw, P});
    depends(vcomp, {vw, V});
    depends(kappa, {Om, R, V, delta});
    depends(alpha, {R, V, delta});
    depends(contact, {});
    depends(Fz, {zw, vw, P, R, V});
    depends(Fx, {zw, vw, xix, P, R, V, mu});
    depends(Fy, {zw, vw, xiy, P, R, V, mu});
    depends(Ploss, {zw, vw, Om, xix, xiy, P, R, V, delta, mu});
    depends(F, {zw, vw, xix, xiy, P, R, V, delta, mu, Farb});
    depends(M, {zw, vw, Om, xix, xiy, P, R, V, w, delta, mu});
}

void RaceWheel::update_motion() {
    const std::array<double, 19> point{P[0], P[1], P[2], V[0], V[1], V[2], delta, zw,   vw,  Om,
                                       R[0], R[1], R[2], R[3], R[4], R[5], R[6],  R[7], R[8]};
    if (point == point_) return;
    motion_ = compute_motion();
    point_ = point;
}

RaceWheel::Motion RaceWheel::compute_motion() const {
    Motion now{};
    now.comp = l0 - (P[2] - zw);
    now.vcomp = vw - V[2];
    compute_directions(now);
    const double vl = V[0] * now.elx + V[1] * now.ely;
    const double vt = V[0] * now.etx + V[1] * now.ety;
    now.va = std::sqrt(vl * vl + 0.01);
    now.vsx = vl - Rw * Om;
    now.vsy = vt;
    now.kappa = -now.vsx / now.va;
    now.alpha = std::atan2(vt, now.va);
    compute_road(now);
    return now;
}

/// The body's x and y axes, laid down on the horizontal plane and turned by the steering angle.
void RaceWheel::compute_directions(Motion& now) const {
    const double along = std::hypot(r(0, 0), r(1, 0));
    const double across = std::hypot(r(0, 1), r(1, 1));
    const double lx = r(0, 0) / along, ly = r(1, 0) / along;
    const double tx = r(0, 1) / across, ty = r(1, 1) / across;
    const double c = std::cos(delta), s = std::sin(delta);
    now.elx = c * lx + s * tx;
    now.ely = c * ly + s * ty;
    now.etx = -s * lx + c * tx;
    now.ety = -s * ly + c * ty;
}

/// Waves along x and y and one hump, under the foot of the strut.
void RaceWheel::compute_road(Motion& now) const {
    const double l = P[2] - zw;
    const double x = P[0] - r(0, 2) * l;
    const double y = P[1] - r(1, 2) * l;
    const double k1 = 2.0 * std::numbers::pi / lr1, k2 = 2.0 * std::numbers::pi / lr2;
    const double dx = x - xk, dy = y - yk;
    const double hump = hk * std::exp(-(dx * dx + dy * dy) / (wk * wk));
    now.zr = hr1 * std::sin(k1 * x) + hr2 * std::sin(k2 * y) + hump;
    const double zr_rate = hr1 * k1 * std::cos(k1 * x) * V[0] + hr2 * k2 * std::cos(k2 * y) * V[1] -
                           2.0 * hump / (wk * wk) * (dx * V[0] + dy * V[1]);
    now.d = Rw + now.zr - zw;
    now.d_rate = zr_rate - vw;
}

double RaceWheel::suspension(const Motion& now) const {
    double force = ks * now.comp + Farb;
    if (damp_plus)
        force += c1 * vk + c2 * (now.vcomp - vk);
    else if (damp_minus)
        force += -c1 * vk + c2 * (now.vcomp + vk);
    else
        force += c1 * now.vcomp;
    if (bump) force += kb * (now.comp - cb);
    if (rebound) force -= kr * (cr - now.comp);
    return force;
}

RaceWheel::Forces RaceWheel::forces(const Motion& now) const {
    Forces f{};
    f.Fz = on_road ? kt * now.d * (1.0 + lam * now.d_rate) : 0.0;
    f.Fs = suspension(now);
    f.fx = -Cx * xix;
    f.fy = -Cy * xiy;
    f.lim = mu * f.Fz;
    f.Fx = slip_x_plus ? f.lim : slip_x_minus ? -f.lim : f.fx;
    f.Fy = (slip_y_plus ? f.lim : slip_y_minus ? -f.lim : f.fy) + Cg * r(2, 1) * f.Fz;
    f.Fx_world = f.Fx * now.elx + f.Fy * now.etx;
    f.Fy_world = f.Fx * now.ely + f.Fy * now.ety;
    f.loss = -(f.Fx * now.vsx + f.Fy * now.vsy);
    return f;
}

void RaceWheel::derivatives() {
    const Motion& now = motion_;
    zw.der = vw;
    vw.der = (forces_.Fz - forces_.Fs) / m + r(2, 0) * gb[0] + r(2, 1) * gb[1] + r(2, 2) * gb[2];
    Om.der = (tq - Rw * forces_.Fx - (forwards ? Tbrake : -Tbrake)) / Iw;
    phiw.der = Om;
    xix.der = now.vsx - now.va / sx * xix;
    xiy.der = now.vsy - now.va / sy * xiy;
    tq.der = (Tdrive - tq) / t_tq;
    Th.der = ch * forces_.loss - cc * (Th - Ta);
}

void RaceWheel::outputs() {
    update_motion();
    forces_ = forces(motion_);
    const Forces& f = forces_;
    comp = motion_.comp;
    vcomp = motion_.vcomp;
    kappa = motion_.kappa;
    alpha = motion_.alpha;
    contact = on_road ? 1.0 : 0.0;
    Fz = f.Fz;
    Fx = f.Fx;
    Fy = f.Fy;
    Ploss = f.loss;
    F[0] = f.Fx_world;
    F[1] = f.Fy_world;
    F[2] = f.Fs;
    // The moment of the tyre about the mount, without that of the spinning wheel,
    // (R w) x (Iw Om e), where e is the axle, the second column of R.
    const double h = motion_.zr - P[2];
    std::array<double, 3> rate{};
    for (std::size_t i = 0; i < 3; ++i) rate[i] = r(i, 0) * w[0] + r(i, 1) * w[1] + r(i, 2) * w[2];
    const double spin = Iw * Om;
    M[0] = -h * f.Fy_world - spin * (rate[1] * r(2, 1) - rate[2] * r(1, 1));
    M[1] = h * f.Fx_world - spin * (rate[2] * r(0, 1) - rate[0] * r(2, 1));
    M[2] = -tp * f.Fy - spin * (rate[0] * r(1, 1) - rate[1] * r(0, 1));
}

void RaceWheel::indicators(std::span<double> z) {
    const Motion& now = motion_;
    const Forces& f = forces_;
    z[0] = now.d;
    z[1] = now.vcomp - vk;
    z[2] = -now.vcomp - vk;
    z[3] = now.comp - cb;
    z[4] = cr - now.comp;
    z[5] = f.fx - f.lim;
    z[6] = -f.fx - f.lim;
    z[7] = f.fy - f.lim;
    z[8] = -f.fy - f.lim;
    z[9] = Om;
}

/// The second pass is for the four indicators of slip: their limit depends on the contact.
void RaceWheel::choose_modes() {
    std::array<double, 10> z{};
    update_motion();
    for (int pass = 0; pass < 2; ++pass) {
        forces_ = forces(motion_);
        indicators(z);
        for (std::size_t i = 0; i < z.size(); ++i) *modes_[i] = z[i] > 0.0;
    }
}

TANDEM_MODEL(RaceWheel, {.description = "A wheel of the race car",
                         .stop = 20.0,
                         .step_size = 1e-3,
                         .tolerance = 1e-6})
