#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/subsystem.hpp"
#include "fmi/fmu.hpp"

namespace tandem::subsystem {

/// The variables of an FMU instance. FMI 3.0 aliases appear after them as variables of their own.
/// Structural parameters are written in configuration mode, and the arrays they size follow.
class FmuVariables final : public Variables {
public:
    explicit FmuVariables(fmi::Instance& instance);

    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override;
    void read(const VariableGroup& group, Values& values) override;
    void observe(const VariableGroup& group, Values& values) override;
    void write(const VariableGroup& group, const Values& values) override;

    /// Passes values on to the FMU, without asking `intercept`: at once, or when set_up() is
    /// called.
    void write_through(const VariableGroup& group, const Values& values);
    /// Tells the FMU of the experiment, and then the start values that were written so far.
    void set_up(const fmi::ExperimentSetup& setup);
    /// After initialisation: the start values that the FMU should have kept and did not, as text.
    std::vector<std::string> lost_start_values();
    /// Whether an FMU allows to set one of these only at events.
    bool is_discrete(const VariableGroup& group) const;
    const fmi::Variable& variable(std::size_t index) const;
    std::size_t size(std::size_t index) const { return list_[index].size; }

    /// Asked before each write; true: the values have been taken care of.
    std::function<bool(const VariableGroup&, const Values&)> intercept;
    std::function<void()> before_read;

private:
    struct Start {
        VariableGroup group;
        Values values;
    };

    void pass_on(const VariableGroup& group, const Values& values);
    void observe_each(const VariableGroup& group, Values& values);
    bool try_read(std::size_t index, Values& value);
    Values last_known(std::size_t index) const;
    bool is_kept(const VariableGroup& group) const;
    void negate(const VariableGroup& group, Values& values) const;
    void resize_arrays(const VariableGroup& group, const Values& values);
    bool is_structural(const VariableGroup& group) const;

    fmi::Instance& instance_;
    std::vector<VariableInfo> list_;
    std::vector<std::size_t> owner_;  ///< index of the variable each entry of list_ belongs to
    std::unordered_map<fmi::ValueReference, std::uint64_t> extents_;
    bool has_negated_ = false;
    bool is_set_up_ = false;
    std::vector<Start> start_values_;
    std::set<std::size_t> unreadable_;
};

/// One line, if there are any.
void warn_of_lost_start_values(const fmi::Instance& instance, FmuVariables& variables);

/// The real inputs or outputs of an FMU as ports: one flat list, set and got with one call. Arrays
/// give one port per element, `name[1]`, `name[2]`, ...; Float32 comes after Float64.
class FmuPorts {
public:
    enum class Side { inputs, continuous_inputs, outputs };
    /// `selection` names the ports that are needed; null: all. Arrays come whole or not at all.
    /// Any real variable but an input can be selected as an output.
    FmuPorts(fmi::Instance& instance, const FmuVariables& variables, Side side,
             const std::set<std::string>* selection);

    void set(std::span<const double> values);
    void get(std::span<double> values);
    /// False: the FMU does not let all of them be read.
    [[nodiscard]] bool try_get(std::span<double> values);
    /// Prepares to set or get only the variables that these ports belong to; -1 if not is_plain().
    int prepare(std::span<const int> ports);
    /// What was prepared, out of and into the values of all ports.
    void set(int prepared, std::span<const double> values);
    /// False: some of them are no finite numbers.
    [[nodiscard]] bool get(int prepared, std::span<double> values);
    /// Where set_from_places() takes the prepared values from; empty if they are not whole
    /// variables in the order of their ports.
    std::span<double* const> places(int prepared) const;
    void set_from_places(int prepared);
    /// The name of the first value that is no finite number; null if all are.
    const std::string* first_not_finite(std::span<const double> values) const;

    /// What the elements of a variable are called as ports.
    static std::vector<std::string> names(const fmi::Variable& variable, std::size_t size);

    std::size_t size() const { return ports_.size(); }
    const std::vector<Port>& ports() const { return ports_; }
    /// Float64 only, one for each variable.
    std::span<const fmi::ValueReference> references() const { return references_; }
    bool is_plain() const { return narrow_references_.empty() && negated_.empty(); }
    /// Every port is a scalar: there is one reference for each.
    bool is_scalar() const { return references_.size() == ports_.size(); }
    /// First port and number of ports of a variable of the description; {0, 0} if it has none.
    struct Range {
        std::size_t first = 0, count = 0;
    };
    Range range(std::size_t variable) const;
    std::span<const std::size_t> variables() const { return variables_; }

private:
    void add(std::size_t index, const FmuVariables& variables);
    void finish_reading(std::span<double> values) const;
    fmi::Instance& instance_;
    std::vector<Port> ports_;
    std::vector<fmi::ValueReference> references_, narrow_references_;
    std::size_t wide_ = 0;              ///< number of Float64 ports
    std::vector<std::size_t> negated_;  ///< ports that hold the negated value (FMI 1.0)
    std::vector<std::size_t> variables_;
    std::unordered_map<std::size_t, Range> ranges_;
    std::vector<double> scratch_;
    Values narrow_;
    struct Some {
        std::vector<fmi::ValueReference> references;
        std::vector<std::size_t> ports;   ///< of all elements of these variables
        std::vector<std::size_t> wanted;  ///< those of them that were asked for
        std::vector<double> values;
        std::vector<double*> places;
    };
    std::vector<Some> some_;
};

/// Saved FMU states, one for each slot, freed with the instance.
class FmuStates {
public:
    explicit FmuStates(fmi::Instance& instance) : instance_(instance) {}
    /// The state at time t.
    void save(StateSlot slot, double t);
    void restore(StateSlot slot);
    void release(StateSlot slot) { slots_[static_cast<int>(slot)].t.reset(); }
    void serialise(std::vector<std::byte>& bytes);
    void deserialise(std::span<const std::byte> bytes);
    /// One from before that time may still be restored.
    bool has_state_before(double t) const;

private:
    struct Slot {
        fmi::FmuState state = nullptr;  ///< an FMU may call its state null
        std::optional<double> t;        ///< none: it will not be restored
    };

    fmi::Instance& instance_;
    Slot slots_[state_slot_count];
    fmi::FmuState transit_ = nullptr;
};

}  // namespace tandem::subsystem
