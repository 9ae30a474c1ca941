#include "coupling/interface/interface_differences.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::coupling {
namespace {

/// Of the size of an input: large against the errors of solvers, small against what bends.
constexpr double relative_change = 1e-3;
/// Short steps cover this part of a macro step.
constexpr double covered = 0.5;
constexpr Eigen::Index fewest_parts = 4;
/// Responses below this part of what could be expected are noise.
constexpr double noise = 1e-8;
/// Directions of outputs that inputs move less than this part of what they move most stay as they
/// are.
constexpr double cut_off = 1e-8;
/// Part of the responses that the model may miss.
constexpr double missed = 1e-2;
/// Parts of an interval in which internal steps are looked for, and how often that is done.
constexpr int search_parts = 64;
constexpr int most_searches = 3;
constexpr double same_length = 1e-9;
/// An output that changes in the first short step by more times than in the second one jumps.
constexpr double jump = 4.0;

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

Eigen::Map<const Eigen::VectorXd> view(std::span<const double> values) {
    return {values.data(), std::ssize(values)};
}

}  // namespace

/// As many short steps as it takes until one input has moved all outputs, and one more.
void InterfaceDifferences::prepare(const Interface& interface) {
    outputs_ = std::ssize(interface.outputs);
    inputs_ = std::ssize(interface.inputs);
    parts_ = std::max(fewest_parts, outputs_ + 2);
    has_feed_through_ = !interface.feed_through.empty();
    held_.resize(at(inputs_));
    for (auto* vector : {&change_, &rates_, &scales_, &rounding_}) vector->setZero(outputs_);
    input_changes_.setZero(inputs_);
    free_.setZero(outputs_, parts_ + 1);
    responses_.setZero(outputs_, inputs_ * (parts_ + 1));
    search_.setZero(outputs_, search_parts);
    phi_.setZero(outputs_, outputs_);
    gamma_.setZero(outputs_, inputs_);
    least_squares_.prepare(at(inputs_ * parts_), at(outputs_ + inputs_));
    target_.resize(at(inputs_ * parts_));
    solution_.resize(at(outputs_ + inputs_));
}

double InterfaceDifferences::part_of(Interval interval) const {
    const double part = covered * interval.length() / static_cast<double>(parts_);
    if (internal_step_ == 0.0) return part;
    return internal_step_ * std::max(1.0, std::floor(part / internal_step_ + same_length));
}

/// As many short steps as `outputs` has columns behind its first one, with inputs `held_`.
bool InterfaceDifferences::follow(System& system, int s, Interval interval, Columns outputs) {
    const double part = part_of(interval);
    for (Eigen::Index j = 1; j < outputs.cols(); ++j) {
        const Interval piece{interval.begin + part * static_cast<double>(j - 1),
                             interval.begin + part * static_cast<double>(j)};
        ++steps_;
        if (!system.at(s).exchange_step({.values = held_}, piece,
                                        {outputs.col(j).data(), at(outputs_)}))
            return false;
    }
    return true;
}

void InterfaceDifferences::roll_back(System& system, int s) {
    system.restart(s);
    std::ranges::copy(system.inputs_of(s), held_.begin());
    system.at(s).set_inputs({.values = held_});
}

bool InterfaceDifferences::read_rates(System& system, int s, Interval interval,
                                      ContinuousModel& model) {
    const double part = part_of(interval);
    if (part > interval.length() * (1.0 + same_length)) return false;
    const bool looks_for_jumps = model.is_zero() && internal_step_ == 0.0;
    std::ranges::copy(system.inputs_of(s), held_.begin());
    free_.col(0) = view(system.outputs_of(s));
    system.at(s).save(StateSlot::trial);
    const bool completes = follow(system, s, interval, free_.leftCols(looks_for_jumps ? 3 : 2));
    roll_back(system, s);
    system.at(s).release(StateSlot::trial);
    change_ = free_.col(1) - free_.col(0);
    if (!completes || change_.isZero(0.0)) return false;
    if (looks_for_jumps) leave_out_jumps();
    model.find_rates(change_, part, rates_);
    return true;
}

