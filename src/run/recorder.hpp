#pragma once

#include <string>
#include <vector>

#include "core/variables.hpp"
#include "run/csv_writer.hpp"

namespace tandem::run {

/// What to record: patterns with * and ?; without any, the outputs, or everything that is not a
/// parameter if there are no outputs.
/// Returns indices in the order of the list. Throws InputError for a pattern that matches nothing.
std::vector<std::size_t> select_variables(const std::vector<VariableInfo>& variables,
                                          const std::vector<std::string>& patterns);

/// Appends the chosen variables of one subsystem to a CSV file, one row per call. Arrays become the
/// columns name[1], name[2], ...; booleans 0 and 1; enumerations their number.
class Recorder {
public:
    Recorder(Variables& variables, const std::vector<std::size_t>& selection, CsvWriter& writer);

    /// Writes the names; with `units`, as "name [unit]" where there is a unit.
    void write_header(bool units);
    /// Writes the values at the time last reached, under time `t`. Allocates nothing itself.
    void record(double t);
    long rows() const { return rows_; }

private:
    struct Group {
        VariableGroup variables;
        Values values;
    };
    struct Column {
        std::string name;
        std::string unit;
        std::size_t group = 0;
        std::size_t index = 0;
    };
    void add_group(ValueType type, const std::vector<std::size_t>& selection);
    void write_cell(const Column& column);

    Variables& variables_;
    CsvWriter& writer_;
    std::vector<Group> groups_;
    std::vector<Column> columns_;
    long rows_ = 0;
};

}  // namespace tandem::run
