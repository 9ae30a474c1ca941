#include "coupling/interface/interface_identification.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::coupling {
namespace {

/// Weight of a row against the next one in the same direction.
constexpr double memory = 0.95;
/// Coefficients are expected to be of this size, where each variable counts by what it moved.
constexpr double coefficients = 10.0;
/// Below this part of what moved, in squares, is rounding.
constexpr double least_ridge = 1e-13;
/// Changes below this part of a value are rounding.
constexpr double rounding = 1e-12;
/// Models that miss less than this part of what slopes miss learn nothing new.
constexpr double well_known = 1e-7;
/// What is missed by more times than slopes miss on the mean is a jump.
constexpr double jump = 10.0;
constexpr double same_length = 1e-6;
constexpr int most_other_lengths = 8;
/// A larger part of all changes that are remembered is not taken away from one on the word of the
/// model that is to be found.
constexpr double most_levelled = 0.03;
/// What rises of inputs do, A h/12 times what their means do, is of this part of what parabolas
/// miss.
constexpr double not_levelled = 1.0 / 12.0;
/// Weight of the last step among errors.
constexpr double newest = 0.2;
/// The model is used while its square error is below this part of that of slopes, and its error in
/// phase with speeds, or all of it, below that part of what parabolas miss.
constexpr double better = 0.1;
constexpr double harmless = 1.0 / 12.0;
constexpr int fewest_steps = 4;

}  // namespace

void InterfaceIdentification::prepare(const Eigen::VectorXd& output_nominals,
                                      const Eigen::VectorXd& input_nominals) {
    output_nominals_ = output_nominals;
    input_nominals_ = input_nominals;
    outputs_ = output_nominals.size();
    inputs_ = input_nominals.size();
    const Eigen::Index columns = outputs_ + inputs_;
    for (auto* vector : {&row_, &sizes_, &scaled_}) vector->setZero(columns);
    for (auto* vector : {&target_, &miss_, &of_slopes_, &work_}) vector->setZero(outputs_);
    input_work_.setZero(inputs_);
    sum_.setZero(outputs_, outputs_);
    matrix_.setZero(columns, columns);
    for (auto* matrix : {&doubts_, &inverse_}) matrix->setZero(inputs_, inputs_);
    level_factors_ = Eigen::PartialPivLU<Eigen::MatrixXd>(outputs_);
    // Room for those to come; an LLT that is only sized cannot be copied.
    factors_.compute(Eigen::MatrixXd::Identity(columns, columns));
    doubt_factors_.compute(Eigen::MatrixXd::Identity(inputs_, inputs_));
}

InterfaceIdentification::Known InterfaceIdentification::nothing() const {
    const Eigen::Index columns = outputs_ + inputs_;
    Known known;
    known.information.setZero(columns, columns);
    known.rights.setZero(columns, outputs_);
    known.solution.setZero(columns, outputs_);
    known.doubt = input_nominals_.cwiseInverse().asDiagonal();
    known.largest.setZero(columns);
    for (auto* vector :
         {&known.change, &known.missed_by_slopes, &known.noise, &known.error_of_slopes,
          &known.error_of_parabolas, &known.work_of_model, &known.work_of_parabolas})
        vector->setZero(outputs_);
    known.share.setOnes(outputs_);
    for (auto* vector : {&known.inputs, &known.rises}) vector->setZero(inputs_);
    known.is_trusted.setConstant(outputs_, false);
    return known;
}

void InterfaceIdentification::forget_last_step(Known& known) {
    known.has_change = false;
    known.is_trusted = false;
    known.share.setOnes();
}

void InterfaceIdentification::start(Known& known, double length) {
    for (auto* matrix : {&known.information, &known.rights, &known.solution}) matrix->setZero();
    for (auto* vector : {&known.noise, &known.error_of_slopes, &known.error_of_parabolas,
                         &known.work_of_model, &known.work_of_parabolas})
        vector->setZero();
    known.share.setOnes();
    known.is_trusted = false;
    known.has_change = false;
    known.length = length;
    known.steps = known.other_lengths = 0;
}

void InterfaceIdentification::learn(const StepSeen& step, Known& known) {
    if (known.length == 0.0) known.length = step.length;
    if (std::abs(step.length - known.length) > same_length * known.length) {
        known.has_change = false;
        known.is_trusted = false;
        if (++known.other_lengths <= most_other_lengths) return;
        start(known, step.length);
    }
    known.other_lengths = 0;
    known.largest.head(outputs_) = known.largest.head(outputs_).cwiseMax(step.outputs.cwiseAbs());
    known.largest.tail(inputs_) = known.largest.tail(inputs_).cwiseMax(step.inputs.cwiseAbs());
    if (known.has_change) look_back(step, known);
    known.change = step.change;
    known.inputs = step.inputs;
    known.rises = step.rises;
    known.has_change = true;
    trust(step, known);
}