/// An FMU may put out in its next step only what inputs do directly, or what an event did. That is
/// no slope with which an output goes on.
void InterfaceDifferences::leave_out_jumps() {
    for (Eigen::Index k = 0; k < outputs_; ++k) {
        const double next = free_(k, 2) - free_(k, 1);
        if (std::abs(change_[k]) > jump * std::abs(next)) change_[k] = next;
    }
}

bool InterfaceDifferences::read(System& system, int s, Interval interval, ContinuousModel& model) {
    ++readings_;
    Failure failure = try_reading(system, s, interval, model);
    const bool may_be_steps = failure == Failure::moves_nothing || failure == Failure::does_not_fit;
    if (may_be_steps && internal_step_ == 0.0 && searches_ < most_searches) {
        ++searches_;
        const Failure found = find_internal_step(system, s, interval);
        failure = found != Failure::none || internal_step_ == 0.0
                      ? std::max(failure, found)
                      : try_reading(system, s, interval, model);
        if (failure == Failure::does_not_fit) internal_step_ = 0.0;
    }
    if (failure == Failure::none) return true;
    failure_ = failure;
    ++failures_;
    return false;
}

InterfaceDifferences::Failure InterfaceDifferences::try_reading(System& system, int s,
                                                                Interval interval,
                                                                ContinuousModel& model) {
    if (shortest_interval() > interval.length() * (1.0 + same_length))
        return Failure::takes_too_long;
    std::ranges::copy(system.inputs_of(s), held_.begin());
    free_.col(0) = view(system.outputs_of(s));
    system.at(s).save(StateSlot::trial);
    const bool completes = follow(system, s, interval, free_) && perturb(system, s, interval);
    roll_back(system, s);
    system.at(s).release(StateSlot::trial);
    if (!completes) return Failure::does_not_complete;
    if (!respond(system, s)) return Failure::moves_nothing;
    const double part = part_of(interval);
    if (!fit() || !model.find(phi_, gamma_, part)) return Failure::does_not_fit;
    change_ = free_.col(1) - free_.col(0);
    model.find_rates(change_, part, rates_);
    return Failure::none;
}

/// What all inputs together move, moves at the ends of internal steps only.
InterfaceDifferences::Failure InterfaceDifferences::find_internal_step(System& system, int s,
                                                                       Interval interval) {
    double first = 0.0, last = 0.0;
    std::ranges::copy(system.inputs_of(s), held_.begin());
    system.at(s).save(StateSlot::trial);
    const int moves = count_moves(system, s, interval, first, last);
    roll_back(system, s);
    system.at(s).release(StateSlot::trial);
    if (moves < 0) return Failure::does_not_complete;
    if (moves == 0) return Failure::moves_nothing;
    const double length = interval.length();
    // Twice in a row is no internal step that matters, once one that is longer than half of it all.
    if (moves > search_parts / 2) return Failure::none;
    const double step = moves == 1 ? length : (last - first) / (moves - 1);
    const double whole = length / std::round(length / step);
    internal_step_ = std::abs(whole - step) <= length / search_parts ? whole : step;
    return Failure::none;
}

/// Within the interval, first with the inputs as they are, then with all a little off; the times of
/// the first and the last one. -1: a step does not complete.
int InterfaceDifferences::count_moves(System& system, int s, Interval interval, double& first,
                                      double& last) {
    const double part = interval.length() / search_parts;
    for (const bool is_perturbed : {false, true}) {
        roll_back(system, s);
        for (Eigen::Index i = 0; i < inputs_ && is_perturbed; ++i)
            held_[at(i)] += input_changes_[i];
        for (int j = 0; j < search_parts; ++j) {
            auto outputs = search_.col(j);
            ++steps_;
            if (!system.at(s).exchange_step(
                    {.values = held_}, {interval.begin + part * j, interval.begin + part * (j + 1)},
                    {change_.data(), at(outputs_)}))
                return -1;
            if (is_perturbed) change_ -= outputs;
            outputs = change_;
        }
    }
    int moves = 0;
    for (int j = 0; j < search_parts; ++j) {
        change_ = search_.col(j);
        // What inputs do directly is there from the first part on.
        change_ -= search_.col(std::max(j - 1, 0));
        if ((change_.array().abs() <= rounding_.array()).all()) continue;
        last = part * (j + 1);
        if (moves++ == 0) first = last;
    }
    return moves;
}

