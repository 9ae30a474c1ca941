#include "assemble/load/input_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "assemble/load/unmet_units.hpp"
#include "base/names.hpp"
#include "base/units.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

std::vector<std::string> input_names(const std::vector<VariableInfo>& variables) {
    std::vector<std::string> names;
    for (const VariableInfo& variable : variables) {
        if (!variable.is_input) continue;
        for (std::size_t k = 0; k < variable.size; ++k)
            names.push_back(variable.size == 1 ? variable.name
                                               : fmt::format("{}[{}]", variable.name, k + 1));
    }
    return names;
}

[[noreturn]] void unknown_input(const std::string& place, const std::string& name,
                                const std::vector<VariableInfo>& variables) {
    const std::vector<std::string> inputs = input_names(variables);
    const std::string otherwise =
        inputs.empty()
            ? "the FMU has no inputs"
            : fmt::format("the inputs are {}{}",
                          fmt::join(inputs.begin(),
                                    inputs.begin() + static_cast<std::ptrdiff_t>(
                                                         std::min<std::size_t>(inputs.size(), 8)),
                                    ", "),
                          inputs.size() > 8 ? ", ..." : "");
    throw InputError(place, fmt::format("there is no input '{}'", name),
                     did_you_mean(name, inputs, otherwise));
}

/// From the unit of the header to that of the input.
void convert(const NameWithUnit& header, const std::string& unit, const std::string& place,
             InputColumn& column) {
    column.unmet_unit = unmet_unit({}, {header.unit, unit});
    if (header.unit.empty() || unit.empty() || header.unit == unit) return;
    const auto from = parse_unit(header.unit), to = parse_unit(unit);
    if (!from || !to || from->exponents != to->exponents ||
        storage_of(column.type) != Storage::reals)
        throw InputError(place,
                         fmt::format("column '{}' is in {}, but the input is in {}", header.name,
                                     header.unit, unit),
                         "convert the values, or leave the unit out of the header");
    column.factor = from->factor / to->factor;
    column.offset = (from->offset - to->offset) / to->factor;
}

InputColumn column_for(const std::string& text, const std::string& place,
                       const std::vector<VariableInfo>& variables) {
    NameWithUnit header{text, {}};
    std::optional<Element> element = find_element(variables, text);
    if (!element) {
        header = split_unit(text);
        element = find_element(variables, header.name);
    }
    if (!element) unknown_input(place, header.name, variables);
    const VariableInfo& variable = variables[element->variable];
    if (!variable.is_input)
        throw InputError(place, fmt::format("'{}' is not an input", header.name),
                         variable.is_parameter
                             ? "it cannot change while the FMU runs: set it with --set"
                             : "leave the column out");
    const bool is_real = storage_of(variable.type) == Storage::reals;
    InputColumn column{.name = header.name,
                       .variable = element->variable,
                       .element = element->index,
                       .type = variable.type,
                       .is_linear = is_real && variable.is_continuous};
    convert(header, variable.unit, place, column);
    return column;
}

/// With semicolons between the cells a comma can only be a decimal comma.
std::string decimal_point(std::string_view cell, char separator) {
    std::string text(cell);
    if (separator != ',' && text.find('.') == std::string::npos)
        if (const auto comma = text.find(','); comma != std::string::npos) text[comma] = '.';
    return text;
}

double time_of(std::string_view cell, const CsvReader& reader) {
    Values value;
    if (!append_text(ValueType::float64, decimal_point(cell, reader.separator()), value) ||
        !std::isfinite(value.reals[0]))
        throw InputError(reader.place(), fmt::format("'{}' is not a time", cell));
    return value.reals[0];
}

void append_cell(InputColumn& column, std::string_view cell, const CsvReader& reader,
                 const EnumerationLookup& enumeration) {
    const bool is_real = storage_of(column.type) == Storage::reals;
    const std::string text = is_real ? decimal_point(cell, reader.separator()) : std::string(cell);
    if (column.type == ValueType::enumeration && enumeration)
        if (const auto number = enumeration(column.variable, text)) {
            column.values.integers.push_back(*number);
            return;
        }
    if (append_text(column.type, text, column.values) &&
        (!is_real || std::isfinite(column.values.reals.back()))) {
        if (is_real)
            column.values.reals.back() = column.factor * column.values.reals.back() + column.offset;
        return;
    }
    throw InputError(reader.place(),
                     cell.empty() ? fmt::format("the cell of '{}' is empty", column.name)
                                  : fmt::format("'{}' is not a value of '{}', which is of type {}",
                                                cell, column.name, to_string(column.type)));
}

}  // namespace

