#include "core/direct_flows.hpp"

namespace tandem {

std::vector<std::pair<int, int>> direct_flows(const System& system) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    std::vector<char> is_direct(at(system.output_begin(system.size())), 0);
    for (int s = 0; s < system.size(); ++s)
        for (const FeedThrough& direct : system.at(s).interface().feed_through)
            is_direct[at(system.output_begin(s) + direct.output)] = 1;
    std::vector<std::pair<int, int>> flows;
    const auto add = [&](int output, int input) {
        if (is_direct[at(output)] != 0)
            flows.emplace_back(system.subsystem_of_output(output),
                               system.subsystem_of_input(input));
    };
    for (const Link& link : system.links()) add(link.output, link.input);
    for (const FunctionLink& function : system.functions())
        for (const int output : function.outputs) add(output, function.input);
    return flows;
}

}  // namespace tandem
