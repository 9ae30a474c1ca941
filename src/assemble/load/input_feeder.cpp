#include "assemble/load/input_feeder.hpp"

#include <algorithm>
#include <limits>

#include "assemble/load/port_values.hpp"
#include "ode/host/hosted_ode.hpp"

namespace tandem::assemble {

void TableLaw::evaluate(const LawPoint& point, std::span<double> inputs) const {
    const double t = point.t;
    std::copy(base.begin(), base.end(), inputs.begin());
    const Side side = t <= begin ? Side::after : Side::before;
    const double inside = std::clamp(t, begin, end);
    for (const Entry& entry : entries)
        inputs[entry.port] = table->real_at(entry.column, inside, side);
}

InputFeeder::InputFeeder(Subsystem& subsystem, const InputTable* table)
    : subsystem_(subsystem), table_(table) {
    const Interface& interface = subsystem.interface();
    takes_laws_ = interface.capabilities.laws;
    law_.table = table;
    law_.base.resize(interface.inputs.size());
    values_.resize(interface.inputs.size());
    slopes_.resize(interface.inputs.size());
    if (table == nullptr) return;
    for (std::size_t i = 0; i < table->columns().size(); ++i) connect(i);
}

void InputFeeder::connect(std::size_t column) {
    const InputColumn& info = table_->columns()[column];
    const std::vector<Port>& ports = subsystem_.interface().inputs;
    const auto port = std::find_if(ports.begin(), ports.end(),
                                   [&](const Port& p) { return p.name == info.name; });
    if (port != ports.end()) {
        law_.entries.push_back({column, static_cast<std::size_t>(port - ports.begin())});
        return;
    }
    for (Written& written : written_)
        if (written.group.variables[0] == info.variable) {
            written.columns.push_back(column);
            return;
        }
    Written written;
    written.group = subsystem_.variables().group(std::span(&info.variable, 1));
    written.values.resize(info.type, written.group.size);
    written.columns.push_back(column);
    written_.push_back(std::move(written));
}

/// Inputs that the table does not have keep the values they have now.
void InputFeeder::read_base_values() {
    for (std::size_t i = 0; i < law_.base.size(); ++i) {
        const auto is_fed = [i](const TableLaw::Entry& entry) { return entry.port == i; };
        if (std::any_of(law_.entries.begin(), law_.entries.end(), is_fed)) continue;
        law_.base[i] = read_input(subsystem_, i);
    }
    Variables& variables = subsystem_.variables();
    for (Written& written : written_) variables.observe(written.group, written.values);
}

void InputFeeder::initialise(double t) {
    if (table_ == nullptr) return;
    read_base_values();
    hold(t, Side::after);
}

void InputFeeder::port_values(double t, Side side, std::span<double> values) const {
    std::copy(law_.base.begin(), law_.base.end(), values.begin());
    for (const TableLaw::Entry& entry : law_.entries)
        values[entry.port] = table_->real_at(entry.column, t, side);
}

void InputFeeder::hold(double t, Side side) {
    if (table_ == nullptr) return;
    write_variables(t, side);
    if (values_.empty()) return;
    port_values(t, side, values_);
    subsystem_.set_inputs({.values = values_});
    law_is_set_ = false;
}

void InputFeeder::set_course(Interval interval) {
    if (table_ == nullptr) return;
    write_variables(interval.begin, Side::after);
    if (values_.empty()) return;
    if (takes_laws_ && law_is_set_ && interval.begin < law_.end) return;
    port_values(interval.begin, Side::after, values_);
    if (takes_laws_) {
        law_.begin = interval.begin;
        law_.end =
            table_->next_jump(interval.begin).value_or(std::numeric_limits<double>::infinity());
        subsystem_.set_inputs({.values = values_, .law = &law_});
        law_is_set_ = true;
    } else if (subsystem_.interface().capabilities.input_derivatives > 0) {
        // The secant of the interval: right at both ends, whatever the table does between.
        port_values(interval.end, Side::before, slopes_);
        for (std::size_t i = 0; i < slopes_.size(); ++i)
            slopes_[i] = (slopes_[i] - values_[i]) / interval.length();
        subsystem_.set_inputs({.values = values_, .derivatives = slopes_, .order = 1});
    } else {
        subsystem_.set_inputs({.values = values_});
    }
}

std::optional<double> InputFeeder::next_jump(double t) const {
    const bool can_stop_there = subsystem_.interface().capabilities.variable_step;
    return table_ != nullptr && can_stop_there ? table_->next_jump(t) : std::nullopt;
}

double InputFeeder::next_point(Interval interval) const {
    const bool can_stop_there = subsystem_.interface().capabilities.variable_step;
    const bool asks_itself = dynamic_cast<const ode::HostedOde*>(&subsystem_) != nullptr;
    if (table_ == nullptr || !can_stop_there || asks_itself) return interval.end;
    return table_->next_bend(interval).value_or(interval.end);
}

void InputFeeder::update(Written& written, double t, Side side) const {
    for (const std::size_t i : written.columns) {
        const InputColumn& column = table_->columns()[i];
        const std::size_t row = table_->row_at(t, side);
        switch (storage_of(column.type)) {
            case Storage::reals:
                written.values.reals[column.element] = table_->real_at(i, t, side);
                break;
            case Storage::integers:
                written.values.integers[column.element] = column.values.integers[row];
                break;
            case Storage::strings:
                written.values.strings[column.element] = column.values.strings[row];
                break;
        }
    }
}

void InputFeeder::write_variables(double t, Side side) {
    for (Written& written : written_) {
        update(written, t, side);
        if (written.values == written.last) continue;
        subsystem_.variables().write(written.group, written.values);
        written.last = written.values;
    }
}

}  // namespace tandem::assemble