bool InterfaceDifferences::perturb(System& system, int s, Interval interval) {
    for (Eigen::Index i = 0; i < inputs_; ++i) {
        roll_back(system, s);
        const double nominal = system.at(s).interface().inputs[at(i)].nominal;
        double& input = held_[at(i)];
        const double was = input;
        input += relative_change * std::max(std::abs(was), std::abs(nominal));
        input_changes_[i] = input - was;
        auto outputs = responses_.middleCols(i * (parts_ + 1), parts_ + 1);
        outputs.col(0) = free_.col(0);
        if (has_feed_through_) {
            system.at(s).set_inputs({.values = held_});
            system.at(s).get_outputs({outputs.col(0).data(), at(outputs_)});
        }
        if (!follow(system, s, interval, outputs)) return false;
    }
    return true;
}

/// From outputs to responses without feed-through, and their sizes. False: there are none.
bool InterfaceDifferences::respond(const System& system, int s) {
    for (Eigen::Index k = 0; k < outputs_; ++k) {
        const double nominal = system.at(s).interface().outputs[at(k)].nominal;
        rounding_[k] = noise * relative_change * std::max(std::abs(free_(k, 0)), std::abs(nominal));
    }
    scales_ = rounding_;
    for (Eigen::Index i = 0; i < inputs_; ++i) {
        auto responses = responses_.middleCols(i * (parts_ + 1), parts_ + 1);
        responses -= free_;
        for (Eigen::Index j = parts_; j >= 0; --j) responses.col(j) -= responses.col(0);
        for (Eigen::Index j = 1; j <= parts_; ++j)
            scales_ = scales_.cwiseMax(responses.col(j).cwiseAbs());
    }
    return (scales_.array() > rounding_.array()).any();
}

/// Least squares for (Phi - I, Gamma): the smallest ones, so outputs that nothing moves stay.
bool InterfaceDifferences::fit() {
    Eigen::Map<Eigen::MatrixXd> rows(least_squares_.matrix().data(), inputs_ * parts_,
                                     outputs_ + inputs_);
    rows.setZero();
    for (Eigen::Index i = 0; i < inputs_; ++i)
        for (Eigen::Index j = 0; j < parts_; ++j) {
            const auto response = responses_.col(i * (parts_ + 1) + j);
            rows.row(i * parts_ + j).head(outputs_) = response.cwiseQuotient(scales_).transpose();
            rows(i * parts_ + j, outputs_ + i) = 1.0;
        }
    least_squares_.factor();
    double squares = 0.0, residuals = 0.0;
    const auto solution =
        Eigen::Map<const Eigen::VectorXd>(solution_.data(), std::ssize(solution_));
    for (Eigen::Index k = 0; k < outputs_; ++k) {
        for (Eigen::Index row = 0; row < inputs_ * parts_; ++row) {
            const Eigen::Index column = row / parts_ * (parts_ + 1) + row % parts_;
            target_[at(row)] = (responses_(k, column + 1) - responses_(k, column)) / scales_[k];
        }
        least_squares_.solve(target_, solution_, cut_off);
        for (Eigen::Index row = 0; row < inputs_ * parts_; ++row) {
            const double miss = target_[at(row)] - rows.row(row).dot(solution);
            residuals += miss * miss;
            squares += target_[at(row)] * target_[at(row)];
        }
        phi_.row(k) = scales_[k] * solution.head(outputs_).cwiseQuotient(scales_).transpose();
        gamma_.row(k) =
            scales_[k] * solution.tail(inputs_).cwiseQuotient(input_changes_).transpose();
    }
    phi_.diagonal().array() += 1.0;
    return residuals <= missed * missed * squares;
}

}  // namespace tandem::coupling
