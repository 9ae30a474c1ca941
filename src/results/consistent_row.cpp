#include "results/consistent_row.hpp"

#include <algorithm>
#include <utility>

#include "core/direct_flows.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::results {
namespace {

std::vector<char> outputs_that_feed(const System& system) {
    std::vector<char> feed(index(system.output_begin(system.size())), 0);
    for (const Link& link : system.links()) feed[index(link.output)] = 1;
    for (const FunctionLink& function : system.functions())
        for (const int output : function.outputs) feed[index(output)] = 1;
    return feed;
}

}  // namespace

std::vector<int> in_order_of_feed_through(const System& system, std::span<const int> subsystems) {
    const numerics::Graph graph(system.size(), direct_flows(system));
    std::vector<int> order;
    for (const auto& members : numerics::strongly_connected_components(graph).members) {
        const int s = members.front();
        const bool is_direct = !system.at(s).interface().feed_through.empty() ||
                               std::ranges::find(subsystems, s) != subsystems.end();
        if (is_direct && !numerics::is_cycle(graph, members)) order.push_back(s);
    }
    return order;
}

ConsistentRow::ConsistentRow(System& system, std::span<const int> subsystems, Scope scope)
    : system_(&system) {
    std::vector<char> stays(index(system.output_begin(system.size())), 0);
    if (scope == Scope::free) stays = outputs_that_feed(system);
    for (const int s : subsystems) {
        auto* evaluation = dynamic_cast<Reevaluated*>(&system.at(s));
        if (evaluation == nullptr || !system.is_fed(s)) continue;
        Part part;
        part.subsystem = s;
        part.evaluation = evaluation;
        for (const FeedThrough& direct : system.at(s).interface().feed_through)
            if (stays[index(system.output_begin(s) + direct.output)] == 0 &&
                std::ranges::find(part.replaced, direct.output) == part.replaced.end())
                part.replaced.push_back(direct.output);
        part.given.resize(system.inputs_of(s).size());
        for (auto* values : {&part.outputs, &part.read})
            values->resize(system.outputs_of(s).size());
        parts_.push_back(std::move(part));
    }
    if (parts_.empty()) return;
    kept_.resize(system.outputs().size());
    is_kept_.resize(index(system.size()));
}

void ConsistentRow::evaluate(double t) {
    for (Part& part : parts_) evaluate(part, t);
}

void ConsistentRow::evaluate_before_event(double t) {
    exchange_kept();
    is_exchanged_ = true;
    for (Part& part : parts_)
        if (is_kept_[index(part.subsystem)] == 0) evaluate(part, t);
}

void ConsistentRow::evaluate(Part& part, double t) {
    const auto inputs = system_->inputs_of(part.subsystem);
    std::ranges::copy(inputs, part.given.begin());
    system_->route_to(part.subsystem, t);
    part.is_evaluated = part.evaluation->evaluate_with(inputs);
    std::ranges::copy(part.given, inputs.begin());
    if (!part.is_evaluated || part.replaced.empty()) return;
    const auto outputs = system_->outputs_of(part.subsystem);
    std::ranges::copy(outputs, part.outputs.begin());
    part.evaluation->read_reevaluated(part.read);
    for (const int output : part.replaced) outputs[index(output)] = part.read[index(output)];
}

void ConsistentRow::put_back() {
    for (Part& part : parts_) {
        if (!std::exchange(part.is_evaluated, false)) continue;
        part.evaluation->evaluate_as_before();
        if (!part.replaced.empty())
            std::ranges::copy(part.outputs, system_->outputs_of(part.subsystem).begin());
    }
    if (std::exchange(is_exchanged_, false)) exchange_kept();
}

std::span<double> ConsistentRow::kept_of(int subsystem) {
    return std::span(kept_).subspan(index(system_->output_begin(subsystem)),
                                    system_->outputs_of(subsystem).size());
}

void ConsistentRow::exchange_kept() {
    for (int s = 0; s < std::ssize(is_kept_); ++s)
        if (is_kept_[index(s)] != 0) std::ranges::swap_ranges(kept_of(s), system_->outputs_of(s));
}

void ConsistentRow::keep_outputs(int subsystem) {
    if (parts_.empty() || std::exchange(is_kept_[index(subsystem)], 1) != 0) return;
    system_->at(subsystem).get_outputs(kept_of(subsystem));
}

void ConsistentRow::forget_outputs(int subsystem) {
    if (!is_kept_.empty()) is_kept_[index(subsystem)] = 0;
}

void ConsistentRow::forget_outputs() { std::ranges::fill(is_kept_, 0); }

}  // namespace tandem::results
