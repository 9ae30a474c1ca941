#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tandem/extend/cost_meter.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/signal_bus.hpp"
#include "tandem/extend/step_schedule.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem {

/// All subsystems of a run, with their signals.
class System : public SignalBus {
public:
    System(std::vector<std::unique_ptr<Subsystem>> subsystems, std::vector<Link> links,
           std::vector<FunctionLink> functions = {});

    int size() const { return static_cast<int>(subsystems_.size()); }
    Subsystem& at(int s) { return *subsystems_[index(s)]; }
    const Subsystem& at(int s) const { return *subsystems_[index(s)]; }
    const Port& input_port(int input) const {
        const int s = subsystem_of_input(input);
        return at(s).interface().inputs[index(input - input_begin(s))];
    }
    const Port& output_port(int output) const {
        const int s = subsystem_of_output(output);
        return at(s).interface().outputs[index(output - output_begin(s))];
    }

    /// Steps subsystem s with that course and, if it completes, reads its outputs.
    StepResult step(int s, Interval interval, const InputCourse& course);
    void read_outputs(int s) { at(s).get_outputs(outputs_of(s)); }
    void save(StateSlot slot);
    void restore(StateSlot slot);
    /// Brings subsystem s back to its trial slot, to repeat its step; `on_restart` hears of it.
    void restart(int s) {
        at(s).restore(StateSlot::trial);
        if (on_restart_) on_restart_(s);
    }
    void on_restart(std::function<void(int s)> listener) { on_restart_ = std::move(listener); }
    /// The subsystem whose step did not complete, as the coupling says.
    int last_stopped() const { return last_stopped_; }
    void note_stopped(int s) { last_stopped_ = s; }

    /// Hands subsystem s what is not a connected real port, from what its sources say now. Does
    /// nothing unless the run has said how. True if anything changed.
    bool exchange_discrete_inputs(int s) { return discrete_exchange_ && discrete_exchange_(s); }
    void set_discrete_exchange(std::function<bool(int s)> exchange) {
        discrete_exchange_ = std::move(exchange);
    }

    /// While on, last_inputs() has what the inputs came to at the end of the last step of each
    /// subsystem.
    void watch_inputs(bool on);
    std::span<const double> last_inputs() const { return last_inputs_; }

    /// Subsystem -> subsystem, one edge where any output of one feeds an input of the other.
    numerics::Graph subsystem_graph() const;
    /// The same, with what flows beside the links: values that are not real ports.
    numerics::Graph flow_graph() const;

    StepSchedule& schedule() { return schedule_; }
    const StepSchedule& schedule() const { return schedule_; }
    CostMeter& costs() { return costs_; }
    const CostMeter& costs() const { return costs_; }

private:
    std::vector<std::pair<int, int>> real_flows() const;
    void keep_inputs(int s, Interval interval, const InputCourse& course);

    std::vector<std::unique_ptr<Subsystem>> subsystems_;
    StepSchedule schedule_;
    CostMeter costs_;
    int last_stopped_ = 0;
    std::function<bool(int s)> discrete_exchange_;
    std::function<void(int s)> on_restart_;
    std::vector<double> last_inputs_;  // empty unless they are watched
};

}  // namespace tandem
