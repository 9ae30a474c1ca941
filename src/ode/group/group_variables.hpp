#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/partly_readable.hpp"
#include "ode/ode_model.hpp"

namespace tandem::ode {

/// The variables of one member; what is written to them is noticed. Outputs that belong to an
/// algebraic loop are what the loop has found: the member computes them of its inputs, and a gain
/// multiplies rounding errors on the way.
class MemberVariables final : public Variables, public PartlyReadable {
public:
    MemberVariables(OdeModel& member, bool& was_written)
        : member_(member), was_written_(was_written) {}

    void forget_solved() { solved_.clear(); }
    /// `value` is where that output (of Interface::outputs) has its solution while `is_valid`.
    void set_solved(const std::string& output, const double* value, const bool* is_valid);

    const std::vector<VariableInfo>& list() const override { return member_.variables().list(); }
    VariableGroup group(std::span<const std::size_t> variables) const override {
        return member_.variables().group(variables);
    }
    void read(const VariableGroup& group, Values& values) override;
    void observe(const VariableGroup& group, Values& values) override;
    std::vector<std::size_t> unknown(const VariableGroup& group) override;
    bool is_readable(const VariableGroup& group) const override;
    void write(const VariableGroup& group, const Values& values) override {
        was_written_ = true;
        member_.variables().write(group, values);
    }

private:
    struct Solved {
        std::size_t variable, element;
        const double* value;
        const bool* is_valid;
    };

    void put_solved(const VariableGroup& group, Values& values) const;

    OdeModel& member_;
    bool& was_written_;
    std::vector<Solved> solved_;
};

/// The variables of all members, called "member.variable".
class GroupVariables final : public Variables {
public:
    explicit GroupVariables(const std::vector<std::unique_ptr<OdeModel>>& members);

    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override;
    void read(const VariableGroup& group, Values& values) override;
    void observe(const VariableGroup& group, Values& values) override;
    void write(const VariableGroup& group, const Values& values) override;
    MemberVariables& of_member(std::size_t m) { return *of_member_[m]; }
    /// Whether anything was written since the last time this was asked.
    bool take_written() { return std::exchange(was_written_, false); }

private:
    using Reading = void (Variables::*)(const VariableGroup&, Values&);

    void read_by(Reading reading, const VariableGroup& group, Values& values);
    /// Calls visit(member variables, group of one variable, first value) for each variable.
    template <class Visit>
    void for_each(const VariableGroup& group, Visit visit) const;

    const std::vector<std::unique_ptr<OdeModel>>& members_;
    std::vector<VariableInfo> list_;
    bool was_written_ = false;
    std::vector<std::unique_ptr<MemberVariables>> of_member_;
    std::vector<std::size_t> member_, index_;  // of each entry of the list
};

}  // namespace tandem::ode
