#include "coupling/interface_identification.hpp"

#include <cmath>

namespace tandem::coupling {
namespace {

/// Weight of a step against the next one from which something is learnt.
constexpr double memory = 0.97;
/// Steps that are predicted this well teach nothing. So what was learnt from rich motions is not
/// forgotten over poor ones.
constexpr double well_known = 1e-8;
/// Directions that stood out less than this part of the strongest are left as held values have
/// them.
constexpr double cut_off = 1e-7;
constexpr double same_length = 1e-6;
constexpr int most_strangers = 8;
/// A larger part of a change is not taken away on the word of the model that is to be found.
constexpr double most_levelled = 0.1;
/// Weight of the last step among errors.
constexpr double newest = 0.2;
/// The model is used while its mean square error is below this part of that of slopes, and after
/// twice as many steps as it takes to find one: with fewer, it may predict what goes on but not
/// what another input would do.
constexpr double better = 0.25;

}  // namespace

void InterfaceIdentification::prepare(const Eigen::VectorXd& output_nominals,
                                      const Eigen::VectorXd& input_nominals) {
    output_nominals_ = output_nominals;
    input_nominals_ = input_nominals;
    const Eigen::Index columns = output_nominals.size() + input_nominals.size() + 1;
    row_.setZero(columns);
    change_.setZero(output_nominals.size());
    miss_.setZero(output_nominals.size());
    work_.setZero(output_nominals.size());
    sum_.setZero(change_.size(), change_.size());
    factors_ = Eigen::PartialPivLU<Eigen::MatrixXd>(change_.size());
    least_squares_.prepare(static_cast<std::size_t>(columns), static_cast<std::size_t>(columns));
}

InterfaceIdentification::Known InterfaceIdentification::nothing() const {
    Known known;
    known.triangle.setZero(row_.size(), row_.size());
    known.rights.setZero(row_.size(), change_.size());
    known.solution.setZero(row_.size(), change_.size());
    return known;
}

void InterfaceIdentification::reset(Known& known, double length) {
    for (auto* matrix : {&known.triangle, &known.rights, &known.solution}) matrix->setZero();
    known.length = length;
    known.steps = known.strangers = 0;
    known.error = known.error_of_slopes = 0.0;
    known.is_trusted = false;
}

void InterfaceIdentification::learn(const StepSeen& step, Known& known) {
    if (known.steps == 0) known.length = step.length;
    if (std::abs(step.length - known.length) > same_length * known.length) {
        if (++known.strangers <= most_strangers) return;
        reset(known, step.length);
    }
    known.strangers = 0;
    row_ << step.begin.cwiseQuotient(output_nominals_), step.inputs.cwiseQuotient(input_nominals_),
        1.0;
    change_ = (step.end - step.begin).cwiseQuotient(output_nominals_);
    level(step, known);
    judge(step, known);
    const bool is_new = known.steps <= row_.size() + 1;
    if (is_new || miss_.norm() > well_known * change_.norm()) {
        add_row(known);
        solve(known);
    }
    ++known.steps;
    known.is_trusted =
        known.steps >= 2 * row_.size() && known.error < better * known.error_of_slopes;
}

/// Inputs that rise act less early and more late: what comes of b (s - h/2) over a step is
///   (P2 - h/2 P1) B b = -h^2/12 A Gamma b + ...,  A h = 2 (Phi + I)^-1 (Phi - I) + ...,
/// and is taken away with the Phi and Gamma known so far, so that means are left.
void InterfaceIdentification::level(const StepSeen& step, const Known& known) {
    if (!known.is_trusted || step.rises.isZero(0.0)) return;
    const Eigen::Index n = change_.size(), m = input_nominals_.size();
    const auto growth = known.solution.topRows(n).transpose();
    sum_ = growth;
    sum_.diagonal().array() += 2.0;
    factors_.compute(sum_);
    miss_.setZero();
    for (Eigen::Index i = 0; i < m; ++i)
        miss_ += known.solution.row(n + i).transpose() * (step.rises[i] / input_nominals_[i]);
    work_.noalias() = growth * miss_;
    miss_ = factors_.solve(work_);
    miss_ *= step.length / 6.0;
    if (miss_.norm() < most_levelled * change_.norm()) change_ += miss_;
}

void InterfaceIdentification::judge(const StepSeen& step, Known& known) {
    miss_ = (change_ - step.length * step.slopes.cwiseQuotient(output_nominals_));
    const double of_slopes = miss_.squaredNorm();
    miss_ = change_;
    miss_.noalias() -= known.solution.transpose() * row_;
    // Before there are as many steps as unknowns, a model cannot predict anything.
    const double weight = known.steps <= row_.size() ? 1.0 : newest;
    known.error += weight * (miss_.squaredNorm() - known.error);
    known.error_of_slopes += weight * (of_slopes - known.error_of_slopes);
}

/// Rotates one row after the other of the triangle against the new one until that is zero.
void InterfaceIdentification::add_row(Known& known) {
    known.triangle *= std::sqrt(memory);
    known.rights *= std::sqrt(memory);
    for (Eigen::Index k = 0; k < row_.size(); ++k) {
        const double length = std::hypot(known.triangle(k, k), row_[k]);
        if (length == 0.0) continue;
        const double c = known.triangle(k, k) / length, s = row_[k] / length;
        for (Eigen::Index j = k; j < row_.size(); ++j) {
            const double upper = known.triangle(k, j);
            known.triangle(k, j) = c * upper + s * row_[j];
            row_[j] = c * row_[j] - s * upper;
        }
        for (Eigen::Index j = 0; j < change_.size(); ++j) {
            const double upper = known.rights(k, j);
            known.rights(k, j) = c * upper + s * change_[j];
            change_[j] = c * change_[j] - s * upper;
        }
    }
}

void InterfaceIdentification::solve(Known& known) {
    const auto size = static_cast<std::size_t>(row_.size());
    Eigen::Map<Eigen::MatrixXd>(least_squares_.matrix().data(), row_.size(), row_.size()) =
        known.triangle;
    least_squares_.factor();
    for (Eigen::Index k = 0; k < change_.size(); ++k)
        least_squares_.solve({known.rights.col(k).data(), size},
                             {known.solution.col(k).data(), size}, cut_off);
}

void InterfaceIdentification::model(const Known& known, Eigen::MatrixXd& phi,
                                    Eigen::MatrixXd& gamma) const {
    const Eigen::Index n = output_nominals_.size(), m = input_nominals_.size();
    for (Eigen::Index k = 0; k < n; ++k) {
        const auto of_output = known.solution.col(k) * output_nominals_[k];
        phi.row(k) = of_output.head(n).cwiseQuotient(output_nominals_).transpose();
        phi(k, k) += 1.0;
        gamma.row(k).head(m) = of_output.segment(n, m).cwiseQuotient(input_nominals_).transpose();
        gamma(k, m) = of_output[n + m];
    }
}

}  // namespace tandem::coupling
