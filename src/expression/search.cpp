#include <algorithm>
#include <cmath>
#include <utility>

#include "expression/bounds.hpp"

namespace tandem::expression {
namespace {

constexpr std::size_t most_boxes = 100'000;
/// A search that has come less far, in parts of the time itself or of what was to be searched, goes
/// on with samples.
constexpr double least_progress = 1.0 / 16.0;
constexpr int samples = 4096;
/// A box whose bounds are hardly wider than rounding errors at one time cannot be decided in parts.
constexpr double of_rounding = 4.0;

double resolution(double t) { return std::max(4e-16 * std::abs(t), 1e-18); }

/// Whether one node has another value than at the beginning.
class Search {
public:
    Search(const ExpressionTree& tree, int node, const SearchLimits& limits)
        : tree_(tree), node_(node), limits_(limits), before_(value(limits.begin)) {}

    FirstChange first(double begin, double end, ExpressionBounds& bounds) {
        if (is_sampled_) return {sampled(begin, end, bounds), begin};
        const auto size = static_cast<std::size_t>(node_ - tree_.at(node_).first + 1);
        const std::size_t most = std::min(limits_.work / size, most_boxes);
        open_ = {{begin, end}};
        for (std::size_t boxes = 0; !open_.empty(); ++boxes) {
            const Range box = open_.back();
            open_.pop_back();
            if (boxes == most) return unfinished(box.low, end, bounds);
            if (const double found = decide(box, bounds); found < infinity) return {found};
        }
        return {};
    }

private:
    double value(double t) const { return tree_.value(node_, {.t = t}); }
    bool has_changed(double t) const {
        const double now = value(t);
        return now != before_ && !(std::isnan(now) && std::isnan(before_));
    }

    /// Where it has changed; infinity: nowhere, or it is left open.
    double decide(Range box, ExpressionBounds& bounds) {
        bounds.enclose(node_, box);
        const Range range = bounds.over(node_);
        const bool may_be_same = std::isnan(before_) ? range.may_be_nan : contains(range, before_);
        if (!may_be_same)
            return undecided_from_ < box.low ? refined(undecided_from_, box.low) : box.low;
        const bool is_same = range.is_one_number() || range.is_empty();
        if (!is_same && is_rounding(box, bounds)) {
            undecided_from_ = std::min(undecided_from_, box.low);
            return infinity;
        }
        if (!is_same && box.width() > resolution(box.low)) {
            const double middle = box.low + 0.5 * box.width();
            open_.push_back({middle, box.high});
            open_.push_back({box.low, middle});
            return infinity;
        }
        if (!is_same && has_changed(box.high)) return refined(box.low, box.high);
        undecided_from_ = infinity;
        return infinity;
    }

    /// The operand equals what it is compared with up to rounding errors all over the box, so that
    /// it counts as unchanged as long as it is no further off. The errors are taken at two times
    /// inside that no simple fraction hits.
    bool is_rounding(Range box, ExpressionBounds& bounds) const {
        const int operand = tree_.at(node_).a;
        const double width = bounds.over(operand).width();
        const auto is_rounding_at = [&](double part) {
            const double there = bounds.at(operand, box.low + part * box.width()).width();
            return width <= of_rounding * there && std::isfinite(there);
        };
        return is_rounding_at(0.31830988618) && is_rounding_at(0.73575888234);
    }

    /// A stop where nothing changes is allowed, if there are not too many.
    FirstChange unfinished(double reached, double end, ExpressionBounds& bounds) {
        const double begin = limits_.begin;
        const double scale = std::min(limits_.end - begin, 1.0 + std::abs(begin));
        if (reached - begin >= least_progress * scale) return {reached};
        is_sampled_ = true;
        return {sampled(reached, end, bounds), reached};
    }

    /// Rounding errors make no change.
    double sampled(double begin, double end, ExpressionBounds& bounds) const {
        double last = begin;
        for (int i = 1; i <= samples; ++i) {
            const double t = begin + (end - begin) * i / samples;
            if (has_changed(t) && bounds.at(node_, t).is_one_number()) return refined(last, t);
            last = t;
        }
        return infinity;
    }

    /// The first number at which it has changed, or the last before it if the relation is an
    /// equality there.
    double refined(double low, double high) const {
        for (;;) {
            const double middle = low + 0.5 * (high - low);
            if (!(low < middle && middle < high)) break;
            (has_changed(middle) ? high : low) = middle;
        }
        const ExpressionNode& n = tree_.at(node_);
        return n.op != Op::floor && tree_.value(n.a, {.t = low}) == 0.0 ? low : high;
    }

    const ExpressionTree& tree_;
    int node_;
    SearchLimits limits_;
    double before_;
    bool is_sampled_ = false;
    double undecided_from_ = infinity;  ///< by rounding errors, up to what is searched next
    std::vector<Range> open_;
};

}  // namespace

/// In windows that grow, so that no node is searched far beyond what changes first.
FirstChange first_change(const ExpressionTree& tree, std::span<const int> nodes,
                         const SearchLimits& limits) {
    const double begin = limits.begin, end = limits.end;
    FirstChange first;
    if (nodes.empty() || !(begin < end)) return first;
    ExpressionBounds bounds(tree);
    std::vector<Search> searches;
    searches.reserve(nodes.size());
    for (const int node : nodes) searches.emplace_back(tree, node, limits);
    double window = std::min(end - begin, 1.0 + std::abs(begin)) / 1024.0;
    for (double low = begin; low < end && first.time == infinity; window *= 2.0) {
        const double high = end - low <= 1.5 * window ? end : low + window;
        for (Search& search : searches) {
            const FirstChange one = search.first(low, std::min(high, first.time), bounds);
            first.time = std::min(first.time, one.time);
            first.sampled_from = std::min(first.sampled_from, one.sampled_from);
        }
        low = high;
    }
    return first;
}

}  // namespace tandem::expression
