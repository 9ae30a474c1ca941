#include "coupling/direct_outputs.hpp"

#include <algorithm>

namespace tandem::coupling {

bool feeds_through(const System& system, int s) {
    const auto is_fed = [&](int input) {
        const auto goes_there = [&](const auto& connection) { return connection.input == input; };
        return std::ranges::any_of(system.links_into(s), goes_there) ||
               std::ranges::any_of(system.functions_into(s), goes_there);
    };
    return std::ranges::any_of(system.at(s).interface().feed_through, [&](const FeedThrough& feed) {
        return is_fed(system.input_begin(s) + feed.input);
    });
}

}  // namespace tandem::coupling
