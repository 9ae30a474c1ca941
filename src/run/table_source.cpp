#include "run/table_source.hpp"

#include "base/error.hpp"
#include "base/units.hpp"

namespace tandem::run {
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

}  // namespace

TableSource::TableSource(std::string name, const std::filesystem::path& file,
                         Interpolation interpolation)
    : name_(std::move(name)) {
    CsvReader reader(read_text_file(file.string()), file.string());
    for (std::size_t i = 1; i < reader.header().size(); ++i)
        list_.push_back(column_info(reader.header()[i]));
    for (VariableInfo& info : list_) info.is_continuous = interpolation == Interpolation::linear;
    table_.emplace(std::move(reader), list_, EnumerationLookup{});
    for (VariableInfo& info : list_) {
        info.is_input = false;
        interface_.outputs.push_back({.name = info.name, .unit = info.unit});
    }
    interface_.capabilities = {.rollback = true, .variable_step = true};
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
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = table_->real_at(i, now_, side_);
}

VariableGroup TableSource::group(std::span<const std::size_t> variables) const {
    return {ValueType::float64, {variables.begin(), variables.end()}, {}, variables.size()};
}

void TableSource::read(const VariableGroup& group, Values& values) {
    for (std::size_t i = 0; i < group.size; ++i)
        values.reals[i] = table_->real_at(group.variables[i], now_, side_);
}

void TableSource::write(const VariableGroup&, const Values&) {
    throw InputError(name_, "a table cannot be written", "connect its columns as sources only");
}

}  // namespace tandem::run