std::optional<Element> find_element(const std::vector<VariableInfo>& variables,
                                    const std::string& name) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const VariableInfo& variable = variables[i];
        if (variable.size == 1 && variable.name == name) return Element{i, 0};
        if (variable.size == 1 || !name.starts_with(variable.name)) continue;
        for (std::size_t k = 0; k < variable.size; ++k)
            if (name == fmt::format("{}[{}]", variable.name, k + 1)) return Element{i, k};
    }
    return std::nullopt;
}

std::string uncovered_times(Interval rows, Interval run) {
    const bool is_constant = rows.begin == rows.end;
    if (is_constant || (rows.begin <= run.begin && rows.end >= run.end)) return {};
    return fmt::format(
        "covers {} to {}, the run is {} to {}; the first and last values are held outside",
        rows.begin, rows.end, run.begin, run.end);
}

InputTable::InputTable(CsvReader reader, const std::vector<VariableInfo>& variables,
                       const EnumerationLookup& enumeration) {
    read_header(reader, variables);
    read_rows(reader, enumeration);
    find_jumps();
    find_ranges();
}

void InputTable::read_header(const CsvReader& reader, const std::vector<VariableInfo>& variables) {
    const std::vector<std::string>& header = reader.header();
    time_unit_ = seconds_in(split_unit(header[0]).unit, reader.place());
    const auto first = find_element(variables, header[0]);
    if (first && variables[first->variable].is_input)
        throw InputError(reader.place(),
                         fmt::format("the first column is the input '{}'", header[0]),
                         "the first column must be the time");
    std::set<std::string> seen;
    for (std::size_t i = 1; i < header.size(); ++i) {
        columns_.push_back(column_for(header[i], reader.place(), variables));
        if (!seen.insert(columns_.back().name).second)
            throw InputError(reader.place(),
                             fmt::format("column '{}' is there twice", columns_.back().name));
    }
}

void InputTable::read_rows(CsvReader& reader, const EnumerationLookup& enumeration) {
    std::vector<std::string_view> cells;
    const std::string place_of_header = reader.place();
    while (reader.next(cells)) {
        const double time = time_unit_ * time_of(cells[0], reader);
        if (!times_.empty() && time < times_.back())
            throw InputError(reader.place(),
                             fmt::format("time goes back from {} to {}", times_.back(), time),
                             "sort the rows by time");
        times_.push_back(time);
        for (std::size_t i = 1; i < cells.size(); ++i)
            append_cell(columns_[i - 1], cells[i], reader, enumeration);
    }
    if (times_.empty()) throw InputError(place_of_header, "there are no rows below the header");
}

bool InputTable::differs(std::size_t row, std::size_t other, bool held_only) const {
    return std::any_of(columns_.begin(), columns_.end(), [&](const InputColumn& column) {
        if (held_only && column.is_linear) return false;
        switch (storage_of(column.type)) {
            case Storage::reals: return column.values.reals[row] != column.values.reals[other];
            case Storage::integers:
                return column.values.integers[row] != column.values.integers[other];
            case Storage::strings: break;
        }
        return column.values.strings[row] != column.values.strings[other];
    });
}

void InputTable::find_jumps() {
    jumps_.clear();
    for (std::size_t first = 0; first < times_.size();) {
        std::size_t last = first;
        while (last + 1 < times_.size() && times_[last + 1] == times_[first]) ++last;
        const bool repeated = last > first && differs(first, last, false);
        const bool held = first > 0 && differs(first - 1, last, true);
        if (repeated || held) jumps_.push_back(times_[first]);
        first = last + 1;
    }
}

void InputTable::hold(std::size_t column) {
    columns_[column].is_linear = false;
    find_jumps();
    find_ranges();
}

void InputTable::align(const TimeGrid& grid) {
    for (double& time : times_) time = grid.aligned(time);
    find_jumps();
}

std::size_t InputTable::row_at(double t, Side side) const {
    const auto behind = side == Side::after ? std::upper_bound(times_.begin(), times_.end(), t)
                                            : std::lower_bound(times_.begin(), times_.end(), t);
    return behind == times_.begin() ? 0 : static_cast<std::size_t>(behind - times_.begin()) - 1;
}

double InputTable::real_at(std::size_t column, double t, Side side) const {
    const std::vector<double>& values = columns_[column].values.reals;
    const std::size_t row = row_at(t, side);
    if (!columns_[column].is_linear || row + 1 == times_.size() || t <= times_[row])
        return values[row];
    // u(t) = u_k + (u_k+1 - u_k) * (t - t_k) / (t_k+1 - t_k)
    const double share = (t - times_[row]) / (times_[row + 1] - times_[row]);
    return share >= 1.0 ? values[row + 1] : values[row] + (values[row + 1] - values[row]) * share;
}

std::optional<double> InputTable::next_jump(double t) const {
    const auto next = std::upper_bound(jumps_.begin(), jumps_.end(), t);
    return next == jumps_.end() ? std::nullopt : std::optional<double>(*next);
}

}  // namespace tandem::assemble
