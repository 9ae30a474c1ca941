#include "run/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/names.hpp"

namespace tandem::run {
namespace {

std::vector<std::size_t> default_selection(const std::vector<VariableInfo>& variables) {
    const bool has_outputs = std::any_of(variables.begin(), variables.end(),
                                         [](const VariableInfo& v) { return v.is_output; });
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < variables.size(); ++i)
        if (has_outputs ? variables[i].is_output : !variables[i].is_parameter) chosen.push_back(i);
    return chosen;
}

std::vector<std::string> names_of(const std::vector<VariableInfo>& variables) {
    std::vector<std::string> names;
    for (const VariableInfo& variable : variables) names.push_back(variable.name);
    return names;
}

}  // namespace

std::vector<std::size_t> select_variables(const std::vector<VariableInfo>& variables,
                                          const std::vector<std::string>& patterns) {
    if (patterns.empty()) return default_selection(variables);
    std::vector<bool> chosen(variables.size(), false);
    for (const std::string& pattern : patterns) {
        bool found = false;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            if (!matches(pattern, variables[i].name)) continue;
            chosen[i] = true;
            found = true;
        }
        if (!found)
            throw InputError("--record", fmt::format("no variable matches '{}'", pattern),
                             did_you_mean(pattern, names_of(variables),
                                          "tandem info --all lists the variables"));
    }
    std::vector<std::size_t> selection;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i]) selection.push_back(i);
    return selection;
}

Recorder::Recorder(Variables& variables, const std::vector<std::size_t>& selection,
                   CsvWriter& writer)
    : variables_(variables), writer_(writer) {
    std::map<ValueType, std::vector<std::size_t>> by_type;
    std::map<std::size_t, std::size_t> first_column;
    std::size_t column = 0;
    for (const std::size_t i : selection) {
        const VariableInfo& info = variables.list()[i];
        by_type[info.type].push_back(i);
        first_column[i] = column;
        column += info.size;
    }
    columns_.resize(column);
    for (const auto& [type, members] : by_type) {
        add_group(type, members);
        std::size_t index = 0;
        for (const std::size_t i : members) {
            const VariableInfo& info = variables.list()[i];
            for (std::size_t k = 0; k < info.size; ++k) {
                Column& target = columns_[first_column[i] + k];
                target.name = info.size == 1 ? info.name : fmt::format("{}[{}]", info.name, k + 1);
                target.unit = info.unit;
                target.group = groups_.size() - 1;
                target.index = index++;
            }
        }
    }
}

void Recorder::add_group(ValueType type, const std::vector<std::size_t>& selection) {
    Group group{variables_.group(selection), {}};
    group.values.resize(type, group.variables.size);
    groups_.push_back(std::move(group));
}

void Recorder::write_header(bool units) {
    writer_.text(units ? "time [s]" : "time");
    for (const Column& column : columns_)
        writer_.text(units && !column.unit.empty()
                         ? fmt::format("{} [{}]", column.name, column.unit)
                         : column.name);
    writer_.end_row();
    writer_.flush();
}

void Recorder::write_cell(const Column& column) {
    const Group& group = groups_[column.group];
    const Values& values = group.values;
    switch (group.variables.type) {
        case ValueType::float32:
            writer_.real(static_cast<float>(values.reals[column.index]));
            break;
        case ValueType::float64: writer_.real(values.reals[column.index]); break;
        case ValueType::string: writer_.text(values.strings[column.index]); break;
        case ValueType::binary: writer_.hexadecimal(values.strings[column.index]); break;
        case ValueType::uint64:
            writer_.integer(static_cast<std::uint64_t>(values.integers[column.index]));
            break;
        default: writer_.integer(values.integers[column.index]); break;
    }
}

void Recorder::record(double t) {
    for (Group& group : groups_) variables_.read(group.variables, group.values);
    writer_.real(t);
    for (const Column& column : columns_) write_cell(column);
    writer_.end_row();
    ++rows_;
}

}  // namespace tandem::run
