#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/scales.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::ode {

/// Which entries (row, column) of a block may be nonzero. Without `entries`: all of them.
struct Pattern {
    std::optional<std::vector<std::pair<int, int>>> entries;
};

/// d(dx)/dx, d(dx)/du, dy/dx, dy/du
enum class JacobianBlock { a, b, c, d };

/// Sizes, names, nominals and structure of an OdeModel; fixed after initialisation (nominals
/// aside).
struct OdeShape {
    std::vector<Port> states;
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    std::vector<double> absolute_tolerances = {};  ///< given for states; 0 or missing: none
    int indicators = 0;
    Pattern a, b, c, d;               ///< d(dx)/dx, d(dx)/du, dy/dx, dy/du
    bool exact_jacobian = false;      ///< jacobian_times() works
    bool assembles_jacobian = false;  ///< jacobian_entries() works
    bool constant_jacobian = false;   ///< all four blocks stay as they are after initialisation
    bool needs_completed_step = false;
    bool has_events = true;      ///< false: neither indicators, time events nor step events
    bool can_save = false;       ///< save() and restore() work
    bool can_serialise = false;  ///< serialise() and deserialise() work
};

/// Puts nominals and absolute tolerances into the shape. Returns the nominals that are given for
/// states; 0: as the model says.
std::vector<double> take_scales(const Scales& scales, OdeShape& shape);

/// A point of evaluation.
struct OdePoint {
    double t = 0.0;
    std::span<const double> x;
    std::span<const double> u;
};

struct EventUpdate {
    bool again = false;  ///< another update is needed before time may go on
    bool terminate = false;
    bool states_changed = false;
    bool nominals_changed = false;
    std::optional<double> next_event_time = std::nullopt;
};

struct CompletedStep {
    bool enter_event_mode = false;
    bool terminate = false;
};

/// An ordinary differential equation with inputs, outputs and events:
///   dx = f(t, x, u),   y = g(t, x, u),   events where an indicator z(t, x, u) changes its sign.
/// An ME FMU is one; a native model is one; a group of them is one.
///
/// Life: enter_initialisation, exit_initialisation (it then is in event mode) -> update_discrete
/// until not `again` -> enter_continuous_mode -> evaluations and completed_step ->
/// enter_event_mode -> ... -> finish.
/// Evaluations return false when the point cannot be evaluated (a shorter step may help).
class OdeModel {
public:
    virtual ~OdeModel() = default;

    virtual const std::string& name() const = 0;
    virtual const OdeShape& shape() const = 0;
    virtual Variables& variables() = 0;

    /// Before initialisation, as for a Subsystem: other inputs and outputs leave the shape.
    virtual void select_ports(const PortSelection& selection);

    virtual void enter_initialisation(const Experiment& experiment) = 0;
    virtual void exit_initialisation() = 0;
    virtual void finish() = 0;

    /// In initialisation: the inputs as they are while nobody has set them. Here: zeros.
    virtual void get_start_inputs(std::span<double> u);
    /// In initialisation and event mode: inputs alone. States are the model's to say there. After
    /// set_point(): other inputs at the same time and states.
    virtual void set_inputs(std::span<const double> u) = 0;
    virtual void get_states(std::span<double> x) = 0;
    virtual void get_nominals(std::span<double> nominals) = 0;

    /// The point at which the functions below are evaluated.
    [[nodiscard]] virtual bool set_point(const OdePoint& point) = 0;
    [[nodiscard]] virtual bool derivatives(std::span<double> dx) = 0;
    [[nodiscard]] virtual bool outputs(std::span<double> y) = 0;
    [[nodiscard]] virtual bool indicators(std::span<double> z) = 0;
    /// Prepares to set these inputs alone, or to read these outputs alone, again and again; good
    /// until the shape changes. -1: the model cannot, all of them are to be set or read.
    virtual int prepare_inputs(std::span<const int> inputs);
    virtual int prepare_outputs(std::span<const int> outputs);
    /// In continuous mode, of models that can: set_point() without inputs, which keep their values;
    /// the prepared ones out of all inputs; the prepared ones into all outputs.
    [[nodiscard]] virtual bool set_states(double t, std::span<const double> x);
    virtual void set_prepared(int inputs, std::span<const double> u);
    /// Where the model keeps the prepared inputs, if they may as well be written there, with
    /// inputs_written() afterwards; otherwise empty. Good until restore() or deserialise().
    virtual std::span<double* const> places_of(int inputs);
    virtual void inputs_written(int inputs);
    [[nodiscard]] virtual bool get_prepared(int outputs, std::span<double> y);
    /// (d_dx, d_y) = [A B; C D] (d_x, d_u). Only with shape().exact_jacobian.
    [[nodiscard]] virtual bool jacobian_times(std::span<const double> d_x,
                                              std::span<const double> d_u, std::span<double> d_dx,
                                              std::span<double> d_y);

    /// All entries of a block, in the order of its pattern. Only with shape().assembles_jacobian.
    [[nodiscard]] virtual bool jacobian_entries(JacobianBlock block, std::span<double> entries);

    /// What people call it in messages.
    virtual std::string indicator_name(int i) const;
    /// Why the last evaluation failed, in words, if the model can tell.
    virtual std::string failure_reason() const { return {}; }

    virtual CompletedStep completed_step() { return {}; }
    /// Discrete variables were written while time went on: an event now makes them take effect.
    virtual bool has_waiting_writes() const { return false; }
    virtual void enter_event_mode() = 0;
    virtual EventUpdate update_discrete() = 0;
    virtual void enter_continuous_mode() = 0;

    /// Everything the model remembers, with what waits for an event. Only with shape().can_save.
    virtual void save(StateSlot slot);
    virtual void restore(StateSlot slot);
    /// The same as bytes, appended to `bytes`. Only with shape().can_serialise.
    virtual void serialise(std::vector<std::byte>& bytes);
    virtual void deserialise(std::span<const std::byte> bytes);
};

}  // namespace tandem::ode
