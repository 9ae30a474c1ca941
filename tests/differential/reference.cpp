#include "differential/reference.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::test {
namespace {

using Vector = Eigen::VectorXd;

/// What a table says at t, behind a jump there.
double table_value(const Feed& feed, double t) {
    const std::vector<Pair>& rows = feed.rows;
    const auto next = std::ranges::upper_bound(rows, t, {}, [](const Pair& row) { return row[0]; });
    if (next == rows.end()) return rows.back()[1];
    if (next == rows.begin()) return next->at(1);
    const Pair& last = *std::prev(next);
    if (feed.held) return last[1];
    return last[1] + (t - last[0]) / ((*next)[0] - last[0]) * ((*next)[1] - last[1]);
}

/// The system as one equation. Discrete variables change at events alone.
class Whole {
public:
    explicit Whole(const RandomSystem& system)
        : system_(system), count_(static_cast<Eigen::Index>(system.pieces.size())) {
        x = Vector(2 * count_);
        s = Vector::Zero(count_);
        u_ = Vector::Zero(2 * count_);
        for (Eigen::Index i = 0; i < count_; ++i)
            for (Eigen::Index k = 0; k < 2; ++k)
                x[2 * i + k] = piece(i).start[static_cast<std::size_t>(k)];
        for (Eigen::Index i = 0; i < count_; ++i)
            if (piece(i).rule == Rule::state && x[2 * i] > piece(i).high) s[i] = piece(i).height;
    }

    const Piece& piece(Eigen::Index i) const { return system_.pieces[static_cast<std::size_t>(i)]; }
    Eigen::Index size() const { return count_; }
    bool solvable() const { return solvable_; }

    Vector outputs(double t, const Vector& states) {
        solve_inputs(t, states);
        return direct_outputs(states, u_);
    }
    Vector inputs(double t, const Vector& states) {
        solve_inputs(t, states);
        return u_;
    }
    Vector rates(double t, const Vector& states) {
        solve_inputs(t, states);
        Vector dx(2 * count_);
        for (Eigen::Index i = 0; i < count_; ++i)
            for (Eigen::Index k = 0; k < 2; ++k) {
                const Piece& p = piece(i);
                const auto row = static_cast<std::size_t>(k);
                dx[2 * i + k] = p.a[row][0] * states[2 * i] + p.a[row][1] * states[2 * i + 1] +
                                p.b[row][0] * u_[2 * i] + p.b[row][1] * u_[2 * i + 1] +
                                p.f[row] * s[i];
            }
        return dx;
    }

