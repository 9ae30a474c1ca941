#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/model.hpp"

namespace tandem::kit {

/// Elements [first, first + count) of one record.
struct Slot {
    std::size_t record = 0;
    std::size_t first = 0;
    std::size_t count = 1;
};

struct EngineOptions {
    std::function<void(int level, const std::string& text)> log;
    std::string resources;
    /// The environment ticks the periodic clocks; otherwise the engine does, by time events.
    bool external_clocks = false;
    /// The environment calls the step function; otherwise the engine does, by time events.
    bool external_steps = false;
};

struct Update {
    bool again = false;
    bool terminate = false;
    bool states_changed = false;
    std::optional<double> next_event_time{};
};

/// One model object and everything that is the same wherever it runs: evaluation when needed and
/// only then, events, clocks, saving, sensitivities. Exceptions of the model pass through.
class Engine {
public:
    Engine(const ModelClass& model_class, EngineOptions options);

    Model& model() { return *model_; }
    const ModelClass& model_class() const { return class_; }
    std::vector<Record>& records() { return *records_; }
    /// Another number whenever values may have moved in memory.
    std::size_t layout() const { return layout_; }
    /// Back to the moment after construction, with a new model object.
    void reset();

    std::size_t state_count() const { return states_.size(); }
    std::size_t indicator_count() const;
    void get_states(std::span<double> x) const;
    void set_states(std::span<const double> x);
    void get_nominals(std::span<double> nominals) const;

    double time() const;
    void set_time(double time);
    /// A value was changed from outside: what was computed is out of date.
    void touch();
    /// The same after inputs; what outputs() computed may stay if they do not act on it.
    void touch_inputs(bool affect_outputs);
    /// Whether an output may depend on this record.
    bool affects_outputs(std::size_t record) const { return affects_outputs_[record] != 0; }
    /// Sizes every array by the structural parameters.
    void apply_structure();

    void enter_initialisation(double start);
    void exit_initialisation();
    bool is_initialising() const { return phase_ == Phase::initialising; }
    bool is_running() const { return phase_ == Phase::running; }

    void get_derivatives(std::span<double> dx);
    void get_indicators(std::span<double> z);
    /// Computes what a variable with this role shows.
    void refresh(Role role);

    Update update();
    /// True: the model asks for an event now.
    bool completed_step();
    bool terminate_requested() const;
    double next_event_time() const;
    bool time_event_has_come() const;
    /// The step function over [t, t + h].
    void step(double t, double h);

    void save(std::vector<std::byte>& bytes) const;
    void restore(std::span<const std::byte> bytes);

    /// sensitivity = d(unknowns)/d(knowns) * seed; exact where the model gives it, else by central
    /// differences.
    void directional_derivative(std::span<const Slot> unknowns, std::span<const Slot> knowns,
                                std::span<const double> seed, std::span<double> sensitivity);
    /// dy/dt along the solution, with inputs changing at the rates d_inputs.
    void time_derivative(std::span<const Slot> unknowns, std::span<const Slot> inputs,
                         std::span<const double> d_inputs, std::span<double> result);

private:
    enum class Phase { instantiated, initialising, running };
    void build();
    void index_states();
    void tick_clocks(bool due);
    void find_what_affects_outputs();
    void refresh_outputs();
    void refresh_derivatives();
    bool exact_suits(std::span<const Slot> unknowns, std::span<const Slot> knowns) const;
    void exact_derivative(std::span<const Slot> unknowns, std::span<const Slot> knowns,
                          std::span<const double> seed, std::span<double> sensitivity);
    void add_slopes_in_time(std::span<const Slot> unknowns, double width, std::span<double> result);
    void difference(std::span<const Slot> unknowns, std::span<const Slot> knowns,
                    std::span<const double> seed, std::span<double> sensitivity);
    void read(std::span<const Slot> slots, std::span<double> values);
    void write(std::span<const Slot> slots, std::span<const double> values);
    double scale(std::span<const Slot> slots, std::span<const double> seed) const;

    const ModelClass& class_;
    EngineOptions options_;
    std::unique_ptr<Model> model_;
    std::vector<Record>* records_ = nullptr;
    std::vector<double*> states_;
    std::vector<double*> derivatives_;
    std::vector<double> nominals_;
    std::vector<char> affects_outputs_;  ///< of each record
    std::vector<std::size_t> offsets_;   ///< of each record in seeds_
    std::size_t layout_ = 0;
    Phase phase_ = Phase::instantiated;
    bool initialised_ = false;
    bool outputs_first_ = false;
    bool derivatives_valid_ = false, outputs_valid_ = false, jacobian_valid_ = false;
    double start_ = 0.0;
    std::vector<double> ticks_;  ///< how often each periodic clock (by record) has ticked
    double steps_ = 0.0;         ///< how often the step function has been called by time events
    Jacobian jacobian_;
    std::vector<double> seeds_, results_, before_;
};

}  // namespace tandem::kit
