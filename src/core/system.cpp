#include "tandem/extend/system.hpp"

#include <algorithm>

namespace tandem {

System::System(std::vector<std::unique_ptr<Subsystem>> subsystems, std::vector<Link> links,
               std::vector<FunctionLink> functions)
    : SignalBus(PortLayout(subsystems), std::move(links), std::move(functions)),
      subsystems_(std::move(subsystems)),
      costs_(subsystems_.size()) {}

StepResult System::step(int s, Interval interval, const InputCourse& course) {
    return costs_.count(s, [&] {
        const StepResult result = at(s).exchange_step(course, interval, outputs_of(s));
        if (!last_inputs_.empty()) keep_inputs(s, interval, course);
        return result;
    });
}

void System::watch_inputs(bool on) { last_inputs_.resize(on ? inputs().size() : 0); }

void System::keep_inputs(int s, Interval interval, const InputCourse& course) {
    const std::size_t n = course.values.size();
    const auto last = std::span(last_inputs_).subspan(index(input_begin(s)), n);
    if (course.law != nullptr) return at(s).get_inputs(last);
    for (std::size_t i = 0; i < n; ++i) last[i] = course.at(interval.length(), i);
}

void System::save(StateSlot slot) {
    for (auto& subsystem : subsystems_) subsystem->save(slot);
}

void System::restore(StateSlot slot) {
    for (auto& subsystem : subsystems_) subsystem->restore(slot);
}

numerics::Graph System::subsystem_graph() const { return {size(), real_flows()}; }

numerics::Graph System::flow_graph() const {
    std::vector<std::pair<int, int>> edges = real_flows();
    const auto others = schedule_.other_flows();
    edges.insert(edges.end(), others.begin(), others.end());
    return {size(), std::move(edges)};
}

std::vector<std::pair<int, int>> System::real_flows() const {
    std::vector<std::pair<int, int>> edges;
    for (const Link& link : links())
        edges.emplace_back(subsystem_of_output(link.output), subsystem_of_input(link.input));
    for (const FunctionLink& f : functions())
        for (const int output : f.outputs)
            edges.emplace_back(subsystem_of_output(output), subsystem_of_input(f.input));
    return edges;
}

}  // namespace tandem
