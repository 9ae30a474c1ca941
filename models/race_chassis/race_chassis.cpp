#include <tandem/model.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace {

using Vector = std::array<double, 3>;

Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

/// The body of the race car with its aerodynamics, anti-roll bars, engine, brakes, and a driver who
/// follows a course in the form of an eight. World frame: x, y horizontal, z up.
class RaceChassis : public tandem::Model {
public:
    /// What the chassis exchanges with one wheel, besides R, w and gb, which all of them get.
    struct Corner {
        Corner(tandem::Model& model, std::string wheel)
            : owner(model), name("_" + std::move(wheel)) {}

        tandem::Model& owner;
        const std::string name;
        Input<double[]> F{owner, "F" + name, {3}, 0.0, {.unit = "N"}};
        Input<double[]> M{owner, "M" + name, {3}, 0.0, {.unit = "N.m"}};
        Input<double> Fz{owner, "Fz" + name, 0.0, {.unit = "N"}};
        Input<double> Fx{owner, "Fx" + name, 0.0, {.unit = "N"}};
        Input<double> Fy{owner, "Fy" + name, 0.0, {.unit = "N"}};
        Input<double> kappa{owner, "kappa" + name, 0.0};
        Input<double> alpha{owner, "alpha" + name, 0.0, {.unit = "rad"}};
        Input<double> Om{owner, "Om" + name, 8.0 / 0.33, {.unit = "rad/s"}};
        Input<double> comp{owner, "comp" + name, 0.0, {.unit = "m"}};
        Input<double> vcomp{owner, "vcomp" + name, 0.0, {.unit = "m/s"}};
        Input<double> Th{owner, "Th" + name, 60.0};
        Input<double> contact{owner, "contact" + name, 0.0};
        Input<double> Ploss{owner, "Ploss" + name, 0.0, {.unit = "W"}};
        Output<double[]> P{owner, "P" + name, {3}, 0.0, {.unit = "m"}};
        Output<double[]> V{owner, "V" + name, {3}, 0.0, {.unit = "m/s"}};
        Output<double> delta{owner, "delta" + name, 0.0, {.unit = "rad"}};
        Output<double> Tdrive{owner, "Tdrive" + name, 0.0, {.unit = "N.m"}};
        Output<double> Tbrake{owner, "Tbrake" + name, 0.0, {.unit = "N.m"}};
        Output<double> Farb{owner, "Farb" + name, 0.0, {.unit = "N"}};
        Output<double> mu{owner, "mu" + name, 1.6};
    };

