#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ode/ode_model.hpp"

namespace tandem::ode {

/// The variables of one member; what is written to them is noticed.
class MemberVariables final : public Variables {
public:
    MemberVariables(OdeModel& member, bool& was_written)
        : member_(member), was_written_(was_written) {}

    const std::vector<VariableInfo>& list() const override { return member_.variables().list(); }
    VariableGroup group(std::span<const std::size_t> variables) const override {
        return member_.variables().group(variables);
    }
    void read(const VariableGroup& group, Values& values) override {
        member_.variables().read(group, values);
    }
    void write(const VariableGroup& group, const Values& values) override {
        was_written_ = true;
        member_.variables().write(group, values);
    }

private:
    OdeModel& member_;
    bool& was_written_;
};

/// The variables of all members, called "member.variable".
class GroupVariables final : public Variables {
public:
    explicit GroupVariables(const std::vector<std::unique_ptr<OdeModel>>& members);

    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override;
    void read(const VariableGroup& group, Values& values) override;
    void write(const VariableGroup& group, const Values& values) override;
    Variables& of_member(std::size_t m) { return *of_member_[m]; }
    /// Whether anything was written since the last time this was asked.
    bool take_written() { return std::exchange(was_written_, false); }

private:
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
