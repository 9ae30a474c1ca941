#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tandem/extend/index.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem {

/// input = gain * output + offset. Units and linear transformations are folded into gain, offset.
struct Link {
    int output = 0;  ///< index into SignalBus::outputs()
    int input = 0;   ///< index into SignalBus::inputs()
    double gain = 1.0;
    double offset = 0.0;
};

/// input = function(t, signals): a coupling function. `outputs` are the signals, in its order.
struct FunctionLink {
    int input = 0;
    std::vector<int> outputs;
    std::function<double(double t, std::span<const double> signals)> function;
};

/// Where the ports of each subsystem lie among those of all: one after the other, as listed.
class PortLayout {
public:
    explicit PortLayout(std::span<const std::unique_ptr<Subsystem>> subsystems);

    int outputs() const { return output_begin_.back(); }
    int inputs() const { return input_begin_.back(); }
    int output_begin(int s) const { return output_begin_[index(s)]; }
    int input_begin(int s) const { return input_begin_[index(s)]; }
    int subsystem_of_output(int output) const { return owner(output_begin_, output); }
    int subsystem_of_input(int input) const { return owner(input_begin_, input); }
    std::span<double> outputs_of(int s, std::span<double> all) const {
        return slice(all, output_begin_, s);
    }
    std::span<double> inputs_of(int s, std::span<double> all) const {
        return slice(all, input_begin_, s);
    }

    /// Of each subsystem the first one, and behind them all of them.
    std::span<const int> input_begins() const { return input_begin_; }

private:
    using Offsets = std::vector<int>;
    static std::span<double> slice(std::span<double> all, const Offsets& begin, int s) {
        return {all.data() + begin[index(s)], all.data() + begin[index(s) + 1]};
    }
    static int owner(const Offsets& begin, int position);

    Offsets output_begin_{0}, input_begin_{0};
};

/// The values of all connected real ports in two flat arrays, and the links between them.
///
/// Subsystem s owns one contiguous slice of `outputs()` and one of `inputs()`. It writes and
/// reads its slices in place, so a value is copied once on its way from output to input.
/// Inputs that no link feeds keep the value they were given.
class SignalBus {
public:
    SignalBus(PortLayout layout, std::vector<Link> links, std::vector<FunctionLink> functions);

    const PortLayout& layout() const { return layout_; }
    std::span<const Link> links() const { return links_; }
    std::span<const FunctionLink> functions() const { return functions_; }

    std::span<double> outputs() { return outputs_; }
    std::span<double> inputs() { return inputs_; }
    std::span<double> outputs_of(int s) { return layout_.outputs_of(s, outputs_); }
    std::span<double> inputs_of(int s) { return layout_.inputs_of(s, inputs_); }
    int output_begin(int s) const { return layout_.output_begin(s); }
    int input_begin(int s) const { return layout_.input_begin(s); }
    int subsystem_of_output(int output) const { return layout_.subsystem_of_output(output); }
    int subsystem_of_input(int input) const { return layout_.subsystem_of_input(input); }

    /// inputs <- links and functions of outputs, at time t; all of them, or those of subsystem s.
    void route(double t);
    void route_to(int s, double t);
    /// One input alone; for initialisation, not for every step.
    void route_input(int input, double t);
    /// Room for the signals of that function, which is one of functions().
    std::span<double> signals_of(const FunctionLink& function);
    /// What feeds the inputs of subsystem s.
    std::span<const Link> links_into(int s) const;
    std::span<const FunctionLink> functions_into(int s) const;
    bool is_fed(int s) const { return !links_into(s).empty() || !functions_into(s).empty(); }

private:
    void route(std::span<const Link> links);
    void evaluate(std::span<const FunctionLink> functions, double t);

    PortLayout layout_;
    std::vector<Link> links_;              // sorted by input: those into one subsystem are adjacent
    std::vector<FunctionLink> functions_;  // likewise
    std::vector<int> link_begin_, function_begin_;  // subsystem -> its first link, first function
    std::vector<double> outputs_, inputs_;
    std::vector<int> signal_begin_;  // function -> where its signals are gathered
    std::vector<double> signals_;  // each function has its own: they are evaluated on many threads
};

}  // namespace tandem
