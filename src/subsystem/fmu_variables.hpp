#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/partly_readable.hpp"
#include "fmi/import/fmu.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::subsystem {

/// The variables of an FMU instance. FMI 3.0 aliases appear after them as variables of their own.
/// Structural parameters are written in configuration mode, and the arrays they size follow.
class FmuVariables final : public Variables, public PartlyReadable {
public:
    explicit FmuVariables(fmi::Instance& instance);

    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override;
    void read(const VariableGroup& group, Values& values) override;
    void observe(const VariableGroup& group, Values& values) override;
    std::vector<std::size_t> unknown(const VariableGroup& group) override;
    bool is_readable(const VariableGroup& group) const override;
    void write(const VariableGroup& group, const Values& values) override;

    /// Passes values on to the FMU, without asking `intercept`: at once, or when set_up() is
    /// called.
    void write_through(const VariableGroup& group, const Values& values);
    /// Tells the FMU of the experiment, and then the start values that were written so far. Throws
    /// RefusedValue for one that it does not take.
    void set_up(const fmi::ExperimentSetup& setup);
    /// In initialisation mode, FMI 2.0 and 3.0: parameters that nobody set and that do not have the
    /// start values of the model description get these. What they had, as text.
    std::vector<std::string> set_declared_starts();
    /// After initialisation: the start values that the FMU should have kept and did not, as text.
    std::vector<std::string> lost_start_values();
    /// Whether an FMU allows to set one of these only at events.
    bool is_discrete(const VariableGroup& group) const;
    const fmi::Variable& variable(std::size_t index) const;
    std::size_t size(std::size_t index) const { return list_[index].size; }

    /// Asked before each write; true: the values have been taken care of.
    std::function<bool(const VariableGroup&, const Values&)> intercept;
    std::function<void()> before_read;
    /// Fills in what an input that is a port was set to last; false: it is none, or never was set.
    std::function<bool(std::size_t index, Values& value)> last_input;

private:
    struct Start {
        VariableGroup group;
        Values values;
    };

    void drop_overwritten_starts();
    void pass_on(const VariableGroup& group, const Values& values);
    void observe_each(const VariableGroup& group, Values& values);
    bool try_read(std::size_t index, Values& value);
    void put_waiting_values(const VariableGroup& group, Values& values) const;
    void remember(const VariableGroup& group, const Values& values);
    bool is_given(std::size_t index) const;
    bool last_set(std::size_t index, Values& value) const;
    Values last_known(std::size_t index);
    bool is_kept(const VariableGroup& group) const;
    std::map<ValueType, std::vector<std::size_t>> parameters_left_alone() const;
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
    std::vector<std::optional<Values>> last_set_;  ///< of each owner, by Variables, not as ports
    std::set<std::size_t> unreadable_, warned_of_;
};

/// In initialisation mode: sets what the FMU should have set itself. One line, if there is any.
void set_declared_starts(const fmi::Instance& instance, FmuVariables& variables);
/// One line, if there are any.
void warn_of_lost_start_values(const fmi::Instance& instance, FmuVariables& variables);

}  // namespace tandem::subsystem
