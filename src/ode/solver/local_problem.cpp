#include "ode/solver/local_problem.hpp"

#include <algorithm>
#include <cmath>

#include "core/times.hpp"

namespace tandem::ode {

void LocalProblem::set_origin(double origin) {
    origin_ = origin;
    set_stop(std::numeric_limits<double>::infinity());
}

double LocalProblem::spacing() const { return origin_ == 0.0 ? 0.0 : spacing_of_times(origin_); }

void LocalProblem::set_stop(double stop) {
    stop_ = stop;
    local_stop_ = local(stop);
}

double LocalProblem::absolute(double s) const {
    if (s > local_stop_) return origin_ + s;
    return s == local_stop_ ? stop_ : std::min(origin_ + s, stop_);
}

LocalProblem::Evaluation::Evaluation(const LocalProblem& local, double s)
    : rounded(local.origin_ != 0.0 ? local.rounded_ : nullptr), t(local.absolute(s)) {
    if (rounded != nullptr) rounded->set_remainder(s - local.local(t));
}

LocalProblem::Evaluation::~Evaluation() {
    if (rounded != nullptr) rounded->set_remainder(0.0);
}

bool LocalProblem::derivatives(double s, std::span<const double> x, std::span<double> dx) {
    const Evaluation at(*this, s);
    return problem_.derivatives(at.t, x, dx);
}

bool LocalProblem::indicators(double s, std::span<const double> x, std::span<double> z) {
    const Evaluation at(*this, s);
    return problem_.indicators(at.t, x, z);
}

bool LocalProblem::jacobian(double s, std::span<const double> x, std::span<const double> dx,
                            std::span<double> matrix) {
    const Evaluation at(*this, s);
    return problem_.jacobian(at.t, x, dx, matrix);
}

bool LocalProblem::sparse_jacobian(double s, std::span<const double> x, std::span<double> entries) {
    const Evaluation at(*this, s);
    return problem_.sparse_jacobian(at.t, x, entries);
}

}  // namespace tandem::ode
