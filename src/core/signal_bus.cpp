#include "tandem/extend/signal_bus.hpp"

#include <algorithm>

namespace tandem {
namespace {

template <class Entry>
std::vector<int> first_of_each(const std::vector<Entry>& sorted, std::span<const int> begin) {
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

PortLayout::PortLayout(std::span<const std::unique_ptr<Subsystem>> subsystems) {
    for (const auto& subsystem : subsystems) {
        const Interface& ports = subsystem->interface();
        output_begin_.push_back(output_begin_.back() + static_cast<int>(ports.outputs.size()));
        input_begin_.push_back(input_begin_.back() + static_cast<int>(ports.inputs.size()));
    }
}

int PortLayout::owner(const Offsets& begin, int position) {
    return static_cast<int>(std::ranges::upper_bound(begin, position) - begin.begin()) - 1;
}

SignalBus::SignalBus(PortLayout layout, std::vector<Link> links,
                     std::vector<FunctionLink> functions)
    : layout_(std::move(layout)), links_(std::move(links)), functions_(std::move(functions)) {
    outputs_.resize(index(layout_.outputs()));
    inputs_.resize(index(layout_.inputs()));
    std::ranges::sort(links_, {}, &Link::input);
    std::ranges::sort(functions_, {}, &FunctionLink::input);
    link_begin_ = first_of_each(links_, layout_.input_begins());
    function_begin_ = first_of_each(functions_, layout_.input_begins());
    signal_begin_.push_back(0);
    for (const FunctionLink& f : functions_)
        signal_begin_.push_back(signal_begin_.back() + static_cast<int>(f.outputs.size()));
    signals_.resize(index(signal_begin_.back()));
}

void SignalBus::route(double t) {
    route(links_);
    evaluate(functions_, t);
}

void SignalBus::route_to(int s, double t) {
    route(links_into(s));
    evaluate(functions_into(s), t);
}

void SignalBus::route_input(int input, double t) {
    const auto links = std::ranges::equal_range(links_, input, {}, &Link::input);
    const auto functions = std::ranges::equal_range(functions_, input, {}, &FunctionLink::input);
    route(std::span<const Link>(links.begin(), links.end()));
    evaluate(std::span<const FunctionLink>(functions.begin(), functions.end()), t);
}

void SignalBus::route(std::span<const Link> links) {
    for (const Link& link : links)
        inputs_[index(link.input)] = link.gain * outputs_[index(link.output)] + link.offset;
}

void SignalBus::evaluate(std::span<const FunctionLink> functions, double t) {
    for (const FunctionLink& f : functions) {
        const std::span<double> signals = signals_of(f);
        for (std::size_t i = 0; i < signals.size(); ++i) signals[i] = outputs_[index(f.outputs[i])];
        inputs_[index(f.input)] = f.function(t, signals);
    }
}

std::span<double> SignalBus::signals_of(const FunctionLink& function) {
    const auto f = static_cast<std::size_t>(&function - functions_.data());
    return {signals_.data() + signal_begin_[f], signals_.data() + signal_begin_[f + 1]};
}

std::span<const Link> SignalBus::links_into(int s) const { return part(links_, link_begin_, s); }

std::span<const FunctionLink> SignalBus::functions_into(int s) const {
    return part(functions_, function_begin_, s);
}

}  // namespace tandem
