#include "ode/group/group_plan.hpp"

#include <algorithm>

#include "ode/block_jacobian.hpp"
#include "ode/group/group_order.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::ode {
namespace {

int owner(const std::vector<int>& begin, int position) {
    return static_cast<int>(std::ranges::upper_bound(begin, position) - begin.begin()) - 1;
}

void merge(std::vector<int>& into, const std::vector<int>& more) {
    std::vector<int> both;
    std::ranges::set_union(into, more, std::back_inserter(both));
    into = std::move(both);
}

class Planner {
public:
    explicit Planner(const GroupNet& net) : net_(net) {}

    GroupPlan plan() {
        find_needs();
        find_components();
        make_steps();
        find_late_inputs();
        return std::move(plan_);
    }

private:
    /// Per output the inputs it depends on directly, and the states.
    void find_needs() {
        for (int m = 0; m < net_.size(); ++m) {
            const OdeShape& shape = *net_.shapes[index(m)];
            auto inputs = rows_of(shape.d, shape.outputs.size(), shape.inputs.size());
            auto states = rows_of(shape.c, shape.outputs.size(), shape.states.size());
            for (auto& row : inputs) {
                for (int& input : row) input += net_.input_begin[index(m)];
                needs_.push_back(std::move(row));
            }
            for (auto& row : states) {
                for (int& state : row) state += net_.state_begin[index(m)];
                states_.push_back(std::move(row));
            }
        }
    }

    void find_components() {
        std::vector<std::pair<int, int>> edges;
        for (int output = 0; output < net_.output_count(); ++output)
            for (const int input : needs_[index(output)])
                for (const int source : net_.sources(input)) edges.emplace_back(source, output);
        graph_ = numerics::Graph(net_.output_count(), std::move(edges));
        components_ = numerics::strongly_connected_components(graph_);
    }

    bool is_loop(int component) const {
        return numerics::is_cycle(graph_, components_.members[index(component)]);
    }

    /// A loop is a member of its own.
    void make_steps() {
        std::vector<int> owner;
        int next = net_.size();
        for (int c = 0; c < static_cast<int>(components_.members.size()); ++c)
            owner.push_back(
                is_loop(c) ? next++ : net_.member_of_output(components_.members[index(c)].front()));
        plan_.output_causes.resize(index(net_.output_count()));
        plan_.input_causes.resize(index(net_.input_count()));
        is_known_.assign(index(net_.input_count()), false);
        for (const CallBatch& question : order_calls(graph_, components_, owner)) {
            const int member = owner[index(question.front())];
            if (member >= net_.size())
                add_loop(question.front());
            else
                add_call(member, question);
        }
    }

    void add_call(int member, const CallBatch& question) {
        GroupCall call;
        call.member = member;
        for (const int c : question) {
            const int output = components_.members[index(c)].front();
            call.outputs.push_back(output);
            for (const int input : needs_[index(output)]) learn(input, call.inputs);
            note_causes(output);
        }
        std::ranges::sort(call.inputs);
        std::ranges::sort(call.outputs);
        plan_.steps.push_back({static_cast<int>(plan_.calls.size()), -1});
        plan_.calls.push_back(std::move(call));
    }

    void learn(int input, std::vector<int>& list) {
        if (is_known_[index(input)]) return;
        is_known_[index(input)] = true;
        list.push_back(input);
        plan_.input_causes[index(input)] = causes_of(input);
    }

    std::vector<int> causes_of(int input) const {
        if (net_.is_free(input)) return {net_.state_count() + input};
        std::vector<int> causes;
        for (const int source : net_.sources(input))
            merge(causes, plan_.output_causes[index(source)]);
        return causes;
    }

    void note_causes(int output) {
        std::vector<int>& causes = plan_.output_causes[index(output)];
        causes = states_[index(output)];
        for (const int input : needs_[index(output)])
            merge(causes, plan_.input_causes[index(input)]);
    }

