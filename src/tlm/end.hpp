#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tandem/extend/subsystem.hpp"
#include "tlm/element.hpp"

namespace tandem::tlm {

/// How waves come to a subsystem, and what it sends.
enum class TlmExchange {
    sampled,     ///< held from communication point to communication point
    coarse,      ///< a straight line between them
    fine,        ///< a table of some points
    continuous,  ///< at every evaluation of the model; it sends after every internal step
};

/// As files and records name them: "sampled", "coarse", "fine", "law".
std::string_view to_string(TlmExchange exchange);
/// Of these names, and "intermediate", which is "law"; nothing for "auto".
std::optional<TlmExchange> exchange_named(std::string_view name);

/// How one end reads them.
struct TlmReading {
    TlmExchange exchange = TlmExchange::sampled;
    std::uint32_t samples = 10;  ///< of fine
};

/// Of a subsystem, unless they are cut short.
struct TlmSteps {
    double length = 0.0;
    double macro = 0.0;  ///< from one communication point to the next; no more is taken back
    bool has_events = false;
};

/// The ports of one end, by their numbers in their subsystem.
struct TlmPorts {
    std::vector<int> flows;             ///< outputs, one for each component
    std::vector<int> efforts;           ///< inputs likewise; or they take waves
    bool takes_waves = false;           ///< the subsystem computes the effort itself
    std::vector<int> orientation = {};  ///< nine outputs, row by row, if moments turn
    std::vector<int> times = {};        ///< inputs that take a table: the times of waves ...
    std::vector<int> points = {};       ///< ... and their values; of one component
    int slope = -1;                     ///< input that takes the slope of the wave
    std::array<double, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< of its frame, row by row
};

/// One end of a transmission line, beside the subsystem that it belongs to.
///
/// What arrives inside a step is known before it, because it was sent a delay ago. Moments are kept
/// as the receiver will see them in a frame that turns with it.
class alignas(64) TlmEnd {
public:
    static constexpr std::size_t most_components = 6;
    using Vector = std::array<double, most_components>;

    TlmEnd(std::shared_ptr<TlmElement> element, int end, TlmPorts ports, TlmReading reading);

    const TlmElement& element() const { return *element_; }
    const TlmPorts& ports() const { return ports_; }
    TlmExchange exchange() const { return reading_.exchange; }

    /// `splits_jumps`: steps may end before a jump.
    void prepare(const TlmSteps& steps, bool splits_jumps, bool has_dense_trace = false);
    /// Before a step that may be shorter than expected, while no other is under way.
    void make_room();
    /// The efforts that the initialisation begins with.
    void put_preload(std::span<double> inputs) const;
    /// The line is as it should be at the start, where the subsystem has these outputs.
    void start(double t, std::span<const double> outputs);

