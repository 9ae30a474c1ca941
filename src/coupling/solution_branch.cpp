#include "coupling/solution_branch.hpp"

namespace tandem::coupling {
namespace {

/// As many as are taken back where a step is repeated in halves, and then again shorter.
constexpr std::size_t points_kept = 4;
/// Derivatives that double on the way of a step need a shorter one to be sure; in the shortest they
/// grow tenfold only where it jumps.
constexpr double doubtful_bend = 1.0, bend_of_jump = 9.0;

}  // namespace

SolutionBranch::SolutionBranch() { points_.reserve(points_kept); }

void SolutionBranch::begin(double t) {
    while (!points_.empty() && points_.back().t > t) points_.pop_back();
    while (!losses_.empty() && losses_.back().interval.end > t) losses_.pop_back();
    knows_begin_ = !points_.empty() && points_.back().t == t;
}

bool SolutionBranch::is_singular(const Arrival& arrival) const {
    return orientation_at_begin() * arrival.orientation < 0;
}

bool SolutionBranch::continues(const Arrival& arrival) const {
    return !knows_begin_ || (arrival.bend < doubtful_bend && !is_singular(arrival));
}

bool SolutionBranch::is_lost(const Arrival& arrival) const {
    return knows_begin_ && (!(arrival.bend < bend_of_jump) || is_singular(arrival));
}

void SolutionBranch::accept(Interval interval, const Arrival& arrival) {
    const int orientation = arrival.orientation != 0 ? arrival.orientation : orientation_at_begin();
    if (points_.size() == points_kept) points_.erase(points_.begin());
    points_.push_back({interval.end, orientation});
}

void SolutionBranch::accept_loss(const Loss& loss, const Arrival& arrival) {
    losses_.push_back(loss);
    accept(loss.interval, arrival);
}

}  // namespace tandem::coupling