    void add_loop(int c) {
        GroupLoop loop;
        loop.outputs = components_.members[index(c)];
        const auto is_inside = [&](int output) { return components_.of_node[index(output)] == c; };
        std::vector<int> causes;
        for (const int output : loop.outputs) {
            loop.members.push_back(net_.member_of_output(output));
            merge(causes, states_[index(output)]);
            for (const int input : needs_[index(output)]) {
                if (is_known_[index(input)]) {
                    merge(causes, plan_.input_causes[index(input)]);
                    continue;
                }
                if (std::ranges::none_of(net_.sources(input), is_inside)) {
                    learn(input, loop.external);
                    merge(causes, plan_.input_causes[index(input)]);
                    continue;
                }
                is_known_[index(input)] = true;
                loop.inputs.push_back(input);
                for (const int source : net_.sources(input))
                    if (!is_inside(source)) merge(causes, plan_.output_causes[index(source)]);
            }
        }
        for (const int output : loop.outputs) plan_.output_causes[index(output)] = causes;
        for (const int input : loop.inputs) plan_.input_causes[index(input)] = causes;
        std::ranges::sort(loop.members);
        const auto repeated = std::ranges::unique(loop.members);
        loop.members.erase(repeated.begin(), repeated.end());
        plan_.steps.push_back({-1, static_cast<int>(plan_.loops.size())});
        plan_.loops.push_back(std::move(loop));
    }

    void find_late_inputs() {
        plan_.late_inputs.resize(index(net_.size()));
        for (int input = 0; input < net_.input_count(); ++input)
            learn(input, plan_.late_inputs[index(net_.member_of_input(input))]);
    }

    const GroupNet& net_;
    GroupPlan plan_;
    std::vector<std::vector<int>> needs_, states_;
    numerics::Graph graph_{0, {}};
    numerics::Components components_;
    std::vector<bool> is_known_;
};

}  // namespace

std::vector<std::vector<int>> rows_of(const Pattern& pattern, std::size_t rows,
                                      std::size_t columns) {
    std::vector<std::vector<int>> result(rows);
    if (!pattern.entries) {
        for (auto& row : result)
            for (std::size_t c = 0; c < columns; ++c) row.push_back(static_cast<int>(c));
        return result;
    }
    for (const auto& [row, column] : *pattern.entries) result[index(row)].push_back(column);
    for (auto& row : result) {
        std::ranges::sort(row);
        const auto repeated = std::ranges::unique(row);
        row.erase(repeated.begin(), repeated.end());
    }
    return result;
}

GroupNet::GroupNet(std::vector<const OdeShape*> members, std::vector<Link> member_links,
                   std::vector<FunctionLink> member_functions)
    : shapes(std::move(members)),
      links(std::move(member_links)),
      functions(std::move(member_functions)) {
    state_begin = input_begin = output_begin = {0};
    for (const OdeShape* shape : shapes) {
        state_begin.push_back(state_begin.back() + static_cast<int>(shape->states.size()));
        input_begin.push_back(input_begin.back() + static_cast<int>(shape->inputs.size()));
        output_begin.push_back(output_begin.back() + static_cast<int>(shape->outputs.size()));
        for (const Port& input : shape->inputs)
            input_nominals.push_back(usable_nominal(input.nominal));
        for (const Port& output : shape->outputs)
            output_nominals.push_back(usable_nominal(output.nominal));
    }
    feeders.resize(index(input_count()));
    for (std::size_t i = 0; i < links.size(); ++i)
        feeders[index(links[i].input)].link = static_cast<int>(i);
    for (std::size_t i = 0; i < functions.size(); ++i)
        feeders[index(functions[i].input)].function = static_cast<int>(i);
}

int GroupNet::member_of_output(int output) const { return owner(output_begin, output); }
int GroupNet::member_of_input(int input) const { return owner(input_begin, input); }

std::span<const int> GroupNet::sources(int input) const {
    const Feeder& feeder = feeders[index(input)];
    if (feeder.link >= 0) return {&links[index(feeder.link)].output, 1};
    if (feeder.function >= 0) return functions[index(feeder.function)].outputs;
    return {};
}

bool GroupNet::is_free(int input) const {
    return feeders[index(input)].link < 0 && feeders[index(input)].function < 0;
}

GroupPlan plan_group(const GroupNet& net) { return Planner(net).plan(); }

}  // namespace tandem::ode
