#pragma once

#include <cstddef>
#include <vector>

#include "tandem/extend/variables.hpp"

namespace tandem {

/// Variables of which some may refuse to be read.
class PartlyReadable {
public:
    virtual ~PartlyReadable() = default;
    /// Those of the group, as indices into Variables::list(), that can neither be read nor were
    /// ever set.
    virtual std::vector<std::size_t> unknown(const VariableGroup& group) = 0;
    /// None of the group has refused so far.
    virtual bool is_readable(const VariableGroup& group) const = 0;
};

}  // namespace tandem