    /// Asks for the memory that the next step needs: with many lines it is far away, and subsystems
    /// with several ends wait but once.
    void prefetch() const {
        for (const DelayLine& line : element_->lines) __builtin_prefetch(&line);
        __builtin_prefetch(&now_);
        __builtin_prefetch(&now_.components[0].wave);
    }
    /// Reads what will arrive. Throws NumericsError if that was not sent yet. Where it jumps at the
    /// end of the step, that is what is on this side; before, only if no flow jumps with it.
    using Side = DelayLine::Side;
    void begin_step(Interval interval, Side end_side);
    /// What the subsystem takes at t inside the step, if these are its outputs there.
    void put(Instant instant, std::span<const double> outputs, std::span<double> inputs) const;
    /// What it takes at the end of the step, where these are its outputs.
    void put_end(std::span<const double> outputs, std::span<double> inputs) const;
    /// What it takes between steps.
    void put_now(std::span<double> inputs) const;
    /// What it takes at the start of the step, with slopes; the flow there is held over the step.
    /// `slopes` may be empty.
    void put_line(std::span<double> inputs, std::span<double> slopes);
    /// The subsystem has come to the end of the step; what arrives is no longer shifted.
    void reach_end();
    /// What arrives jumps at the end of the step, or a flow does with what arrives elsewhere; the
    /// step itself has what is before that.
    bool jumps() const { return jumps_; }
    void expect_jump() { jumps_ = true; }
    /// The step has come to its end with these outputs, and through those of `trace`. Sends, unless
    /// something jumps there.
    void end_step(std::span<const double> outputs, const OutputTrace* trace);
    /// From now on what has arrived is what is behind the jump.
    void go_behind_jump();
    /// Behind it, the subsystem has these outputs. Sends the jump. `missed`: by components, how
    /// much of the integral of the flow straight lines between rows will miss of what the flow
    /// makes of it; null: unknown, the jump is sent as its mean.
    void end_jump(std::span<const double> outputs, const Vector* missed);
    /// The same where nothing jumps that arrives: the next row brings what would be missed.
    void owe(const Vector& missed);
    /// Between two steps an event led to these outputs.
    void take_flow(std::span<const double> outputs);
    /// From one row to the next that is sent.
    double row_spacing() const;
    /// The first time after t inside the step under way that solvers should stop at, or infinity.
    double next_stop(double t) const;
    /// Before the first step.
    bool starts_with_jump() const {
        return element_->lines[end_ == 0 ? 0 : 1].may_jump_since(now_.now);
    }

    /// The run is over: brings the account of energy up to date.
    void finish();

    /// A component, with all that a step needs of it side by side.
    struct Component {
        double impedance = 0.0, effort_by_flow = 0.0;
        double power_by_square = 0.0;  ///< of a wave: 1 / (4 Z)
        int flow_port = -1, effort_port = -1;
        double wave = 0.0;                ///< what has arrived
        double flow = 0.0, effort = 0.0;  ///< inside a step what the subsystem felt
        double sent = 0.0;
        double next_wave = 0.0;     ///< what will have arrived when the step under way ends
        double effort_slope = 0.0;  ///< in that step, if flows are held
        double shift = 0.0;         ///< in that step, so that the line has the mean of what arrives
        double impulse = 0.0;       ///< that the next row brings besides
        double owed = 0.0;          ///< impulse that rows since the first jump have missed
    };
    /// What else belongs to a point to return to.
    struct Saved {
        double now = 0.0;
        double sent_at = 0.0;  ///< the last row
        double sent_energy = 0.0, put_in = 0.0, taken_out = 0.0;
        std::array<Component, most_components> components = {};
        std::array<double, 4> attitude = {1, 0, 0, 0};
        std::size_t rows = 0;           ///< that were sent until then
        bool has_jumped = false;        ///< something, at any time: rows are even from then on
        bool flow_has_jumped = false;   ///< since the last row
        bool is_resolved = true;        ///< what is behind jumps
        std::uint32_t reflections = 0;  ///< of jumps that stayed jumps, although the flow followed
        double last_jump = 0.0;         ///< of what is sent
        double jumped_at = 0.0;         ///< what arrives, for the last time
        TlmBalance balance;
    };
    void save(Saved& saved) const;
    void restore(const Saved& saved);

