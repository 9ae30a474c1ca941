#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tandem/extend/executor.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/index.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem {

/// input = gain * output + offset. Units and linear transformations are folded into gain, offset.
struct Link {
    int output = 0;  ///< index into System::outputs()
    int input = 0;   ///< index into System::inputs()
    double gain = 1.0;
    double offset = 0.0;
};

/// input = function(t, signals): a coupling function. `outputs` are the signals, in its order.
struct FunctionLink {
    int input = 0;
    std::vector<int> outputs;
    std::function<double(double t, std::span<const double> signals)> function;
};

/// All subsystems of a run, their values in two flat arrays, and the links between them.
///
/// Subsystem s owns one contiguous slice of `outputs()` and one of `inputs()`. It writes and
/// reads its slices in place, so a value is copied once on its way from output to input.
/// Inputs that no link feeds keep the value they were given.
class System {
public:
    System(std::vector<std::unique_ptr<Subsystem>> subsystems, std::vector<Link> links,
           std::vector<FunctionLink> functions = {});

    int size() const { return static_cast<int>(subsystems_.size()); }
    Subsystem& at(int s) { return *subsystems_[index(s)]; }
    const Subsystem& at(int s) const { return *subsystems_[index(s)]; }
    std::span<const Link> links() const { return links_; }
    std::span<const FunctionLink> functions() const { return functions_; }

    std::span<double> outputs() { return outputs_; }
    std::span<double> inputs() { return inputs_; }
    std::span<double> outputs_of(int s) { return slice(outputs_, output_begin_, s); }
    std::span<double> inputs_of(int s) { return slice(inputs_, input_begin_, s); }
    int output_begin(int s) const { return output_begin_[index(s)]; }
    int input_begin(int s) const { return input_begin_[index(s)]; }
    const Port& input_port(int input) const {
        const int s = subsystem_of_input(input);
        return at(s).interface().inputs[index(input - input_begin(s))];
    }
    const Port& output_port(int output) const {
        const int s = subsystem_of_output(output);
        return at(s).interface().outputs[index(output - output_begin(s))];
    }
    int subsystem_of_output(int output) const { return owner(output_begin_, output); }
    int subsystem_of_input(int input) const { return owner(input_begin_, input); }

    /// inputs <- links and functions of outputs, at time t; all of them, or those of subsystem s.
    void route(double t);
    void route_to(int s, double t);
    /// Hands subsystem s what is not a connected real port, from what its sources say now. Does
    /// nothing unless the run has said how.
    /// True if anything changed.
    bool exchange_discrete_inputs(int s) { return discrete_exchange_ && discrete_exchange_(s); }
    void set_discrete_exchange(std::function<bool(int s)> carrier) {
        discrete_exchange_ = std::move(carrier);
    }
    /// Brings subsystem s back to its trial slot, to repeat its step; `on_restart` hears of it.
    void restart(int s) {
        at(s).restore(StateSlot::trial);
        if (on_restart_) on_restart_(s);
    }
    void on_restart(std::function<void(int s)> listener) { on_restart_ = std::move(listener); }
    /// One input alone; for initialisation, not for every step.
    void route_input(int input, double t);
    /// Room for the signals of that function, which is one of functions().
    std::span<double> signals_of(const FunctionLink& function);
    /// What feeds the inputs of subsystem s.
    std::span<const Link> links_into(int s) const;
    std::span<const FunctionLink> functions_into(int s) const;
    bool is_fed(int s) const { return !links_into(s).empty() || !functions_into(s).empty(); }

    /// Steps subsystem s with that course and, if it completes, reads its outputs.
    StepResult step(int s, Interval interval, const InputCourse& course);
    /// The subsystem whose step did not complete, as the coupling says.
    int last_stopped() const { return last_stopped_; }
    void note_stopped(int s) { last_stopped_ = s; }
    void read_outputs(int s) { at(s).get_outputs(outputs_of(s)); }
    void save(StateSlot slot);
    void restore(StateSlot slot);

    /// While on, the time of each step is added up per subsystem. Reading the clock costs more than
    /// a cheap step, so the run measures a sample of its steps only.
    void measure(bool on) { measures_ = on; }
    struct Cost {
        long steps = 0;
        long timed = 0;        ///< of them
        double seconds = 0.0;  ///< of those
    };
    const Cost& cost(int s) const { return costs_[index(s)]; }

    /// While on, last_inputs() has what the inputs came to at the end of the last step of each
    /// subsystem.
    void watch_inputs(bool on);
    std::span<const double> last_inputs() const { return last_inputs_; }

    /// Subsystem -> subsystem, one edge where any output of one feeds an input of the other.
    numerics::Graph subsystem_graph() const;
    /// The same, with what flows beside the links: values that are not real ports.
    numerics::Graph flow_graph() const;
    void set_other_flows(std::vector<std::pair<int, int>> from_to) {
        other_flows_ = std::move(from_to);
    }

    /// What flows with a delay, apart from links: what `to` does until t depends on what `from` did
    /// until t - delay.
    struct DelayedFlow {
        int from = 0, to = 0;
        double delay = 0.0;
    };
    std::span<const DelayedFlow> delayed_flows() const { return delayed_flows_; }
    void set_delayed_flows(std::vector<DelayedFlow> flows) { delayed_flows_ = std::move(flows); }

    /// What runs the steps of several subsystems; in the order of their tasks unless set.
    Executor& executor() { return *executor_; }
    const Executor& executor() const { return *executor_; }
    void set_executor(std::unique_ptr<Executor> executor) { executor_ = std::move(executor); }
    /// For each subsystem, numbers from 0 of what only one subsystem may use at a time.
    void set_shared(std::vector<std::vector<int>> shared) { shared_ = std::move(shared); }
    /// What a task that steps these subsystems uses, for a TaskGraph. With `carries`, it also
    /// calls exchange_discrete_inputs() for them.
    std::vector<int> resources_of(std::span<const int> subsystems, bool carries) const;

private:
    using Offsets = std::vector<int>;
    static std::span<double> slice(std::vector<double>& values, const Offsets& begin, int s) {
        return {values.data() + begin[index(s)], values.data() + begin[index(s) + 1]};
    }
    std::vector<std::pair<int, int>> real_flows() const;
    void keep_inputs(int s, Interval interval, const InputCourse& course);
    static int owner(const Offsets& begin, int position);
    void route(std::span<const Link> links);
    void evaluate(std::span<const FunctionLink> functions, double t);

    std::unique_ptr<Executor> executor_ = make_serial_executor();
    std::vector<std::unique_ptr<Subsystem>> subsystems_;
    std::vector<Link> links_;              // sorted by input: those into one subsystem are adjacent
    std::vector<FunctionLink> functions_;  // likewise
    Offsets link_begin_, function_begin_;  // subsystem -> its first link, its first function
    Offsets output_begin_, input_begin_;
    std::vector<double> outputs_, inputs_;
    Offsets signal_begin_;         // function -> where its signals are gathered
    std::vector<double> signals_;  // each function has its own: they are evaluated on many threads
    int last_stopped_ = 0;
    std::function<bool(int s)> discrete_exchange_;
    std::function<void(int s)> on_restart_;
    std::vector<std::vector<int>> shared_;
    std::vector<std::pair<int, int>> other_flows_;
    std::vector<DelayedFlow> delayed_flows_;
    bool measures_ = false;
    std::vector<double> last_inputs_;  // empty unless they are watched
    std::vector<Cost> costs_;
};

}  // namespace tandem
