#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tandem/extend/interval.hpp"

namespace tandem::coupling {

/// Watches that the solution of a loop, which may have several, goes on from step to step.
///
/// A solution z = G(z) goes on as long as I - dG/dz is regular. Where the determinant changes its
/// sign, or where the Jacobian at the end of a step is quite another than at its start, the loop
/// may have come to a singularity, to a fold, or to a discontinuity.
///
/// Iterations that know no Jacobian need one only where the solution is not near its linear
/// extrapolation: at a singularity or a fold it is not.
class SolutionBranch {
public:
    /// What is known of the solution at the end of a step.
    struct Arrival {
        std::span<const double> z;
        int orientation = 0;  ///< the sign of the determinant; 0: not known
        double bend = 0.0;    ///< by how much the Jacobian changes on the way of the step
    };
    /// Where the branch was lost: the step, and how.
    struct Loss {
        Interval interval;         ///< singular: from where the sign was known last
        bool is_singular = false;  ///< the determinant has changed its sign
        int unknown = -1;          ///< that moved most, if it jumped
        double from = 0.0, to = 0.0;
    };
    /// Of a solution from that at the beginning of the step, and from the straight line through
    /// that and the one before; the first again if there is none before, or if that is far too
    /// near.
    struct Distances {
        std::span<const double> way, miss;
    };

    explicit SolutionBranch(std::size_t size);
    /// The step under way begins here: all that is known of later times is taken back.
    void begin(double t);
    /// Something has jumped: there is no solution to go on from.
    void reset() {
        count_ = 0;
        knows_begin_ = false;
    }
    /// True if the sign of the determinant at the beginning is known, and no longer step from there
    /// was doubted: extrapolation then tells whether a Jacobian is needed.
    bool is_trusted(Interval interval) const {
        return orientation_at_begin() != 0 && interval.begin >= doubted_until_;
    }
    bool knows_begin() const { return knows_begin_; }
    /// Where the solution at the beginning of the step is known.
    Distances distances(double end, std::span<const double> z);
    /// The step is to be repeated shorter.
    void doubt(Interval interval) { doubted_until_ = std::max(doubted_until_, interval.end); }
    /// True if the solution that was found surely goes on from that at the beginning of the step.
    bool continues(const Arrival& arrival) const;
    /// True if it surely does not, given that the step is as short as it may be.
    bool is_lost(const Arrival& arrival) const;
    void accept(Interval interval, const Arrival& arrival);
    void accept_loss(const Loss& loss, const Arrival& arrival);
    bool is_singular(const Arrival& arrival) const;
    /// The time of the Jacobian that told the orientation at the beginning of the step.
    double oriented_at() const { return last().oriented_at; }
    const std::vector<Loss>& losses() const { return losses_; }

private:
    struct Point {
        double t = 0.0;
        int orientation = 0;
        double oriented_at = 0.0;
        std::vector<double> z;
    };
    /// As many as are taken back where a step is repeated in halves, and then again shorter.
    static constexpr std::size_t points_kept = 4;

    int orientation_at_begin() const { return knows_begin_ ? last().orientation : 0; }
    const Point& last() const { return points_[count_ - 1]; }

    std::array<Point, points_kept> points_;  // ends of the last steps
    std::size_t count_ = 0;
    std::vector<Loss> losses_;
    bool knows_begin_ = false;
    double doubted_until_ = -std::numeric_limits<double>::infinity();
    std::vector<double> way_, miss_;
};

}  // namespace tandem::coupling
