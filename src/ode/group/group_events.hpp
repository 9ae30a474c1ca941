#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/typed_links.hpp"
#include "ode/ode_model.hpp"

namespace tandem::ode {

/// An event that no member has: where an expression of their variables changes its sign, or at
/// given times. Members are counted as in the group.
struct GroupEvent {
    enum class Direction { both, rising, falling };
    using Function = std::function<double(double t, std::span<const double> signals)>;
    struct Action {
        VariableElement target;  ///< a state, or what may be written at events
        Function value;
        int input = -1;  ///< of all members' inputs, if the target is one of these ports
    };

    std::string name;
    Function indicator = {};  ///< null: at `times`
    Direction direction = Direction::both;
    std::vector<double> times = {};  ///< rising
    std::vector<VariableElement> signals = {};
    std::vector<Action> actions = {};  ///< all see the signals before the event
};

/// The external events of a group of models: when they happen, and what they do.
class GroupEvents {
public:
    explicit GroupEvents(std::vector<GroupEvent> events);

    /// When the shapes of the members are known.
    void prepare(std::span<const std::unique_ptr<OdeModel>> members,
                 const std::vector<int>& state_begin);
    void start(double t);

    bool empty() const { return events_.empty(); }
    int indicator_count() const { return static_cast<int>(with_indicator_.size()); }
    const std::string& indicator_name(int i) const;
    /// At the point that the members have. One that has happened and waits to be left again shows
    /// no sign change.
    void indicators(double t, std::span<double> z);
    /// Time goes on from here, after the start or an event.
    void finish_event(double t);
    /// A step was accepted: events that have happened may happen again once their indicator is
    /// back.
    void arm(double t);
    /// Whether arm() must be called at every accepted point.
    bool is_armed_at_steps() const;
    double next_time() const;

    /// Of a state, or an input, counted over all members.
    struct Change {
        int state = -1, input = -1;
        double value = 0.0;
    };
    /// Finds what happens now and works out all actions: changes of states and inputs are
    /// returned, writes wait for write(). To be called before any member enters event mode.
    std::span<const Change> happen(double t);
    const std::vector<GroupEvent>& all() const { return events_; }
    /// In event mode: carries out the writes.
    void write();
    /// The name of an event whose indicator has changed its sign since happen() looked, by what
    /// happened then; null if there is none.
    const std::string* due(double t);

    struct Memory {
        std::vector<char> is_armed;
        std::vector<std::size_t> next;
    };
    Memory memory;  ///< what must be saved and restored

private:
    struct Signal {
        Variables* of = nullptr;
        VariableGroup group;
        Values values;
        std::size_t element = 0;
    };
    struct Target {
        int state = -1;  ///< otherwise the signal is written
        Signal signal;
    };
    struct Prepared {
        std::vector<Signal> signals;
        std::vector<Target> targets;
    };
    struct Write {
        Signal* signal = nullptr;
        double value = 0.0;
    };

    void read_signals(std::size_t event);
    double indicator(std::size_t event, double t);
    bool is_due(std::size_t event, bool is_positive) const;
    bool has_happened(std::size_t event, double t);
    [[noreturn]] static void refuse(const GroupEvent& event, const Target& target, double t);

    std::vector<GroupEvent> events_;
    std::vector<Prepared> prepared_;
    std::vector<std::size_t> with_indicator_;
    std::vector<double> signals_;
    std::vector<Change> changes_;
    std::vector<Write> writes_;
};

}  // namespace tandem::ode
