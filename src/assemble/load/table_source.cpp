#include "assemble/load/table_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

VariableInfo column_info(const std::string& header) {
    const auto [name, unit] = split_unit(header);
    VariableInfo info;
    info.name = name;
    info.unit = unit;
    info.is_input = true;  // as InputTable sees it
    info.is_output = true;
    return info;
}

std::optional<std::int64_t> number_of(const VariableInfo& info, std::string_view word) {
    for (const auto& [item, number] : info.items)
        if (item == word) return number;
    return std::nullopt;
}

bool is_number(std::string_view cell) {
    const std::string_view first = "+-.0123456789";
    return cell.empty() || first.find(cell.front()) != std::string_view::npos || cell == "nan" ||
           cell == "inf";
}

/// By the first row; items of enumerations are numbered as they come.
void find_types(CsvReader reader, std::vector<VariableInfo>& list) {
    std::vector<std::string_view> cells;
    bool has_words = false;
    for (bool is_first = true; (is_first || has_words) && reader.next(cells); is_first = false)
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string_view cell = cells[i + 1];
            if (is_first && (cell == "true" || cell == "false")) list[i].type = ValueType::boolean;
            if (is_first && list[i].type == ValueType::float64 && !is_number(cell))
                list[i].type = ValueType::enumeration, has_words = true;
            if (list[i].type == ValueType::enumeration && is_number(cell))
                throw InputError(
                    reader.place(),
                    fmt::format("'{}' stands in the column '{}' of words", cell, list[i].name),
                    "let all cells of a column be words, or all be numbers");
            if (list[i].type == ValueType::enumeration && !number_of(list[i], cell))
                list[i].items.emplace_back(cell, std::ssize(list[i].items) + 1);
        }
}

}  // namespace

TableSource::TableSource(std::string name, const std::filesystem::path& file,
                         Interpolation interpolation)
    : name_(std::move(name)) {
    facets_ = facets_of(this);
    const std::string text = read_text_file(file.string());
    CsvReader reader(text, file.string());
    for (std::size_t i = 1; i < reader.header().size(); ++i)
        list_.push_back(column_info(reader.header()[i]));
    find_types(CsvReader(text, file.string()), list_);
    for (VariableInfo& info : list_)
        info.is_continuous =
            info.type == ValueType::float64 && interpolation == Interpolation::linear;
    table_.emplace(std::move(reader), list_, [this](std::size_t column, std::string_view word) {
        return number_of(list_[column], word);
    });
    for (std::size_t i = 0; i < list_.size(); ++i) {
        list_[i].is_input = false;
        if (list_[i].type != ValueType::float64) continue;
        interface_.outputs.push_back({.name = list_[i].name, .unit = list_[i].unit});
        real_columns_.push_back(i);
    }
    interface_.capabilities = {.rollback = true, .variable_step = true};
}

std::unique_ptr<TableSource> TableSource::copy() const {
    std::unique_ptr<TableSource> copy(new TableSource(*this));
    copy->facets_ = facets_of(copy.get());
    return copy;
}

bool TableSource::hold(std::size_t column) {
    if (!list_[column].is_continuous) return false;
    list_[column].is_continuous = false;
    table_->hold(column);
    return true;
}

int TableSource::port_of(std::size_t column) const {
    const auto port = std::ranges::find(real_columns_, column);
    return static_cast<int>(port - real_columns_.begin());
}

bool TableSource::is_whole(std::size_t column) const {
    return std::ranges::all_of(table_->columns()[column].values.reals,
                               [](double value) { return value == std::nearbyint(value); });
}

void TableSource::enter_initialisation(const Experiment& experiment) {
    now_ = experiment.start;
    side_ = Side::after;
}

void TableSource::save(StateSlot slot) { saved_[static_cast<int>(slot)] = now_; }

void TableSource::restore(StateSlot slot) {
    now_ = saved_[static_cast<int>(slot)];
    side_ = Side::after;
}

StepResult TableSource::step(Interval interval) {
    now_ = interval.end;
    side_ = Side::before;
    return {Outcome::complete, interval.end};
}

void TableSource::get_outputs(std::span<double> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
        outputs[i] = table_->real_at(real_columns_[i], now_, side_);
}

VariableGroup TableSource::group(std::span<const std::size_t> variables) const {
    const ValueType type = variables.empty() ? ValueType::float64 : list_[variables[0]].type;
    return {type, {variables.begin(), variables.end()}, {}, variables.size()};
}

void TableSource::read(const VariableGroup& group, Values& values) {
    const std::size_t row = table_->row_at(now_, side_);
    for (std::size_t i = 0; i < group.size; ++i) {
        const std::size_t column = group.variables[i];
        if (group.type == ValueType::float64)
            values.reals[i] = table_->real_at(column, now_, side_);
        else
            values.integers[i] = table_->columns()[column].values.integers[row];
    }
}

void TableSource::write(const VariableGroup&, const Values&) {
    throw InputError(name_, "a table cannot be written", "connect its columns as sources only");
}

}  // namespace tandem::assemble
