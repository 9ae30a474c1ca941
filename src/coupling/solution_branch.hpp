#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/interval.hpp"

namespace tandem::coupling {

/// Watches that the solution of a loop, which may have several, goes on from step to step.
///
/// A solution z = G(z) goes on as long as I - dG/dz is regular. Where the determinant changes its
/// sign, or where the Jacobian at the end of a step is quite another than at its begin, the loop
/// may have come to a singularity, to a fold, or to a discontinuity.
class SolutionBranch {
public:
    /// What is known of the solution at the end of a step.
    struct Arrival {
        int orientation = 0;  ///< the sign of the determinant; 0: not known
        double bend = 0.0;    ///< by how much the Jacobian changes on the way of the step
    };
    /// Where the branch was lost: the step, and how.
    struct Loss {
        Interval interval;
        bool is_singular = false;  ///< the determinant has changed its sign
        int unknown = -1;          ///< that moved most, if it jumped
        double from = 0.0, to = 0.0;
    };

    SolutionBranch();
    /// The step under way begins here: all that is known of later times is taken back.
    void begin(double t);
    /// Something has jumped: there is no solution to go on from.
    void reset() {
        points_.clear();
        knows_begin_ = false;
    }
    /// True if the solution that was found surely goes on from that at the begin of the step.
    bool continues(const Arrival& arrival) const;
    /// True if it surely does not, given that the step is as short as it may be.
    bool is_lost(const Arrival& arrival) const;
    void accept(Interval interval, const Arrival& arrival);
    void accept_loss(const Loss& loss, const Arrival& arrival);
    bool is_singular(const Arrival& arrival) const;
    const std::vector<Loss>& losses() const { return losses_; }

private:
    struct Point {
        double t = 0.0;
        int orientation = 0;
    };
    int orientation_at_begin() const { return knows_begin_ ? points_.back().orientation : 0; }

    std::vector<Point> points_;  // ends of the last steps
    std::vector<Loss> losses_;
    bool knows_begin_ = false;
};

}  // namespace tandem::coupling