    Parameter<double> g{*this, "g", 9.81, {.unit = "m/s2"}};
    Parameter<double> mh{*this, "mh", 700.0, {.unit = "kg", .description = "horizontally: all"}};
    Parameter<double> mz{*this, "mz", 640.0, {.unit = "kg", .description = "vertically: the body"}};
    Parameter<double> Ixx{*this, "Ixx", 120.0, {.unit = "kg.m2"}};
    Parameter<double> Iyy{*this, "Iyy", 600.0, {.unit = "kg.m2"}};
    Parameter<double> Izz{*this, "Izz", 650.0, {.unit = "kg.m2"}};
    Parameter<double> a{*this, "a", 1.8, {.unit = "m", .description = "to the front axle"}};
    Parameter<double> b{*this, "b", 1.3, {.unit = "m", .description = "to the rear axle"}};
    Parameter<double> th{*this, "th", 0.75, {.unit = "m", .description = "half the track"}};
    Parameter<double> zm{*this, "zm", 0.1, {.unit = "m", .description = "height of the mounts"}};
    Parameter<double> CdA{*this, "CdA", 1.0, {.unit = "m2", .description = "drag"}};
    Parameter<double> rho{*this, "rho", 1.2, {.unit = "kg/m3", .description = "air"}};
    Parameter<double> cl1{*this, "cl1", 1.5, {.unit = "kg/m", .description = "downforce, slow"}};
    Parameter<double> cl2{*this, "cl2", 2.5, {.unit = "kg/m", .description = "downforce, fast"}};
    Parameter<double> v1{*this, "v1", 14.0, {.unit = "m/s", .description = "between both"}};
    Parameter<double> L{*this, "L", 240.0, {.unit = "m", .description = "length of the course"}};
    Parameter<double> psim{
        *this, "psim", first_zero_of_j0, {.unit = "rad", .description = "largest heading"}};
    Parameter<double> v0{*this, "v0", 8.0, {.unit = "m/s", .description = "reference at t = 0"}};
    Parameter<double> acc{*this, "acc", 0.4, {.unit = "m/s2", .description = "reference"}};
    Parameter<double> kv{*this, "kv", 2.0, {.unit = "1/s", .description = "driver: speed"}};
    Parameter<double> klon{*this, "klon", 0.3, {.unit = "1/s2", .description = "driver: distance"}};
    Parameter<double> kmix{*this, "kmix", 0.1, {.description = "part of the speed by wheels"}};
    Parameter<double> klat{*this, "klat", 0.05, {.unit = "rad/m", .description = "driver: offset"}};
    Parameter<double> kpsi{*this, "kpsi", 0.5, {.description = "driver: heading"}};
    Parameter<double> kus{
        *this, "kus", 0.0015, {.unit = "rad.s2/m", .description = "driver: understeer"}};
    Parameter<double> dmax{*this, "dmax", 0.19, {.unit = "rad", .description = "largest angle"}};
    Parameter<double> td{*this, "td", 0.08, {.unit = "s", .description = "of the steering"}};
    Parameter<double> karb_f{*this, "karb_f", 20000.0, {.unit = "N/m", .description = "front bar"}};
    Parameter<double> karb_r{*this, "karb_r", 12000.0, {.unit = "N/m", .description = "rear bar"}};
    Parameter<double> carb{*this, "carb", 200.0, {.unit = "N.s/m", .description = "both bars"}};
    Parameter<double> mu0{*this, "mu0", 1.6, {.description = "friction at Th0"}};
    Parameter<double> kth{*this, "kth", 5e-4, {.unit = "1/K", .description = "its loss by heat"}};
    Parameter<double> Th0{*this, "Th0", 60.0, {.description = "in degC"}};
    Parameter<double> kap0{*this, "kap0", 0.15, {.description = "traction control: slip"}};
    Parameter<double> P0{*this, "P0", 1e5, {.unit = "W", .description = "traction control: loss"}};
    Parameter<double> Rw{*this, "Rw", 0.33, {.unit = "m", .description = "radius of the wheels"}};

    State X{*this, "X", 0.0, {.unit = "m", .description = "centre of mass", .output = true}};
    State Y{*this, "Y", 0.0, {.unit = "m", .description = "centre of mass", .output = true}};
    State Z{*this, "Z", 0.30, {.unit = "m", .description = "centre of mass", .output = true}};
    State Vx{*this, "Vx", 8.0 * std::cos(first_zero_of_j0), {.unit = "m/s", .output = true}};
    State Vy{*this, "Vy", 8.0 * std::sin(first_zero_of_j0), {.unit = "m/s", .output = true}};
    State Vz{*this, "Vz", 0.0, {.unit = "m/s", .output = true}};
    State phi{*this, "phi", 0.0, {.unit = "rad", .description = "roll", .output = true}};
    State theta{*this, "theta", 0.0, {.unit = "rad", .description = "pitch", .output = true}};
    State psi{
        *this, "psi", first_zero_of_j0, {.unit = "rad", .description = "yaw", .output = true}};
    State p{*this, "p", 0.0, {.unit = "rad/s", .description = "body rate"}};
    State q{*this, "q", 0.0, {.unit = "rad/s", .description = "body rate"}};
    State r{*this, "r", 0.0, {.unit = "rad/s", .description = "body rate"}};
    State xr{*this, "xr", 0.0, {.unit = "m", .description = "reference point", .output = true}};
    State yr{*this, "yr", 0.0, {.unit = "m", .description = "reference point", .output = true}};
    State delta{*this, "delta", 0.0, {.unit = "rad", .description = "steering angle"}};

    Output<double[]> R{*this, "R", {3, 3}, 0.0, {.description = "from the body to the world"}};
    Output<double[]> w{*this, "w", {3}, 0.0, {.unit = "rad/s", .description = "(p, q, r)"}};
    Output<double[]> gb{
        *this, "gb", {3}, 0.0, {.unit = "m/s2", .description = "gravity, body frame"}};
    Corner fl{*this, "fl"}, fr{*this, "fr"}, rl{*this, "rl"}, rr{*this, "rr"};

    // One mode per indicator: true where it is positive.
    Discrete<bool> drives{*this, "drives", true};
    Discrete<bool> left_stop{*this, "left_stop", false};
    Discrete<bool> right_stop{*this, "right_stop", false};
    Discrete<bool> fast{*this, "fast", false};

