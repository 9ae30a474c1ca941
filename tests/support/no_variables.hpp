#pragma once

#include <span>
#include <vector>

#include "tandem/extend/variables.hpp"

namespace tandem::test {

/// Nothing besides ports.
class NoVariables final : public Variables {
public:
    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t>) const override { return {}; }
    void read(const VariableGroup&, Values&) override {}
    void write(const VariableGroup&, const Values&) override {}

private:
    std::vector<VariableInfo> list_;
};

}  // namespace tandem::test
