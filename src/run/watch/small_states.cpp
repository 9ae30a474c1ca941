#include "run/watch/small_states.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "ode/group/ode_group.hpp"

namespace tandem::run {
namespace {

using StateSize = ode::HostedOde::StateSize;

/// Largest values below so many absolute tolerances have less than three digits ...
constexpr double fewest_tolerances = 1e3;
/// ... which is a loss only where it is two digits more than a state of nominal size loses by the
/// same tolerance.
constexpr double part_of_nominal = 1e-2;
/// A state that starts with nothing but rounding errors of numbers of size 1 and comes no further
/// than this is at rest.
constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
constexpr double rest = 1e-12;
constexpr std::size_t most_names = 3;

bool is_at_rest(const StateSize& size) { return size.first <= rounding && size.largest <= rest; }

bool is_small(const StateSize& size) {
    return size.largest < std::min(fewest_tolerances * size.absolute_tolerance, part_of_nominal);
}

/// States of one model, of which none is of usual size. A small state beside those of usual size is
/// left alone: it may well be a difference that is near zero, and their errors decide on the steps.
bool are_all_small(std::span<const StateSize> sizes) {
    const auto counts = [](const StateSize& size) { return !size.is_given; };
    return std::ranges::any_of(
               sizes, [&](const auto& size) { return counts(size) && !is_at_rest(size); }) &&
           std::ranges::all_of(sizes,
                               [&](const auto& size) { return !counts(size) || is_small(size); });
}

class SmallStates {
public:
    void add(ode::HostedOde& hosted) {
        const std::vector<StateSize> sizes = hosted.state_sizes();
        const std::vector<Port>& states = hosted.model().shape().states;
        if (sizes.size() != states.size()) return;
        auto* const group = dynamic_cast<ode::OdeGroup*>(&hosted.model());
        const std::string prefix = group != nullptr ? "" : hosted.name() + ".";
        std::size_t first = 0;
        for (int m = 0; m < (group != nullptr ? group->size() : 1); ++m) {
            const std::size_t count =
                group != nullptr ? group->member(m).shape().states.size() : states.size();
            const auto own = std::span(sizes).subspan(first, count);
            if (are_all_small(own)) add(own, std::span(states).subspan(first, count), prefix);
            first += count;
        }
    }

    bool empty() const { return names_.empty(); }
    std::string list() const {
        const auto shown = std::span(names_).first(std::min(names_.size(), most_names));
        return fmt::format("{}{}", fmt::join(shown, ", "),
                           names_.size() > shown.size()
                               ? fmt::format(" and {} more", names_.size() - shown.size())
                               : std::string());
    }

private:
    void add(std::span<const StateSize> sizes, std::span<const Port> states,
             const std::string& prefix) {
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (!sizes[i].is_given && !is_at_rest(sizes[i]))
                names_.push_back(fmt::format("{}{} (at most {:.2g}, absolute tolerance {:.2g})",
                                             prefix, states[i].name, sizes[i].largest,
                                             sizes[i].absolute_tolerance));
    }

    std::vector<std::string> names_;
};

}  // namespace

Diagnostics small_state_warnings(std::span<ode::HostedOde* const> models, const std::string& place,
                                 const std::string& hint) {
    SmallStates small;
    for (ode::HostedOde* const model : models) small.add(*model);
    if (small.empty()) return {};
    return {{Severity::warning, place,
             "states are so small that the absolute tolerance of their solver leaves them less "
             "than three digits: " +
                 small.list(),
             hint}};
}

}  // namespace tandem::run
