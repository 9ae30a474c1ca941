#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/value.hpp"

namespace tandem {

/// One variable of a subsystem as seen from outside: for recording, parameters and typed links.
struct VariableInfo {
    std::string name;
    std::string unit;
    std::string description;
    ValueType type = ValueType::float64;
    std::size_t size = 1;  ///< number of values (arrays lie flat)
    bool is_input = false;
    bool is_output = false;
    bool is_parameter = false;
    bool is_continuous = false;
    bool shares_name = false;  ///< others had the same name, and are called name#2, name#3
    std::vector<std::size_t> dimensions = {};  ///< extents of an array, row-major; empty: a scalar
    std::vector<std::pair<std::string, std::int64_t>> items = {};  ///< of an enumeration
};

/// Variables of one type of one subsystem, resolved once, read or written together.
struct VariableGroup {
    ValueType type = ValueType::float64;
    std::vector<std::size_t> variables;     ///< indices into Variables::list()
    std::vector<std::uint32_t> references;  ///< what the subsystem calls them
    std::size_t size = 0;                   ///< total number of values
};

class Variables {
public:
    virtual ~Variables() = default;
    virtual const std::vector<VariableInfo>& list() const = 0;
    /// `variables` must all be of one type.
    virtual VariableGroup group(std::span<const std::size_t> variables) const = 0;
    /// Fills `values` (already resized to group.size) with the values at the time last reached.
    virtual void read(const VariableGroup& group, Values& values) = 0;
    /// The same, for what is looked at only: a value that cannot be read is the one that was given
    /// last.
    virtual void observe(const VariableGroup& group, Values& values) { read(group, values); }
    virtual void write(const VariableGroup& group, const Values& values) = 0;
};

}  // namespace tandem
