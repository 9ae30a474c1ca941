#include "core/switches.hpp"

#include <algorithm>
#include <cmath>

namespace tandem {

Switches::Switches(std::vector<FunctionLink>& functions) {
    std::vector<FunctionLink*> links;
    std::size_t count = 0, most = 0;
    for (FunctionLink& link : functions) {
        const auto* call = link.function.target<SwitchedCall>();
        if (call == nullptr) continue;
        links.push_back(&link);
        functions_.push_back({call->of, link.outputs, "'" + call->of->text() + "'", count});
        for (int k = 0; k < call->of->switch_count(); ++k) {
            has_timed_ = has_timed_ || call->of->is_timed(k);
            if (!call->of->is_timed(k)) watched_.push_back({functions_.size() - 1, k});
        }
        count += static_cast<std::size_t>(call->of->switch_count());
        most = std::max(most, link.outputs.size());
    }
    watch_kinks();
    held_.resize(count);
    outcomes_.resize(count);
    signals_.resize(most);
    release();
    for (std::size_t i = 0; i < links.size(); ++i)
        links[i]->function = HeldCall{functions_[i].of, held_of(functions_[i]), outcomes_of(i)};
}

std::span<double> Switches::outcomes_of(std::size_t function) {
    return std::span(outcomes_).subspan(functions_[function].begin,
                                        held_of(functions_[function]).size());
}

void Switches::watch_kinks() {
    for (std::size_t f = 0; f < functions_.size(); ++f)
        for (int k = 0; k < functions_[f].of->kink_count(); ++k) {
            watched_.push_back({f, k});
            ++kink_count_;
        }
}

void Switches::release() {
    std::ranges::fill(held_, std::numeric_limits<double>::quiet_NaN());
    switch_ = kink_ = {};
}

std::span<const double> Switches::signals_of(const Function& function, std::span<const double> y) {
    for (std::size_t i = 0; i < function.outputs.size(); ++i)
        signals_[i] = y[static_cast<std::size_t>(function.outputs[i])];
    return std::span(signals_).first(function.outputs.size());
}

void Switches::indicators(double t, std::span<const double> y, std::span<double> z) {
    const std::size_t relations = watched_.size() - static_cast<std::size_t>(kink_count_);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const Function& function = functions_[watched_[i].function];
        const auto signals = signals_of(function, y), held = held_of(function);
        z[i] = i < relations ? function.of->indicator(watched_[i].number, t, signals, held)
                             : function.of->kink(watched_[i].number, t, signals, held);
    }
}

const std::string& Switches::indicator_name(int i) const {
    return functions_[watched_[static_cast<std::size_t>(i)].function].name;
}

/// Inner relations come first, so that outer ones see their new outcome.
bool Switches::update(Function& function, bool timed_only, double t,
                      std::span<const double> signals) {
    bool changed = false;
    for (int k = 0; k < function.of->switch_count(); ++k) {
        if (timed_only && !function.of->is_timed(k)) continue;
        double& held = held_[function.begin + static_cast<std::size_t>(k)];
        const double now = function.of->outcome(k, t, signals, held_of(function));
        changed = changed || !(now == held || (std::isnan(now) && std::isnan(held)));
        held = now;
    }
    return changed;
}

bool Switches::update(double t, std::span<const double> y) {
    bool changed = false;
    for (Function& function : functions_)
        changed = update(function, false, t, signals_of(function, y)) || changed;
    return changed;
}

bool Switches::update_timed(double t) {
    bool changed = false;
    for (Function& function : functions_) changed = update(function, true, t, {}) || changed;
    return changed;
}

double Switches::next(double t, Found& found,
                      double (SwitchedFunction::*find)(double, double) const) {
    if (found.from <= t && t < found.next) return found.next;
    found = {t, std::numeric_limits<double>::infinity()};
    for (const Function& function : functions_)
        found.next = std::min(found.next, ((*function.of).*find)(t, std::min(found.next, end_)));
    return found.next;
}

void Switches::restore(std::span<const double> held) { std::ranges::copy(held, held_.begin()); }

}  // namespace tandem