/// Inputs that rise act less early and more late: what comes of b (s - h/2) over a step is
///   (P2 - h/2 P1) B b = -h^2/12 A Gamma b + ...,  A h = 2 (Phi + I)^-1 (Phi - I) + ...,
/// and is taken away with the Phi and Gamma known so far, so that means are left. Of two steps the
/// difference of rises is what matters. A model that is not trusted yet would do more harm than
/// good. False: something is left.
bool InterfaceIdentification::level(const StepSeen& step, const Known& known) {
    target_ = step.change - known.change;
    input_work_ = step.rises - known.rises;
    if (input_work_.isZero(0.0)) return true;
    if (!known.is_trusted.all()) return false;
    const auto growth = known.solution.topRows(outputs_).transpose();
    sum_ = growth;
    sum_.diagonal().array() += 2.0;
    level_factors_.compute(sum_);
    miss_.noalias() = known.solution.bottomRows(inputs_).transpose() * input_work_;
    work_.noalias() = growth * miss_;
    miss_ = level_factors_.solve(work_);
    miss_ *= step.length / 6.0;
    const auto moved = known.information.diagonal().head(outputs_).array().sqrt();
    if ((miss_.array().abs() > most_levelled * moved).any()) return false;
    target_ += miss_;
    return true;
}

void InterfaceIdentification::look_back(const StepSeen& step, Known& known) {
    const bool is_levelled = level(step, known);
    row_ << known.change, step.inputs - known.inputs;
    miss_ = target_;
    miss_.noalias() -= known.solution.transpose() * row_;
    of_slopes_ = step.change - step.length * step.slopes;
    ++known.steps;
    const auto missed = miss_.array().square();
    if ((missed > well_known * well_known * known.error_of_slopes.array()).any()) {
        add_row(known, step.rises.isZero(0.0));
        solve(known);
    }
    judge(step.change, known, is_levelled ? 0.0 : not_levelled);
}

double InterfaceIdentification::smallest(const Known& known, Eigen::Index i) const {
    return std::max(rounding * known.largest[i], 1e-140);
}

/// Of squares of what is missed of output k.
double InterfaceIdentification::limit(const Known& known, Eigen::Index k) const {
    if (known.steps <= fewest_steps) return std::numeric_limits<double>::max();
    const double least = smallest(known, k);
    return jump * jump * known.error_of_slopes[k] + least * least;
}

/// Rows of inputs that rose are as good as the model was that levelled them: these fade in all
/// directions.
void InterfaceIdentification::add_row(Known& known, bool are_held) {
    double weight = 1.0;
    for (Eigen::Index k = 0; k < outputs_; ++k)
        if (const double square = miss_[k] * miss_[k]; square > limit(known, k))
            weight = std::min(weight, limit(known, k) / square);
    scaled_.noalias() = known.information * row_;
    if (!are_held) {
        known.information *= memory;
        known.rights *= memory;
    } else if (const double size = row_.dot(scaled_); size > 0.0) {
        const double share = weight * (1.0 - memory) / size;
        work_.noalias() = known.rights.transpose() * row_;
        known.rights.noalias() -= share * scaled_ * work_.transpose();
        known.information.noalias() -= share * scaled_ * scaled_.transpose();
    }
    known.rights.noalias() += weight * row_ * target_.transpose();
    known.information.noalias() += weight * row_ * row_.transpose();
}

/// The square of the noise of output k against that of what it moved, and of what coefficients make
/// of it.
double InterfaceIdentification::ridge_of(const Known& known, Eigen::Index k) const {
    const double size = coefficients * sizes_[k];
    const double ridge = std::max(known.noise[k] / (size * size), least_ridge);
    return std::pow(10.0, std::ceil(std::log10(std::min(ridge, 1.0))));
}

/// Sizes are set.
void InterfaceIdentification::factor(const Known& known, double ridge) {
    if (ridge == ridge_) return;
    matrix_ = known.information;
    for (Eigen::Index j = 0; j < sizes_.size(); ++j)
        matrix_.col(j).array() /= sizes_.array() * sizes_[j];
    matrix_.diagonal().array() += ridge;
    factors_.compute(matrix_);
    ridge_ = ridge;
}

void InterfaceIdentification::find_sizes(const Known& known) {
    for (Eigen::Index i = 0; i < sizes_.size(); ++i)
        sizes_[i] = std::max(std::sqrt(known.information(i, i)), smallest(known, i));
    ridge_ = 0.0;
}

