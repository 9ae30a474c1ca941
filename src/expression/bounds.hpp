#pragma once

#include <span>
#include <vector>

#include "expression/tree.hpp"

namespace tandem::expression {

/// Bounds of nodes of time alone over a box, that is all times from one to another. Each is the
/// intersection of its natural interval extension with the mean value form
/// f(m) + F'(box) (box - m) about the middle m (Moore, Kearfott and Cloud 2009, ch. 6), whose
/// excess falls with the square of the box's width.
class ExpressionBounds {
public:
    explicit ExpressionBounds(const ExpressionTree& tree)
        : tree_(tree), over_(tree.nodes.size()), slope_(over_.size()), point_(over_.size()) {}

    /// Of this node and of all it is made of.
    void enclose(int node, Range box);
    Range over(int node) const { return over_[static_cast<std::size_t>(node)]; }
    /// At one time: as wide as rounding errors are.
    Range at(int node, double t);

private:
    const ExpressionTree& tree_;
    std::vector<Range> over_, slope_, point_;
};

}  // namespace tandem::expression
