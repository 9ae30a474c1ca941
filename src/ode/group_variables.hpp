#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ode/ode_model.hpp"

namespace tandem::ode {

/// The variables of all members, called "member.variable".
class GroupVariables final : public Variables {
public:
    explicit GroupVariables(const std::vector<std::unique_ptr<OdeModel>>& members);

    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override;
    void read(const VariableGroup& group, Values& values) override;
    void write(const VariableGroup& group, const Values& values) override;
    /// Whether anything was written since the last time this was asked.
    bool take_written() { return std::exchange(was_written_, false); }

private:
    /// Calls visit(member variables, group of one variable, first value) for each variable.
    template <class Visit>
    void for_each(const VariableGroup& group, Visit visit) const;

    const std::vector<std::unique_ptr<OdeModel>>& members_;
    std::vector<VariableInfo> list_;
    bool was_written_ = false;
    std::vector<std::size_t> member_, index_;  // of each entry of the list
};

}  // namespace tandem::ode