    RaceChassis() {
        has_indicators(4);
        outputs_come_first();
        declare_motion();
        declare_rotation();
        declare_outputs();
    }

    void initialise() override {
        point_.fill(std::numeric_limits<double>::quiet_NaN());
        course_time_ = std::numeric_limits<double>::quiet_NaN();
        event();
    }
    void event() override {
        std::array<double, 4> z{};
        indicators(z);
        const std::array<Discrete<bool>*, 4> modes{&drives, &left_stop, &right_stop, &fast};
        for (std::size_t i = 0; i < z.size(); ++i) *modes[i] = z[i] > 0.0;
    }
    void indicators(std::span<double> z) override {
        const double steering = steering_command();
        z[0] = acceleration_command();
        z[1] = steering - dmax;
        z[2] = -steering - dmax;
        z[3] = speed() - v1;
    }
    void derivatives() override {
        differentiate_motion();
        differentiate_rotation();
        differentiate_driver();
    }
    void outputs() override;

private:
    struct Motion {
        double sin_phi, cos_phi, cos_theta, tan_theta;
        std::array<double, 9> matrix;  ///< R
        std::array<Vector, 4> mounts;  ///< from the centre of mass to the wheels, world frame
        std::array<Vector, 4> P, V;    ///< of the mounts
    };
    /// The reference at a time: where it goes and how it turns.
    struct Course {
        double speed, heading, curvature, cosine, sine;
    };
    // With it as the largest heading the eight is closed: the mean of cos(psim cos s) is J0(psim).
    static constexpr double first_zero_of_j0 = 2.404825557695773;

    void declare_motion();
    void declare_rotation();
    void declare_outputs();
    void update_motion();
    void update_attitude();
    void update_course();
    void differentiate_motion();
    void differentiate_rotation();
    void differentiate_driver();
    void write_motion();
    void write_torques();
    double speed() const { return std::sqrt(Vx * Vx + Vy * Vy); }
    double acceleration_command();
    double steering_command();
    Vector to_world(const Vector& v) const;
    Vector to_body(const Vector& v) const;

    const std::array<Corner*, 4> corners_{&fl, &fr, &rl, &rr};
    // A point of the solver is looked at several times, with other inputs each time: what follows
    // from the states and the course, which follows from time, are each computed once.
    std::array<double, 12> point_{};
    Motion motion_{};
    double course_time_ = 0.0;
    Course course_{};
};

void RaceChassis::declare_motion() {
    depends(X.der, {Vx});
    depends(Y.der, {Vy});
    depends(Z.der, {Vz});
    for (State* v : {&Vx, &Vy, &Vz}) depends(v->der, {Vx, Vy, fl.F, fr.F, rl.F, rr.F});
    depends(xr.der, {});
    depends(yr.der, {});
    depends(delta.der, {X, Y, Vx, Vy, psi, xr, yr, delta, fl.Fy, fr.Fy, fl.alpha, fr.alpha, fl.Fx,
                        fr.Fx, rl.Fx, rr.Fx});
}

void RaceChassis::declare_rotation() {
    depends(phi.der, {phi, theta, p, q, r});
    depends(theta.der, {phi, q, r});
    depends(psi.der, {phi, theta, q, r});
    depends(p.der, {phi, theta, psi, q, r, fl.F, fr.F, rl.F, rr.F, fl.M, fr.M, rl.M, rr.M});
    depends(q.der, {phi, theta, psi, p, r, fl.F, fr.F, rl.F, rr.F, fl.M, fr.M, rl.M, rr.M});
    depends(r.der, {phi, theta, psi, p, q, fl.F, fr.F, rl.F, rr.F, fl.M, fr.M, rl.M, rr.M});
}

