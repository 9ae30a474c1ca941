#include "assemble/load/table_ode.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tandem/error.hpp"

namespace tandem::assemble {

TableOde::TableOde(std::unique_ptr<TableSource> table, double tolerance)
    : table_(std::move(table)), tolerance_(tolerance) {
    shape_.outputs = table_->interface().outputs;
    for (ode::Pattern* block : {&shape_.a, &shape_.b, &shape_.c, &shape_.d})
        block->entries.emplace();
    shape_.exact_jacobian = true;
    shape_.has_events = table_->next_jump(-std::numeric_limits<double>::infinity()).has_value();
    shape_.can_save = shape_.can_serialise = true;
}

void TableOde::enter_initialisation(const Experiment& experiment) {
    table_->enter_initialisation(experiment);
    table_->find_kinks(tolerance_);
    now_.t = experiment.start;
    update_discrete();
}

/// Up to the event the values before the jump count, also at its very time.
void TableOde::show() {
    table_->show(std::min(now_.t, now_.next_jump),
                 now_.t >= now_.next_jump ? Side::before : Side::after);
}

bool TableOde::set_point(const ode::OdePoint& point) {
    now_.t = point.t;
    show();
    return true;
}

bool TableOde::outputs(std::span<double> y) {
    table_->get_outputs(y);
    return true;
}

bool TableOde::jacobian_times(std::span<const double>, std::span<const double>, std::span<double>,
                              std::span<double> d_y) {
    std::ranges::fill(d_y, 0.0);
    return true;
}

ode::EventUpdate TableOde::update_discrete() {
    const std::optional<double> next = table_->next_jump(now_.t);
    now_.next_jump = next.value_or(std::numeric_limits<double>::infinity());
    show();
    return {.next_event_time = next};
}

void TableOde::restore(StateSlot slot) {
    now_ = saved_[static_cast<int>(slot)];
    show();
}

void TableOde::serialise(std::vector<std::byte>& bytes) {
    const auto* first = reinterpret_cast<const std::byte*>(&now_);
    bytes.insert(bytes.end(), first, first + sizeof now_);
}

void TableOde::deserialise(std::span<const std::byte> bytes) {
    if (bytes.size() != sizeof now_)
        throw InputError(name(), "the saved state does not fit this table",
                         "use a state that was saved from the same system");
    std::memcpy(&now_, bytes.data(), sizeof now_);
    show();
}

}  // namespace tandem::assemble
