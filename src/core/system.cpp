#include "tandem/extend/system.hpp"

#include <algorithm>
#include <chrono>

namespace tandem {
namespace {

template <class Entry>
std::vector<int> first_of_each(const std::vector<Entry>& sorted, const std::vector<int>& begin) {
    std::vector<int> first;
    for (const int position : begin) {
        const auto found = std::ranges::lower_bound(sorted, position, {}, &Entry::input);
        first.push_back(static_cast<int>(found - sorted.begin()));
    }
    return first;
}

template <class Entry>
std::span<const Entry> part(const std::vector<Entry>& all, const std::vector<int>& begin, int s) {
    const auto i = static_cast<std::size_t>(s);
    return {all.data() + begin[i], all.data() + begin[i + 1]};
}

}  // namespace

System::System(std::vector<std::unique_ptr<Subsystem>> subsystems, std::vector<Link> links,
               std::vector<FunctionLink> functions)
    : subsystems_(std::move(subsystems)),
      links_(std::move(links)),
      functions_(std::move(functions)) {
    output_begin_.push_back(0);
    input_begin_.push_back(0);
    for (const auto& subsystem : subsystems_) {
        const Interface& ports = subsystem->interface();
        output_begin_.push_back(output_begin_.back() + static_cast<int>(ports.outputs.size()));
        input_begin_.push_back(input_begin_.back() + static_cast<int>(ports.inputs.size()));
    }
    outputs_.resize(index(output_begin_.back()));
    inputs_.resize(index(input_begin_.back()));

    std::ranges::sort(links_, {}, &Link::input);
    std::ranges::sort(functions_, {}, &FunctionLink::input);
    link_begin_ = first_of_each(links_, input_begin_);
    function_begin_ = first_of_each(functions_, input_begin_);
    signal_begin_.push_back(0);
    for (const FunctionLink& f : functions_)
        signal_begin_.push_back(signal_begin_.back() + static_cast<int>(f.outputs.size()));
    signals_.resize(index(signal_begin_.back()));
    costs_.resize(subsystems_.size());
}

int System::owner(const Offsets& begin, int position) {
    return static_cast<int>(std::ranges::upper_bound(begin, position) - begin.begin()) - 1;
}

void System::route(double t) {
    route(links_);
    evaluate(functions_, t);
}

void System::route_to(int s, double t) {
    route(links_into(s));
    evaluate(functions_into(s), t);
}

void System::route_input(int input, double t) {
    const auto links = std::ranges::equal_range(links_, input, {}, &Link::input);
    const auto functions = std::ranges::equal_range(functions_, input, {}, &FunctionLink::input);
    route(std::span<const Link>(links.begin(), links.end()));
    evaluate(std::span<const FunctionLink>(functions.begin(), functions.end()), t);
}

void System::route(std::span<const Link> links) {
    for (const Link& link : links)
        inputs_[index(link.input)] = link.gain * outputs_[index(link.output)] + link.offset;
}

void System::evaluate(std::span<const FunctionLink> functions, double t) {
    for (const FunctionLink& f : functions) {
        const std::span<double> signals = signals_of(f);
        for (std::size_t i = 0; i < signals.size(); ++i) signals[i] = outputs_[index(f.outputs[i])];
        inputs_[index(f.input)] = f.function(t, signals);
    }
}

std::span<double> System::signals_of(const FunctionLink& function) {
    return slice(signals_, signal_begin_, static_cast<int>(&function - functions_.data()));
}

std::span<const Link> System::links_into(int s) const { return part(links_, link_begin_, s); }

std::span<const FunctionLink> System::functions_into(int s) const {
    return part(functions_, function_begin_, s);
}

StepResult System::step(int s, Interval interval, const InputCourse& course) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = measures_ ? Clock::now() : Clock::time_point{};
    const StepResult result = at(s).exchange_step(course, interval, outputs_of(s));
    ++costs_[index(s)].steps;
    if (!last_inputs_.empty()) keep_inputs(s, interval, course);
    if (measures_) {
        ++costs_[index(s)].timed;
        costs_[index(s)].seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    }
    return result;
}

void System::watch_inputs(bool on) { last_inputs_.resize(on ? inputs_.size() : 0); }

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

/// Each subsystem is one, and what it shares with others comes behind them.
std::vector<int> System::resources_of(std::span<const int> subsystems, bool carries) const {
    std::vector<int> resources;
    const auto add = [&](int s) {
        resources.push_back(s);
        if (shared_.empty()) return;
        for (const int one : shared_[index(s)]) resources.push_back(size() + one);
    };
    for (const int s : subsystems) {
        add(s);
        for (const auto& [from, to] : other_flows_)
            if (carries && to == s) add(from);
    }
    std::ranges::sort(resources);
    const auto repeated = std::ranges::unique(resources);
    resources.erase(repeated.begin(), repeated.end());
    return resources;
}

numerics::Graph System::subsystem_graph() const { return {size(), real_flows()}; }

numerics::Graph System::flow_graph() const {
    std::vector<std::pair<int, int>> edges = real_flows();
    edges.insert(edges.end(), other_flows_.begin(), other_flows_.end());
    return {size(), std::move(edges)};
}

std::vector<std::pair<int, int>> System::real_flows() const {
    std::vector<std::pair<int, int>> edges;
    for (const Link& link : links_)
        edges.emplace_back(subsystem_of_output(link.output), subsystem_of_input(link.input));
    for (const FunctionLink& f : functions_)
        for (const int output : f.outputs)
            edges.emplace_back(subsystem_of_output(output), subsystem_of_input(f.input));
    return edges;
}

}  // namespace tandem