    Vector x, s;
    double side = 0.0;  ///< where inside the present stretch jumps of time functions are looked up

private:
    Vector direct_outputs(const Vector& states, const Vector& u) const {
        Vector y(2 * count_);
        for (Eigen::Index i = 0; i < count_; ++i)
            for (Eigen::Index k = 0; k < 2; ++k) {
                const Piece& p = piece(i);
                const auto row = static_cast<std::size_t>(k);
                y[2 * i + k] =
                    p.c[row][0] * states[2 * i] + p.c[row][1] * states[2 * i + 1] + p.g[row] * s[i];
                if (p.direct) y[2 * i + k] += p.d[row][0] * u[2 * i] + p.d[row][1] * u[2 * i + 1];
            }
        return y;
    }
    /// u as its sources say for these outputs.
    Vector fed(double t, const Vector& y) const {
        Vector u = Vector::Zero(2 * count_);
        for (Eigen::Index i = 0; i < 2 * count_; ++i) {
            const Feed& feed = system_.feeds[static_cast<std::size_t>(i)];
            switch (feed.source) {
                case Feed::Source::nothing: break;
                case Feed::Source::link: u[i] = feed.gain * y[feed.output]; break;
                case Feed::Source::function:
                    u[i] = feed.gain * std::sin(y[feed.output] / feed.unit);
                    break;
                case Feed::Source::table: u[i] = table_value(feed, feed.held ? side : t); break;
                case Feed::Source::condition: u[i] = side >= feed.at ? feed.gain : 0.0; break;
            }
        }
        return u;
    }
    /// Newton's method on v = u / scale: v - fed(outputs(v)) / scale = 0.
    void solve_inputs(double t, const Vector& states) {
        Vector scale(2 * count_);
        for (Eigen::Index i = 0; i < 2 * count_; ++i) scale[i] = piece(i / 2).scale;
        const auto residual = [&](const Vector& v) -> Vector {
            const Vector u = v.cwiseProduct(scale);
            return v - fed(t, direct_outputs(states, u)).cwiseQuotient(scale);
        };
        Vector v = u_.cwiseQuotient(scale);
        for (int k = 0; k < 30; ++k) {
            const Vector r = residual(v);
            Eigen::MatrixXd jacobian(2 * count_, 2 * count_);
            for (Eigen::Index j = 0; j < 2 * count_; ++j) {
                Vector beside = v;
                beside[j] += 1e-7;
                jacobian.col(j) = (residual(beside) - r) / 1e-7;
            }
            if (std::abs(jacobian.determinant()) < 0.05) solvable_ = false;
            const Vector step = jacobian.partialPivLu().solve(r);
            v -= step;
            if (step.lpNorm<Eigen::Infinity>() < 1e-13 * (1.0 + v.lpNorm<Eigen::Infinity>())) break;
            if (k == 29) solvable_ = false;
        }
        u_ = v.cwiseProduct(scale);
    }

