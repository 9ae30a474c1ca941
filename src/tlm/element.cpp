#include "tlm/element.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::tlm {

TlmElement::Layout TlmElement::layout() const {
    Layout at;
    at.sent = components();
    at.put_in = at.sent + 1;
    at.taken_out = at.put_in + 1;
    at.received = at.taken_out + 1;
    at.attitude = at.received + (options_.damping > 0.0 ? components() : 0);
    at.width = at.attitude + (options_.turns ? 4 : 0);
    return at;
}

/// What arrives is what the other end has sent; what it received is its own. Waves may jump at the
/// start.
void TlmElement::start_end(int end, const Start& start, double t) {
    const Layout at = layout();
    const auto own = static_cast<std::size_t>(end), other = 1 - own;
    const auto put = [](std::span<const double> values, std::vector<double>& row, std::size_t to) {
        std::ranges::copy(values, row.begin() + static_cast<std::ptrdiff_t>(to));
    };
    for (auto* rows : {&first_rows_, &next_rows_})
        for (auto& row : *rows) row.resize(at.width, 0.0);
    put(start.arriving, first_rows_[other], at.waves);
    put(start.sent, next_rows_[own], at.waves);
    for (auto* rows : {&first_rows_, &next_rows_}) {
        if (options_.damping > 0.0) put(start.received, (*rows)[own], at.received);
        if (options_.turns) put(start.attitude, (*rows)[own], at.attitude);
    }
    first_powers_[other] = 0.0;
    for (std::size_t i = 0; i < components(); ++i)
        if (options_.impedance[i] > 0.0)
            first_powers_[other] +=
                start.arriving[i] * start.arriving[i] / (4.0 * options_.impedance[i]);
    for (std::size_t line = 0; line < 2; ++line) {
        lines[line].start(t, first_rows_[line]);
        if (!jumps_at_start(line)) continue;
        lines[line].add(t, next_rows_[line]);
        lines[line].mark_jump();
    }
    const double first = options_.delay * (first_powers_[0] + first_powers_[1]);
    balance = {.first = first, .stored = first, .most_stored = first};
    start_ = t;
    row_.assign(at.received, 0.0);
}

/// By more than rounding.
bool TlmElement::jumps_at_start(std::size_t line) const {
    for (std::size_t i = 0; i < components(); ++i) {
        const double before = first_rows_[line][i], behind = next_rows_[line][i];
        if (std::abs(behind - before) > 1e-12 * (std::abs(behind) + std::abs(before))) return true;
    }
    return false;
}

void TlmElement::balance_at(double t) {
    if (t <= start_) return;
    const Layout at = layout();
    const double delay = options_.delay;
    TlmBalance next{.first = balance.first, .most_created = balance.most_created, .at = balance.at};
    for (std::size_t line = 0; line < 2; ++line) {
        if (lines[line].read(t, row_) != DelayLine::Read::good) return;
        next.put_in += row_[at.put_in];
        next.taken_out += row_[at.taken_out];
        next.stored += row_[at.sent];
        if (lines[line].read(t - delay, row_) != DelayLine::Read::good) return;
        next.stored -= row_[at.sent];
        next.stored += first_powers_[line] * std::max(0.0, start_ - (t - delay));
    }
    next.most_stored = std::max(balance.most_stored, next.stored);
    next.created = next.taken_out + next.stored - next.put_in - next.first;
    if (next.created > next.most_created) {
        next.most_created = next.created;
        next.at = t;
    }
    balance = next;
}

}  // namespace tandem::tlm