void RaceChassis::declare_outputs() {
    depends(R, {phi, theta, psi});
    depends(w, {p, q, r});
    depends(gb, {phi, theta});
    for (Corner* c : corners_) {
        depends(c->P, {X, Y, Z, phi, theta, psi});
        depends(c->V, {Vx, Vy, Vz, phi, theta, psi, p, q, r});
        depends(c->mu, {c->Th});
        depends(c->Tdrive, {});
        depends(c->Tbrake,
                {X, Y, Vx, Vy, xr, yr, fl.Om, fr.Om, rl.Om, rr.Om, fl.Fz, fr.Fz, rl.Fz, rr.Fz});
    }
    for (Corner* c : {&rl, &rr}) {
        depends(c->delta, {});
        depends(c->Farb, {rl.comp, rr.comp, rl.vcomp, rr.vcomp});
        depends(c->Tdrive, {X, Y, Vx, Vy, xr, yr, fl.Om, fr.Om, rl.Om, rr.Om, c->kappa, c->contact,
                            fl.Ploss, fr.Ploss, rl.Ploss, rr.Ploss});
    }
    for (Corner* c : {&fl, &fr}) {
        depends(c->delta, {delta});
        depends(c->Farb, {fl.comp, fr.comp, fl.vcomp, fr.vcomp});
    }
}

void RaceChassis::update_motion() {
    const std::array<double, 12> point{X, Y, Z, Vx, Vy, Vz, phi, theta, psi, p, q, r};
    if (point == point_) return;
    point_ = point;
    update_attitude();
    const Vector turning = to_world({p, q, r});
    for (std::size_t k = 0; k < corners_.size(); ++k) {
        const Vector& lever = motion_.mounts[k];
        const Vector swing = cross(turning, lever);
        motion_.P[k] = {X + lever[0], Y + lever[1], Z + lever[2]};
        motion_.V[k] = {Vx + swing[0], Vy + swing[1], Vz + swing[2]};
    }
}

/// R = Rz(psi) Ry(theta) Rx(phi)
void RaceChassis::update_attitude() {
    const double c1 = std::cos(psi), s1 = std::sin(psi);
    const double c2 = motion_.cos_theta = std::cos(theta), s2 = std::sin(theta);
    const double c3 = motion_.cos_phi = std::cos(phi), s3 = motion_.sin_phi = std::sin(phi);
    motion_.tan_theta = s2 / c2;
    motion_.matrix = {c1 * c2,
                      c1 * s2 * s3 - s1 * c3,
                      c1 * s2 * c3 + s1 * s3,
                      s1 * c2,
                      s1 * s2 * s3 + c1 * c3,
                      s1 * s2 * c3 - c1 * s3,
                      -s2,
                      c2 * s3,
                      c2 * c3};
    for (std::size_t k = 0; k < 4; ++k)
        motion_.mounts[k] = to_world({k < 2 ? a.value() : -b, k % 2 == 0 ? th.value() : -th, zm});
}

/// The heading psim cos(2 pi s/L) at the distance s = v0 t + acc t^2/2.
void RaceChassis::update_course() {
    if (time() == course_time_) return;
    course_time_ = time();
    const double s = v0 * time() + 0.5 * acc * time() * time();
    const double k = 2.0 * std::numbers::pi / L;
    course_.speed = v0 + acc * time();
    course_.heading = psim * std::cos(k * s);
    course_.curvature = -psim * k * std::sin(k * s);
    course_.cosine = std::cos(course_.heading);
    course_.sine = std::sin(course_.heading);
}

double RaceChassis::acceleration_command() {
    update_course();
    const double spin = (fl.Om + fr.Om + rl.Om + rr.Om) / 4.0;
    const double measured = (1.0 - kmix) * speed() + kmix * Rw * spin;
    const double ahead = course_.cosine * (xr - X) + course_.sine * (yr - Y);
    return kv * (course_.speed - measured) + klon * ahead + acc;
}

double RaceChassis::steering_command() {
    update_course();
    const double left = -course_.sine * (xr - X) + course_.cosine * (yr - Y);
    const double square = Vx * Vx + Vy * Vy;
    return (a + b) * course_.curvature + kus * course_.curvature * square + klat * left +
           kpsi * std::sin(course_.heading - psi);
}