    const RandomSystem& system_;
    Eigen::Index count_;
    Vector u_;
    bool solvable_ = true;
};

/// One step of Dormand and Prince (1980), order 5, with the estimate of order 4.
struct Step {
    Vector x;
    double error = 0.0;
};
Step dormand_prince(Whole& whole, double t, const Vector& x, double h) {
    static const double c[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
    static const double a[7][6] = {
        {},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double e[] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                               -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    Vector k[7];
    Step step;
    for (int i = 0; i < 7; ++i) {
        step.x = x;
        for (int j = 0; j < i; ++j) step.x += h * a[i][j] * k[j];
        k[i] = whole.rates(t + c[i] * h, step.x);
    }
    Vector difference = Vector::Zero(x.size());
    for (int i = 0; i < 7; ++i) difference += h * e[i] * k[i];
    for (Eigen::Index i = 0; i < x.size(); ++i)
        step.error = std::max(step.error, std::abs(difference[i]) / whole.piece(i / 2).scale);
    return step;
}

/// Walks from stop to stop: rows of the result, time events, jumps and corners of time functions.
class Walk {
public:
    Walk(const RandomSystem& system, double spacing)
        : system_(system), spacing_(spacing), whole_(system) {}

    Reference go() {
        whole_.side = 1e-12;
        record();
        for (double t = 0.0; t < system_.stop - 1e-9;) {
            const double stop = next_stop(t);
            whole_.side = 0.5 * (t + stop);
            t = integrate(t, stop);
            after(t);
            if (!whole_.solvable() || !whole_.x.allFinite()) {
                reference_.solvable = false;
                return reference_;
            }
            if (std::abs(t - next_row()) < 1e-12) record();
        }
        ranges();
        return reference_;
    }

private:
    double next_row() const { return static_cast<double>(reference_.rows.size()) * spacing_; }
    double event_time(const Piece& piece, int k) const { return piece.first + k * piece.period; }

    double next_stop(double t) const {
        double stop = std::min(next_row(), t + 0.01);
        const auto offer = [&](double at) {
            if (at > t + 1e-12) stop = std::min(stop, at);
        };
        for (const Piece& piece : system_.pieces) {
            if (piece.rule == Rule::time) offer(piece.first);
            if (piece.rule == Rule::sampled) {
                const double k = std::ceil((t + 1e-12 - piece.first) / piece.period);
                offer(piece.first + std::max(0.0, k) * piece.period);
            }
        }
        for (const Feed& feed : system_.feeds) {
            if (feed.source == Feed::Source::condition) offer(feed.at);
            if (feed.source == Feed::Source::table)
                for (const Pair& row : feed.rows) offer(row[0]);
        }
        return stop;
    }

    /// From t to `stop`, or to a state event before.
    double integrate(double t, double stop) {
        while (t < stop) {
            const double h = std::min(step_, stop - t);
            const Step step = dormand_prince(whole_, t, whole_.x, h);
            if (step.error > 1e-13 && h > 1e-7) {
                step_ = h * std::clamp(0.9 * std::pow(1e-13 / step.error, 0.2), 0.2, 0.9);
                continue;
            }
            if (crosses(step.x)) return go_to_crossing(t, h);
            whole_.x = step.x;
            t = h < step_ ? stop : t + h;
            step_ = std::max(step_, h * 1.5);
        }
        return stop;
    }
    static int zone(const Piece& piece, double s, double x) {
        if (s == 0.0 && x > piece.high) return 1;
        if (s != 0.0 && x < piece.low) return -1;
        return 0;
    }
    bool crosses(const Vector& x) const {
        for (Eigen::Index i = 0; i < whole_.size(); ++i)
            if (whole_.piece(i).rule == Rule::state &&
                zone(whole_.piece(i), whole_.s[i], x[2 * i]) != 0)
                return true;
        return false;
    }
    double go_to_crossing(double t, double h) {
        double before = 0.0, behind = h;
        for (int k = 0; k < 60 && behind - before > 1e-15; ++k) {
            const double middle = 0.5 * (before + behind);
            (crosses(dormand_prince(whole_, t, whole_.x, middle).x) ? behind : before) = middle;
        }
        whole_.x = dormand_prince(whole_, t, whole_.x, behind).x;
        for (Eigen::Index i = 0; i < whole_.size(); ++i) {
            const Piece& piece = whole_.piece(i);
            if (piece.rule != Rule::state) continue;
            const int to = zone(piece, whole_.s[i], whole_.x[2 * i]);
            if (to != 0) whole_.s[i] = to > 0 ? piece.height : 0.0;
        }
        reference_.events.push_back(t + behind);
        return t + behind;
    }
    /// Time events at t. Samples are taken of inputs as they are before any of them.
    void after(double t) {
        const Vector u = whole_.inputs(t, whole_.x);
        for (Eigen::Index i = 0; i < whole_.size(); ++i) {
            const Piece& piece = whole_.piece(i);
            const double k = std::round((t - piece.first) / piece.period);
            const bool sampled = piece.rule == Rule::sampled && k >= 0.0 &&
                                 std::abs(t - piece.first - k * piece.period) < 1e-11;
            const bool switched = piece.rule == Rule::time && std::abs(t - piece.first) < 1e-11;
            if (!sampled && !switched) continue;
            whole_.s[i] = piece.height * (sampled ? u[2 * i] : 1.0);
            reference_.events.push_back(t);
        }
        whole_.side = t + 1e-12;
    }
    void record() {
        const double t = next_row();
        const Vector y = whole_.outputs(t, whole_.x);
        reference_.rows.emplace_back(y.begin(), y.end());
    }
    void ranges() {
        for (std::size_t i = 0; i < reference_.rows.front().size(); ++i) {
            double low = reference_.rows.front()[i], high = low;
            for (const std::vector<double>& row : reference_.rows) {
                low = std::min(low, row[i]);
                high = std::max(high, row[i]);
            }
            reference_.ranges.push_back(high - low);
        }
    }

    const RandomSystem& system_;
    double spacing_;
    Whole whole_;
    Reference reference_;
    double step_ = 1e-3;
};

}  // namespace

Reference reference_solution(const RandomSystem& system, double spacing) {
    return Walk(system, spacing).go();
}

}  // namespace tandem::test
