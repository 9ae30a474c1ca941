#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/kinked.hpp"
#include "core/rounded_time.hpp"
#include "numerics/fixed_point.hpp"
#include "tandem/extend/subsystem.hpp"
#include "tlm/end.hpp"

namespace tandem::tlm {

/// A subsystem at the ends of transmission lines. To couplings it is a subsystem like others: what
/// lines bring inside a step was sent before it, and is its own affair. The inputs that lines feed
/// are still among its inputs; what couplings give for them does not count.
class TlmSubsystem final : public Subsystem,
                           public Rollback,
                           public Tracer,
                           public LawHost,
                           public Linearisable {
public:
    TlmSubsystem(std::unique_ptr<Subsystem> inner, std::vector<TlmEnd> ends);
    /// Before the initialisation.
    void expect_steps(const TlmSteps& steps);
    /// As of its ends.
    void make_room();

    /// Whether it can be told waves inside a step.
    static bool follows_waves(const Capabilities& can) {
        return can.laws && (can.law_outputs || can.linear_model);
    }
    /// The most that a subsystem can do.
    static TlmExchange best(const Capabilities& can, const TlmPorts& ports);

    const std::string& name() const override { return inner_->name(); }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return inner_->variables(); }
    /// What an end touches, as far as a linear model shows it, by the component in which the line
    /// weighs most against it. After the initialisation.
    struct Touched {
        const TlmEnd* end = nullptr;
        double own = 0.0;      ///< inertia of the line
        double inertia = 0.0;  ///< of the subsystem, effort by rate of the flow
    };
    std::vector<Touched> touched_inertias();

    void enter_initialisation(const Experiment& experiment) override;
    void exit_initialisation() override;
    void finish() override;
    void set_inputs(const InputCourse& course) override;
    StepResult step(Interval interval) override;
    StepResult exchange_step(const InputCourse& course, Interval interval,
                             std::span<double> outputs) override;
    void get_outputs(std::span<double> outputs) override { inner_->get_outputs(outputs); }
    bool get_output_derivatives(int order, std::span<double> derivatives) override {
        return inner_->get_output_derivatives(order, derivatives);
    }
    void keep_trace(bool on) override { inner_->keep_trace(on || keeps_trace_); }
    const OutputTrace& trace() const override { return inner_->trace(); }
    void expect_law(std::span<const double> nominals) override { inner_->expect_law(nominals); }
    void get_inputs(std::span<double> inputs) override { inner_->get_inputs(inputs); }
    void save(StateSlot slot) override;
    void restore(StateSlot slot) override;
    void release(StateSlot slot) override { inner_->release(slot); }
    void jacobian_times(std::span<const double> d_inputs, std::span<double> d_outputs) override {
        inner_->jacobian_times(d_inputs, d_outputs);
    }
    /// With what lines answer to flows.
    void linearise(LinearModel& model, LinearParts parts) override;

private:
    /// Inputs inside a step: what couplings say, and what lines bring.
    class StepLaw final : public Law, public Kinked, public RoundedTime {
    public:
        explicit StepLaw(TlmSubsystem& owner) : owner_(owner) {}
        void evaluate(const LawPoint& point, std::span<double> inputs) const override;
        int state_count() const override;
        void start(std::span<double> own) const override;
        void rates(const LawPoint& point, std::span<const double> state_rates,
                   std::span<double> own_rates) const override;
        double next_kink(double t) const override;

        void put(const LawPoint& point, std::span<double> inputs) const;

    private:
        void outputs_at(const LawPoint& point, std::span<const double> inputs) const;
        void solve(const LawPoint& point, std::span<double> inputs) const;
        TlmSubsystem& owner_;
    };
    /// Efforts that flows follow within the instant: effort = wave + Z flow(effort).
    class DirectEfforts;
    class EffortsNow;

    void describe();
    void how_to_exchange();
    void find_direct_inputs();
    void keep(const InputCourse& course);
    InputCourse kept() const;
    /// In the step under way; otherwise values and slopes are given at its start.
    bool is_law() const { return uses_law_ || law_ != nullptr; }
    InputCourse step_course(Interval interval);
    void end_course(Interval interval);
    void end_values(Interval interval);
    void go_behind_jump(Interval interval);
    StepResult react(Interval instant);
    void owe_start();
    void end_jump(double t);
    bool can_linearise(double t) const;
    bool can_tell_missed(const TlmEnd& end) const;
    void find_rate_jumps();
    void find_rates(std::span<const double> states, std::span<double> rates) const;
    TlmEnd::Vector missed_at(const TlmEnd& end) const;
    void solve_efforts(numerics::FixedPointProblem& problem, double t);
    void add_answers(LinearModel& model, LinearParts parts, const TlmEnd& end);

    std::unique_ptr<Subsystem> inner_;
    std::vector<TlmEnd> ends_;
    bool uses_law_ = false, keeps_trace_ = false, needs_flows_ = false;
    bool takes_slopes_ = false;
    /// Within the instant, what lines bring.
    bool flows_follow_ = false;
    /// Steps end before what arrives jumps; not where flows follow it and cannot be asked for.
    bool splits_jumps_ = false;
    bool is_initialised_ = false;
    double start_ = 0.0, stop_ = 0.0, time_ = 0.0, begin_ = 0.0;
    int order_ = 0;
    const Law* law_ = nullptr;  // of the coupling
    std::vector<double> values_, derivatives_, outputs_;
    Interface interface_;
    std::vector<int> direct_;  // inputs fed by lines whose flows follow them within the instant
    std::vector<double> direct_efforts_;
    std::unique_ptr<numerics::FixedPointSolver> direct_solver_;
    LinearModel linear_;  // at the start of the step, where it tells flows inside
    std::vector<double> first_outputs_;
    std::vector<double> inputs_before_;  // a jump
    /// By a jump: of the rates of the states, and of their second and third derivatives.
    std::array<std::vector<double>, 3> rate_jumps_;
    struct Saved {
        double time = 0.0, begin = 0.0;
        std::vector<TlmEnd::Saved> ends;
        std::vector<double> values, derivatives;
        int order = 0;
        const Law* law = nullptr;
    };
    std::array<Saved, state_slot_count> slots_;
    StepLaw step_law_{*this};
};

}  // namespace tandem::tlm
