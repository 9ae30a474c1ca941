#pragma once

#include <span>
#include <vector>

#include "tandem/extend/subsystem.hpp"

namespace tandem {

/// The variables of a subsystem that has nothing but its ports: for types of plug-ins.
class PortVariables final : public Variables {
public:
    /// When the interface of `subsystem`, which outlives it, is complete.
    void prepare(Subsystem& subsystem);
    /// To be called by set_inputs(): inputs are read as they were given last.
    void keep_inputs(std::span<const double> inputs);

    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override;
    void read(const VariableGroup& group, Values& values) override;
    /// Inputs only.
    void write(const VariableGroup& group, const Values& values) override;

private:
    Subsystem* subsystem_ = nullptr;
    std::vector<VariableInfo> list_;  // inputs, then outputs
    std::vector<double> inputs_, outputs_;
};

}  // namespace tandem
