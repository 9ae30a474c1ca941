#include "run/consistent_row.hpp"

#include <algorithm>
#include <utility>

namespace tandem::run {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

std::vector<char> outputs_that_feed(const System& system) {
    std::vector<char> feed(index(system.output_begin(system.size())), 0);
    for (const Link& link : system.links()) feed[index(link.output)] = 1;
    for (const FunctionLink& function : system.functions())
        for (const int output : function.outputs) feed[index(output)] = 1;
    return feed;
}

}  // namespace

ConsistentRow::ConsistentRow(System& system, std::span<const int> subsystems) : system_(&system) {
    const std::vector<char> feed = outputs_that_feed(system);
    for (const int s : subsystems) {
        auto* evaluation = dynamic_cast<Reevaluated*>(&system.at(s));
        if (evaluation == nullptr || !system.is_fed(s)) continue;
        Part part;
        part.subsystem = s;
        part.evaluation = evaluation;
        for (const FeedThrough& direct : system.at(s).interface().feed_through)
            if (feed[index(system.output_begin(s) + direct.output)] == 0 &&
                std::ranges::find(part.free_outputs, direct.output) == part.free_outputs.end())
                part.free_outputs.push_back(direct.output);
        part.given.resize(system.inputs_of(s).size());
        for (auto* values : {&part.outputs, &part.read})
            values->resize(system.outputs_of(s).size());
        parts_.push_back(std::move(part));
    }
}

void ConsistentRow::evaluate(double t) {
    for (Part& part : parts_) evaluate(part, t);
}

void ConsistentRow::evaluate(Part& part, double t) {
    const auto inputs = system_->inputs_of(part.subsystem);
    std::ranges::copy(inputs, part.given.begin());
    system_->route_to(part.subsystem, t);
    part.is_evaluated = part.evaluation->evaluate_with(inputs);
    std::ranges::copy(part.given, inputs.begin());
    if (!part.is_evaluated || part.free_outputs.empty()) return;
    const auto outputs = system_->outputs_of(part.subsystem);
    std::ranges::copy(outputs, part.outputs.begin());
    part.evaluation->read_reevaluated(part.read);
    for (const int output : part.free_outputs) outputs[index(output)] = part.read[index(output)];
}

void ConsistentRow::put_back() {
    for (Part& part : parts_) {
        if (!std::exchange(part.is_evaluated, false)) continue;
        part.evaluation->evaluate_as_before();
        if (!part.free_outputs.empty())
            std::ranges::copy(part.outputs, system_->outputs_of(part.subsystem).begin());
    }
}

}  // namespace tandem::run