Vector RaceChassis::to_world(const Vector& v) const {
    const auto& m = motion_.matrix;
    return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
            m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

Vector RaceChassis::to_body(const Vector& v) const {
    const auto& m = motion_.matrix;
    return {m[0] * v[0] + m[3] * v[1] + m[6] * v[2], m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
            m[2] * v[0] + m[5] * v[1] + m[8] * v[2]};
}

void RaceChassis::differentiate_motion() {
    Vector force{};
    for (const Corner* c : corners_)
        for (std::size_t i = 0; i < 3; ++i) force[i] += c->F[i];
    const double v = speed();
    const double drag = 0.5 * rho * CdA * v;
    const double down = fast ? cl1 * v1 * v1 + cl2 * (v * v - v1 * v1) : cl1 * v * v;
    X.der = Vx;
    Y.der = Vy;
    Z.der = Vz;
    Vx.der = (force[0] - drag * Vx) / mh;
    Vy.der = (force[1] - drag * Vy) / mh;
    Vz.der = (force[2] - down) / mz - g;
}

/// I w' = R^T sum(mount x F + M) - w x I w, and the rates of the Euler angles.
void RaceChassis::differentiate_rotation() {
    Vector moment{};
    for (std::size_t k = 0; k < corners_.size(); ++k) {
        const Corner& c = *corners_[k];
        const Vector lever = cross(motion_.mounts[k], {c.F[0], c.F[1], c.F[2]});
        for (std::size_t i = 0; i < 3; ++i) moment[i] += lever[i] + c.M[i];
    }
    const Vector torque = to_body(moment);
    p.der = (torque[0] - (Izz - Iyy) * q * r) / Ixx;
    q.der = (torque[1] - (Ixx - Izz) * r * p) / Iyy;
    r.der = (torque[2] - (Iyy - Ixx) * p * q) / Izz;
    const double e = q * motion_.sin_phi + r * motion_.cos_phi;
    phi.der = p + e * motion_.tan_theta;
    theta.der = q * motion_.cos_phi - r * motion_.sin_phi;
    psi.der = e / motion_.cos_theta;
}

/// The angle at the wheels gives way to forces: these are the compliances of the steering.
void RaceChassis::differentiate_driver() {
    constexpr double by_side_force = 2e-7, by_slip = 0.02, by_drag = 1e-8;
    const double command = left_stop ? dmax.value() : right_stop ? -dmax : steering_command();
    const double given_way = by_side_force * (fl.Fy + fr.Fy) + by_slip * (fl.alpha + fr.alpha) +
                             by_drag * (fl.Fx + fr.Fx + rl.Fx + rr.Fx);
    xr.der = course_.speed * course_.cosine;
    yr.der = course_.speed * course_.sine;
    delta.der = (command - given_way - delta) / td;
}

void RaceChassis::write_motion() {
    std::copy(motion_.matrix.begin(), motion_.matrix.end(), R.begin());
    const Vector rates{p, q, r};
    std::copy(rates.begin(), rates.end(), w.begin());
    for (std::size_t i = 0; i < 3; ++i) gb[i] = -g * motion_.matrix[6 + i];
    for (std::size_t k = 0; k < corners_.size(); ++k) {
        std::copy_n(motion_.P[k].begin(), 3, corners_[k]->P.begin());
        std::copy_n(motion_.V[k].begin(), 3, corners_[k]->V.begin());
        corners_[k]->delta = k < 2 ? delta.value() : 0.0;
    }
}

/// Rear-wheel drive with traction control, or brakes in proportion to the load.
void RaceChassis::write_torques() {
    const double command = acceleration_command();
    const double loss = (fl.Ploss + fr.Ploss + rl.Ploss + rr.Ploss) / P0;
    const double load = fl.Fz + fr.Fz + rl.Fz + rr.Fz + 1.0;
    for (Corner* c : corners_) {
        c->Tdrive = 0.0;
        c->Tbrake = drives ? 0.0 : -mh * command * Rw * c->Fz / load;
    }
    if (!drives) return;
    for (Corner* c : {&rl, &rr}) {
        const double slip = c->kappa / kap0;
        c->Tdrive =
            0.5 * mh * command * Rw * c->contact / (1.0 + slip * slip) / (1.0 + loss * loss);
    }
}

void RaceChassis::outputs() {
    update_motion();
    update_course();
    write_motion();
    const double front = karb_f * (fl.comp - fr.comp) + carb * (fl.vcomp - fr.vcomp);
    const double rear = karb_r * (rl.comp - rr.comp) + carb * (rl.vcomp - rr.vcomp);
    for (std::size_t k = 0; k < 4; ++k)
        corners_[k]->Farb = (k % 2 == 0 ? 1.0 : -1.0) * (k < 2 ? front : rear);
    for (Corner* c : corners_) c->mu = mu0 * (1.0 - kth * (c->Th - Th0));
    write_torques();
}

TANDEM_MODEL(RaceChassis, {.description = "Body, engine and driver of the race car",
                           .stop = 20.0,
                           .step_size = 1e-3,
                           .tolerance = 1e-6})
