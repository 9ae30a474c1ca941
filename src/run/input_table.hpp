#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/variables.hpp"
#include "run/csv_reader.hpp"
#include "run/time_grid.hpp"

namespace tandem::run {

/// At a jump, the value just before it or from it on.
enum class Side { before, after };

/// One column of an input file: one element of one input.
struct InputColumn {
    std::string name;
    std::size_t variable = 0;  ///< index into the list of variables
    std::size_t element = 0;   ///< of an array
    ValueType type = ValueType::float64;
    bool is_linear = false;  ///< interpolated between rows; otherwise held
    Values values;           ///< one per row
};

struct Element {
    std::size_t variable = 0;
    std::size_t index = 0;
};

/// The variable called `name`, or the k-th value of an array for "name[k]".
std::optional<Element> find_element(const std::vector<VariableInfo>& variables,
                                    const std::string& name);

/// The number of an enumeration item of a variable by its name, if it has one.
using EnumerationLookup =
    std::function<std::optional<std::int64_t>(std::size_t variable, std::string_view item)>;

/// What inputs do over time, from a file: the first column is time, the others are named after
/// inputs, with or without "[unit]". Continuous reals are interpolated linearly, everything else is
/// held. Two rows with the same time are a jump. Outside of the table the first and last values
/// hold.
class InputTable {
public:
    /// Throws InputError, with the line, for what cannot be understood.
    InputTable(CsvReader reader, const std::vector<VariableInfo>& variables,
               const EnumerationLookup& enumeration);

    const std::vector<InputColumn>& columns() const { return columns_; }
    std::size_t rows() const { return times_.size(); }
    double first_time() const { return times_.front(); }
    double last_time() const { return times_.back(); }

    /// Moves rows that miss a grid point by rounding only onto it.
    void align(const TimeGrid& grid);
    /// The row whose values are held at `t`.
    std::size_t row_at(double t, Side side) const;
    /// The value of a real column, interpolated if it is linear.
    double real_at(std::size_t column, double t, Side side) const;
    /// The next time after `t` where a value jumps, if there is one.
    std::optional<double> next_jump(double t) const;

private:
    void read_header(const CsvReader& reader, const std::vector<VariableInfo>& variables);
    void read_rows(CsvReader& reader, const EnumerationLookup& enumeration);
    void find_jumps();
    bool differs(std::size_t row, std::size_t other, bool held_only) const;

    std::vector<double> times_;
    std::vector<InputColumn> columns_;
    std::vector<double> jumps_;
};

}  // namespace tandem::run
