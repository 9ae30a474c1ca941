#include "coupling/iterative/solution_branch.hpp"

#include <algorithm>

namespace tandem::coupling {
namespace {

/// Derivatives that double on the way of a step need a shorter one to be sure; in the shortest they
/// grow tenfold only where it jumps.
constexpr double doubtful_bend = 1.0, bend_of_jump = 9.0;
/// By steps: near a fold a tangent leads anywhere.
constexpr double longest_extrapolation = 4.0;

}  // namespace

SolutionBranch::SolutionBranch(std::size_t size) : way_(size), miss_(size) {
    for (Point& point : points_) point.z.resize(size);
}

void SolutionBranch::begin(double t) {
    while (count_ > 0 && last().t > t) --count_;
    while (!losses_.empty() && losses_.back().interval.end > t) losses_.pop_back();
    knows_begin_ = count_ > 0 && last().t == t;
}

SolutionBranch::Distances SolutionBranch::distances(double end, std::span<const double> z) {
    const Point& here = last();
    const Point& before = points_[count_ > 1 ? count_ - 2 : 0];
    const double past = here.t - before.t;
    const double ratio = past > 0.0 ? (end - here.t) / past : 0.0;
    const double part = ratio <= longest_extrapolation ? ratio : 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        way_[i] = z[i] - here.z[i];
        miss_[i] = way_[i] - part * (here.z[i] - before.z[i]);
    }
    return {way_, miss_};
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
    const bool is_new = arrival.orientation != 0;
    const int orientation = is_new ? arrival.orientation : orientation_at_begin();
    const double oriented_at = is_new || !knows_begin_ ? interval.end : last().oriented_at;
    if (count_ == points_kept) {
        std::ranges::rotate(points_, points_.begin() + 1);
        --count_;
    }
    Point& point = points_[count_++];
    point.t = interval.end;
    point.orientation = orientation;
    point.oriented_at = oriented_at;
    std::ranges::copy(arrival.z, point.z.begin());
}

void SolutionBranch::accept_loss(const Loss& loss, const Arrival& arrival) {
    losses_.push_back(loss);
    accept(loss.interval, arrival);
}

}  // namespace tandem::coupling