/// With S the sizes and r the ridge, S (G + r) S = information + r S^2:
///   solution = S^-1 (G + r)^-1 S^-1 rights,
/// and the covariance of coefficients of inputs is noise times the last block of S^-1 (G + r)^-1
/// S^-1, which has the last block of the triangle as its inverse factor.
void InterfaceIdentification::solve(Known& known) {
    find_sizes(known);
    doubts_.setZero();
    for (Eigen::Index k = 0; k < outputs_; ++k) {
        factor(known, ridge_of(known, k));
        scaled_ = known.rights.col(k).cwiseQuotient(sizes_);
        factors_.solveInPlace(scaled_);
        known.solution.col(k) = scaled_.cwiseQuotient(sizes_);
        inverse_.setIdentity();
        factors_.matrixLLT()
            .bottomRightCorner(inputs_, inputs_)
            .triangularView<Eigen::Lower>()
            .solveInPlace(inverse_);
        const double part = known.noise[k] / (output_nominals_[k] * output_nominals_[k]);
        doubts_.noalias() += part * inverse_.transpose() * inverse_;
    }
    doubt_factors_.compute(doubts_);
    if (doubt_factors_.info() != Eigen::Success) return;
    known.doubt.setZero();
    known.doubt.triangularView<Eigen::Upper>() =
        doubt_factors_.matrixLLT().triangularView<Eigen::Lower>().transpose();
    for (Eigen::Index i = 0; i < inputs_; ++i) known.doubt.col(i) /= sizes_[outputs_ + i];
}

/// What a model misses of a row before and after it has learnt from it, times each other, is noise
/// on the mean; at least that part of what parabolas miss is. The shares of errors have the same
/// mean whether motions die out or grow.
void InterfaceIdentification::judge(const Eigen::VectorXd& change, Known& known, double part) {
    for (Eigen::Index k = 0; k < outputs_; ++k) {
        const double most = limit(known, k);
        const double left = target_[k] - known.solution.col(k).dot(row_);
        const double missed = std::min(miss_[k] * miss_[k], most);
        const double by_slopes = std::min(of_slopes_[k] * of_slopes_[k], most);
        const double bend = of_slopes_[k] - known.missed_by_slopes[k];
        const double by_parabolas = std::min(bend * bend, most);
        const double weight = std::max(newest, 1.0 / known.steps);
        const auto take = [&](double value, double& mean) { mean += weight * (value - mean); };
        const auto fade = [&](double value, double& mean) {
            mean += (1 - memory) * (value - mean);
        };
        const double seen = std::clamp(miss_[k] * left, 0.0, missed);
        take(std::max(seen, part * part * by_parabolas), known.noise[k]);
        take(by_slopes, known.error_of_slopes[k]);
        take(by_parabolas, known.error_of_parabolas[k]);
        const double sum = missed + reference(known, k);
        take(sum > 0.0 ? missed / sum : 1.0, known.share[k]);
        fade(miss_[k] * change[k], known.work_of_model[k]);
        fade(bend * known.change[k], known.work_of_parabolas[k]);
    }
    known.missed_by_slopes = of_slopes_;
}

double InterfaceIdentification::reference(const Known& known, Eigen::Index k) {
    return std::min(known.error_of_slopes[k], known.error_of_parabolas[k]);
}

bool InterfaceIdentification::does_no_work(const Known& known, Eigen::Index k) {
    return std::abs(known.work_of_model[k]) < harmless * std::abs(known.work_of_parabolas[k]);
}

/// Where nothing like the next step was seen before, noise makes it uncertain.
void InterfaceIdentification::trust(const StepSeen& step, Known& known) {
    const bool are_held = step.rises.isZero(0.0);
    row_ << step.change, step.next_inputs - step.inputs;
    find_sizes(known);
    row_ = row_.cwiseQuotient(sizes_);
    for (Eigen::Index k = 0; k < outputs_; ++k) {
        const double part = are_held && !does_no_work(known, k) ? harmless * harmless : better;
        known.is_trusted[k] = known.steps >= fewest_steps && known.share[k] < part / (1.0 + part);
        if (!known.is_trusted[k]) continue;
        factor(known, ridge_of(known, k));
        scaled_ = row_;
        factors_.matrixL().solveInPlace(scaled_);
        known.is_trusted[k] =
            known.noise[k] * (1.0 + scaled_.squaredNorm()) < part * reference(known, k);
    }
}

void InterfaceIdentification::model(const Known& known, double part, Eigen::MatrixXd& phi,
                                    Eigen::MatrixXd& gamma) const {
    phi.setIdentity();
    gamma.setZero();
    for (Eigen::Index k = 0; k < outputs_; ++k) {
        if (!known.is_trusted[k]) continue;
        phi.row(k) += part * known.solution.col(k).head(outputs_).transpose();
        gamma.row(k) = part * known.solution.col(k).tail(inputs_).transpose();
    }
}

}  // namespace tandem::coupling
