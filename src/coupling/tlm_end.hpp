#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/subsystem.hpp"
#include "coupling/tlm_element.hpp"

namespace tandem::coupling {

/// How waves come to a subsystem, and what it sends.
enum class TlmExchange {
    sampled,     ///< held from communication point to communication point
    coarse,      ///< a straight line between them
    fine,        ///< a table of some points
    continuous,  ///< at every evaluation of the model; it sends after every internal step
};

/// How one end reads them.
struct TlmReading {
    TlmExchange exchange = TlmExchange::sampled;
    std::size_t samples = 10;  ///< of fine
};

/// Of a subsystem. There is room for what steps of the shortest length send in some delays.
struct TlmSteps {
    double longest = 0.0, shortest = 0.0;
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
class TlmEnd {
public:
    static constexpr std::size_t most_components = 6;
    using Vector = std::array<double, most_components>;

    TlmEnd(std::shared_ptr<TlmElement> element, int end, TlmPorts ports, TlmReading reading);

    const TlmElement& element() const { return *element_; }
    const TlmPorts& ports() const { return ports_; }
    TlmExchange exchange() const { return reading_.exchange; }

    void prepare(const TlmSteps& steps);
    /// The efforts that the initialisation begins with.
    void put_preload(std::span<double> inputs) const;
    /// The line is as it should be at the start, where the subsystem has these outputs.
    void start(double t, std::span<const double> outputs);

    /// Reads what will arrive. Throws NumericsError if that was not sent yet.
    void begin_step(Interval interval);
    /// What the subsystem takes at t inside the step, if these are its outputs there.
    void put(double t, std::span<const double> outputs, std::span<double> inputs) const;
    /// What it takes at the end of the step, where these are its outputs.
    void put_end(std::span<const double> outputs, std::span<double> inputs) const;
    /// What it takes between steps.
    void put_now(std::span<double> inputs) const;
    /// What it takes at the begin of the step, with slopes; the flow there is held over the step.
    /// `slopes` may be empty.
    void put_line(std::span<double> inputs, std::span<double> slopes);
    /// The step has come to its end with these outputs. Sends; rows inside of `trace` as well.
    void end_step(std::span<const double> outputs, const OutputTrace* trace);

    /// What else belongs to a point to return to.
    struct Saved {
        double now = 0.0;
        Vector wave = {}, flow = {}, sent = {};
        double power = 0.0, sent_energy = 0.0, put_in = 0.0, taken_out = 0.0;
        std::array<double, 4> attitude = {1, 0, 0, 0};
    };
    Saved save() const { return now_; }
    void restore(const Saved& saved);

    /// How fast what arrives changes, and what a flow adds to an effort; for linear models.
    Vector slope_of_waves() const;
    double effort_by_flow(std::size_t component) const;

private:
    Vector received(double t) const;
    void read(const DelayLine& line, double t, std::span<double> row) const;
    Vector wave(double t) const;
    void put_wave(const Vector& wave, std::span<const double> outputs,
                  std::span<double> inputs) const;
    void rotate_all(Vector& vector, bool back) const;
    Vector effort_of(Vector arrived, const Vector& flow) const;
    Vector turned(Vector wave, const std::array<double, 4>& attitude) const;
    Vector flow_of(std::span<const double> outputs) const;
    std::array<double, 4> attitude_of(std::span<const double> outputs) const;
    void put_components(Vector values, std::span<double> inputs) const;
    void put_table(std::span<double> inputs) const;
    void send(double t, std::span<const double> outputs);
    void check_balance(double t);
    double applied_effort(double t, std::size_t component, double arrived) const;
    std::size_t components() const { return element_->components(); }

    std::shared_ptr<TlmElement> element_;
    int end_ = 0;
    TlmPorts ports_;
    TlmReading reading_;
    TlmElement::Layout at_;
    bool is_held_ = false;    // in the step under way flows inside it do not count
    bool has_frame_ = false;  // other than that of the system
    double start_ = 0.0, next_check_ = 0.0, spacing_ = 0.0;
    Interval interval_;
    Saved now_;
    Vector next_wave_ = {};
    Vector held_effort_ = {}, effort_slope_ = {};
    std::vector<double> table_times_, table_;
    std::vector<double> row_;
    mutable std::vector<double> own_row_;
};

}  // namespace tandem::coupling
