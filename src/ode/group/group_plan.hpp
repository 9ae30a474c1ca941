#pragma once

#include <span>
#include <vector>

#include "ode/ode_model.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::ode {

/// The members of a group, their inputs and outputs counted over all of them, and what feeds what.
struct GroupNet {
    std::vector<const OdeShape*> shapes;
    std::vector<int> state_begin, input_begin, output_begin;  ///< of each member, and the end
    std::vector<Link> links;                                  ///< at most one into an input
    std::vector<FunctionLink> functions;                      ///< likewise

    /// What feeds an input: a link, a function, or nobody.
    struct Feeder {
        int link = -1, function = -1;
    };
    std::vector<Feeder> feeders;  ///< of each input
    std::vector<double> input_nominals, output_nominals;

    GroupNet(std::vector<const OdeShape*> members, std::vector<Link> member_links,
             std::vector<FunctionLink> member_functions);
    int size() const { return static_cast<int>(shapes.size()); }
    int input_count() const { return input_begin.back(); }
    int output_count() const { return output_begin.back(); }
    int state_count() const { return state_begin.back(); }
    int member_of_output(int output) const;
    int member_of_input(int input) const;
    /// The outputs an input is made of; none if nobody feeds it.
    std::span<const int> sources(int input) const;
    bool is_free(int input) const;
};

/// One member is asked once: these inputs are new, these outputs are right afterwards.
struct GroupCall {
    int member = 0;
    std::vector<int> inputs;
    std::vector<int> outputs;
};

/// Outputs that depend on each other at one instant.
struct GroupLoop {
    std::vector<int> outputs;
    std::vector<int> inputs;    ///< made of them
    std::vector<int> members;   ///< that have them
    std::vector<int> external;  ///< inputs from outside that its outputs depend on
};

/// In which order outputs are computed. A step is a call or a loop, by its index.
struct GroupPlan {
    struct Step {
        int call = -1, loop = -1;
    };
    std::vector<Step> steps;
    std::vector<GroupCall> calls;
    std::vector<GroupLoop> loops;
    /// Per member the inputs that no output needed, which are new after the last step.
    std::vector<std::vector<int>> late_inputs;
    /// Which states and free inputs (states first) each input and each output depends on.
    std::vector<std::vector<int>> input_causes, output_causes;
};

/// The columns of each row of a pattern, ascending; all of them where nothing is declared.
std::vector<std::vector<int>> rows_of(const Pattern& pattern, std::size_t rows,
                                      std::size_t columns);

/// Sorts the variables, not the members: a member is asked as often as its neighbours need in
/// between, and no more often.
GroupPlan plan_group(const GroupNet& net);

}  // namespace tandem::ode