    /// How fast what arrives changes, and what a flow adds to an effort; for linear models.
    Vector slope_of_waves() const;
    double effort_by_flow(std::size_t component) const {
        return now_.components[component].effort_by_flow;
    }

private:
    using Attitude = std::array<double, 4>;
    /// What a row has of waves.
    struct Sent {
        Vector waves;
        Vector received;  ///< with damping
    };
    /// Lines of one component, of which there may be thousands, have no loops and nothing that
    /// turns: `single`.
    bool is_single() const { return components_ == 1; }
    template <bool single>
    std::size_t count() const {
        return single ? 1 : components_;
    }
    /// True: it jumps just there, and this is what is before that.
    template <bool single>
    bool receive(Instant instant, Vector& wave, Side side = Side::behind) const;
    bool receive_changed(Instant sent, Vector& wave, Side side) const;
    bool read(const DelayLine& line, Instant instant, std::span<double> row, Side side) const;
    template <bool single>
    void read_end(Side side);
    template <bool single>
    void wave_inside(Instant instant, Vector& wave) const;
    /// From the frame of the subsystem to that of the system, or back.
    template <bool single>
    void rotate(Vector& vector, bool back) const {
        if (!single && has_frame_) rotate_parts(vector, back);
    }
    void rotate_parts(Vector& vector, bool back) const;
    /// Moments, from a frame that turns with the subsystem.
    template <bool single>
    void turn(Vector& wave) const {
        if (!single && turns_) turn_moments(wave, now_.attitude);
    }
    static void turn_moments(Vector& wave, const Attitude& attitude);
    static void turn_back(Vector& wave, const Attitude& attitude);
    Attitude attitude_of(std::span<const double> outputs) const;
    template <bool single>
    void take(double Component::*value, Vector& values) const;
    template <bool single>
    void find_flow(std::span<const double> outputs, Vector& flow) const;
    template <bool single>
    void put_components(Vector& values, std::span<double> inputs) const;
    template <bool single>
    void put_wave(Vector& wave, std::span<const double> outputs, std::span<double> inputs) const;
    template <bool single>
    void put_now(std::span<double> inputs) const;
    template <bool single>
    void put_line(std::span<double> inputs, std::span<double> slopes);
    template <bool single>
    void pass(double t, std::span<const double> outputs, bool sends);
    template <bool single>
    void send(double t, const Sent& sent);
    void find_sent(double Component::*wave, Sent& sent) const;
    // tlm_end_jumps.cpp
    /// Of a step, where something has jumped and the subsystem tells what it did inside: rows of
    /// both ends are then at the same places of the wave, and none is lost between two others.
    static constexpr double even_part = 1.0 / 16.0;
    bool may_jump_since(double t) const;
    bool jumps_within(Interval interval) const;
    double just_behind(double t) const { return element_->lines[0].just_behind(t); }
    void find_mean(Interval interval, Vector& mean) const;
    void meet_jumps(Side end_side);
    void find_correction(double t);
    void send_begin();
    void find_mean_row(Sent& behind);
    void look_at_shift(const Vector& shift);
    bool is_resolved(const Sent& behind, const Vector& impulse);
    bool sends_inside() const;
    double place_width() const;
    enum class Row { none, smooth, jump };
    Row row_at(const OutputTrace& trace, std::size_t k) const;
    bool flow_jumps(std::span<const double> before, std::span<const double> behind) const;
    template <bool single>
    void send_step(std::span<const double> outputs, const OutputTrace* trace);
    double near_end() const;
    void put_table(std::span<double> inputs) const;
    void fill_table();
    void hold_table();

    // What every step needs comes first: lines are many where speed matters.
    std::shared_ptr<TlmElement> element_;
    std::uint32_t components_ = 0;
    int end_ = 0;
    bool is_held_ = false;  // in the step under way flows inside it do not count
    bool jumps_ = false;    // what arrives at its end
    bool turns_ = false, is_damped_ = false, takes_waves_ = false, takes_slope_ = false;
    bool has_frame_ = false;  // other than that of the system
    TlmReading reading_;
    double sign_ = 1.0, delay_ = 0.0;
    Interval interval_;
    double next_check_ = 0.0;
    TlmElement::Layout at_;
    Saved now_;
    double spacing_ = 0.0;
    double kept_span_ = 0.0;     // how long rows are needed
    std::size_t step_rows_ = 0;  // at most, of a macro step
    TlmPorts ports_;
    bool has_dense_trace_ = false;
    Sent before_{};        // what is sent before a jump
    Vector correction_{};  // of the waves of a row
    std::vector<double> table_times_, table_;
    mutable std::vector<double> own_row_;
};

}  // namespace tandem::tlm
