#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time_grid.hpp"
#include "files/csv_reader.hpp"
#include "tandem/extend/interval.hpp"
#include "tandem/extend/variables.hpp"

namespace tandem::assemble {

/// At a jump, the value just before it or from it on.
enum class Side { before, after };

/// One column of an input file: one element of one input.
struct InputColumn {
    std::string name;
    std::size_t variable = 0;  ///< index into the list of variables
    std::size_t element = 0;   ///< of an array
    ValueType type = ValueType::float64;
    bool is_linear = false;  ///< interpolated between rows; otherwise held
    double factor = 1.0;     ///< value of the input = factor * cell + offset
    double offset = 0.0;
    std::string unmet_unit = {};  ///< of the header, where the input has none
    Values values = {};           ///< one per row
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

/// What is to be said where rows from `rows.begin` to `rows.end` do not cover the run; empty: they
/// do.
std::string uncovered_times(Interval rows, Interval run);

/// What inputs do over time, from a file: the first column is time, the others are named after
/// inputs, with or without "[unit]", from which values are converted. Continuous reals are
/// interpolated linearly, everything else is held. Two rows with the same time are a jump. Outside
/// of the table the first and last values hold.
class InputTable {
public:
    /// Throws InputError, with the line, for what cannot be understood.
    InputTable(CsvReader reader, const std::vector<VariableInfo>& variables,
               const EnumerationLookup& enumeration);

    const std::vector<InputColumn>& columns() const { return columns_; }
    std::size_t rows() const { return times_.size(); }
    /// From the first row to the last.
    Interval times() const { return {times_.front(), times_.back()}; }

    /// From now on the column is held between rows.
    void hold(std::size_t column);

    /// Moves rows that miss a grid point by rounding only onto it.
    void align(const TimeGrid& grid);
    /// The row whose values are held at `t`.
    std::size_t row_at(double t, Side side) const;
    /// The value of a real column, interpolated if it is linear.
    double real_at(std::size_t column, double t, Side side) const;
    /// The next time after `t` where a value jumps, if there is one.
    std::optional<double> next_jump(double t) const;

    /// Finds the rows that a solver with this relative tolerance should not step over: between two
    /// of them all linear columns are smooth curves, within ten times the tolerance by the range of
    /// the column, that bend by no more than a twentieth of it. After align().
    void find_kinks(double tolerance);
    /// The first of these rows after `t`; infinity: none.
    double next_kink(double t) const;
    /// Finds the rows where slopes change so much that a line that goes on by the slope before
    /// leaves a linear column by a twentieth of its range within `reach`. After align().
    void find_breaks(double reach);
    /// The first of these rows after `t`; infinity: none.
    double next_break(double t) const;
    /// A row inside the interval such that up to it the linear columns stay within a twentieth of
    /// their range of straight lines; nothing if they do so over the whole interval.
    std::optional<double> next_bend(Interval interval) const;
    /// The time of the first row after t; infinity: there is none.
    double next_row(double t) const;

private:
    void read_header(const CsvReader& reader, const std::vector<VariableInfo>& variables);
    void read_rows(CsvReader& reader, const EnumerationLookup& enumeration);
    void find_jumps();
    void find_ranges();
    bool is_curve(std::size_t first, std::size_t last, double tolerance) const;
    bool is_straight(double begin, double end) const;
    double slope_before(std::size_t row, const std::vector<double>& values) const;
    bool differs(std::size_t row, std::size_t other, bool held_only) const;

    std::vector<double> times_;
    double time_unit_ = 1.0;  // of the file, in seconds
    std::vector<InputColumn> columns_;
    std::vector<double> jumps_;
    std::vector<double> kinks_;
    std::vector<double> breaks_;
    std::vector<double> ranges_;  ///< largest less smallest value of each column; 0: not linear
};

}  // namespace tandem::assemble
