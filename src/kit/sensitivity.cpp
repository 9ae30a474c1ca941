#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/times.hpp"
#include "kit/access.hpp"
#include "kit/elements.hpp"
#include "kit/engine.hpp"

/// Directional derivatives of an Engine.
namespace tandem::kit {
namespace {

/// The scale of time where nothing is known of it.
constexpr double second = 1.0;
/// Times whose difference gives a slope are so many spacings apart.
constexpr double roundings = 16.0;

std::size_t total(std::span<const Slot> slots) {
    std::size_t count = 0;
    for (const Slot& slot : slots) count += slot.count;
    return count;
}

/// Puts the point back where it was when the scope ends, also when the model throws.
template <class F>
class AtEnd {
public:
    explicit AtEnd(F action) : action_(std::move(action)) {}
    ~AtEnd() { action_(); }
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;

private:
    F action_;
};

}  // namespace

void Engine::read(std::span<const Slot> slots, std::span<double> values) {
    std::size_t k = 0;
    for (const Slot& slot : slots) {
        const Record& record = (*records_)[slot.record];
        refresh(record.role);
        for (std::size_t i = 0; i < slot.count; ++i)
            values[k++] = read_real(record, slot.first + i);
    }
}

void Engine::write(std::span<const Slot> slots, std::span<const double> values) {
    std::size_t k = 0;
    for (const Slot& slot : slots)
        for (std::size_t i = 0; i < slot.count; ++i)
            write_real((*records_)[slot.record], slot.first + i, values[k++]);
    touch();
}

bool Engine::exact_suits(std::span<const Slot> unknowns, std::span<const Slot> knowns) const {
    if (!Access::has_exact_jacobian(*model_) || phase_ != Phase::running) return false;
    const auto role = [&](const Slot& slot) { return (*records_)[slot.record].role; };
    return std::ranges::all_of(knowns,
                               [&](const Slot& slot) {
                                   return role(slot) == Role::state || role(slot) == Role::input;
                               }) &&
           std::ranges::all_of(unknowns, [&](const Slot& slot) {
               return role(slot) == Role::derivative || role(slot) == Role::output ||
                      role(slot) == Role::state;
           });
}

void Engine::directional_derivative(std::span<const Slot> unknowns, std::span<const Slot> knowns,
                                    std::span<const double> seed, std::span<double> sensitivity) {
    if (exact_suits(unknowns, knowns))
        exact_derivative(unknowns, knowns, seed, sensitivity);
    else
        difference(unknowns, knowns, seed, sensitivity);
}

// result_i = sum over the given entries (i, k) of J_ik * seed_k; a state depends on itself.
void Engine::exact_derivative(std::span<const Slot> unknowns, std::span<const Slot> knowns,
                              std::span<const double> seed, std::span<double> sensitivity) {
    auto& entries = Access::entries(jacobian_);
    if (!jacobian_valid_) {
        entries.clear();
        refresh(Role::local);
        model_->jacobian(jacobian_);
        jacobian_valid_ = true;
    }
    std::fill(seeds_.begin(), seeds_.end(), 0.0);
    std::fill(results_.begin(), results_.end(), 0.0);
    std::size_t k = 0;
    for (const Slot& slot : knowns)
        for (std::size_t i = 0; i < slot.count; ++i) {
            const std::size_t element = offsets_[slot.record] + slot.first + i;
            seeds_[element] += seed[k];
            if ((*records_)[slot.record].role == Role::state) results_[element] += seed[k];
            ++k;
        }
    for (const auto& entry : entries)
        results_[offsets_[entry.unknown.record] + entry.unknown.index] +=
            entry.value * seeds_[offsets_[entry.known.record] + entry.known.index];
    k = 0;
    for (const Slot& slot : unknowns)
        for (std::size_t i = 0; i < slot.count; ++i)
            sensitivity[k++] = results_[offsets_[slot.record] + slot.first + i];
}

// The step e along the seed that moves the most sensitive known by cbrt(eps) of its size: there
// the truncation error e^2 and the rounding error eps/e of central differences balance.
double Engine::scale(std::span<const Slot> slots, std::span<const double> seed) const {
    const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
    double largest = 0.0;
    std::size_t k = 0;
    for (const Slot& slot : slots) {
        const Record& record = (*records_)[slot.record];
        const double nominal = record.attributes.nominal.value_or(1.0);
        for (std::size_t i = 0; i < slot.count; ++i) {
            const double size = std::max(std::abs(read_real(record, slot.first + i)), nominal);
            largest = std::max(largest, std::abs(seed[k++]) / size);
        }
    }
    return largest > 0.0 ? relative / largest : 0.0;
}

// (f(v + e * seed) - f(v - e * seed)) / 2e
void Engine::difference(std::span<const Slot> unknowns, std::span<const Slot> knowns,
                        std::span<const double> seed, std::span<double> sensitivity) {
    const double e = scale(knowns, seed);
    std::fill(sensitivity.begin(), sensitivity.end(), 0.0);
    if (e == 0.0) return;
    const std::size_t n = total(knowns);
    std::vector<double> base(n), moved(n), minus(sensitivity.size());
    read(knowns, base);
    const AtEnd restore([&] { write(knowns, base); });
    for (std::size_t i = 0; i < n; ++i) moved[i] = base[i] - e * seed[i];
    write(knowns, moved);
    read(unknowns, minus);
    for (std::size_t i = 0; i < n; ++i) moved[i] = base[i] + e * seed[i];
    write(knowns, moved);
    read(unknowns, sensitivity);
    for (std::size_t i = 0; i < sensitivity.size(); ++i)
        sensitivity[i] = (sensitivity[i] - minus[i]) / (2.0 * e);
}

// y(t + e, x + e dx, u + e du) - y(t - e, x - e dx, u - e du), over 2e. Where e is little against
// the rounding of t, what time does by itself is a difference of its own.
void Engine::time_derivative(std::span<const Slot> unknowns, std::span<const Slot> inputs,
                             std::span<const double> d_inputs, std::span<double> result) {
    const double t = time();
    const bool late = is_late(t, second);
    std::vector<double> x(state_count()), dx(state_count()), u(d_inputs.size()),
        moved_x(state_count()), moved_u(d_inputs.size()), minus(result.size());
    get_states(x);
    get_derivatives(dx);
    read(inputs, u);
    double largest = 1.0 / (late ? second : std::max(second, std::abs(t)));
    for (std::size_t i = 0; i < x.size(); ++i)
        largest = std::max(largest, std::abs(dx[i]) / std::max(std::abs(x[i]), nominals_[i]));
    const double e = std::cbrt(std::numeric_limits<double>::epsilon()) / largest;
    const auto evaluate = [&](double shift, std::span<double> y) {
        set_time(late ? t : t + shift);
        for (std::size_t i = 0; i < x.size(); ++i) moved_x[i] = x[i] + shift * dx[i];
        for (std::size_t i = 0; i < u.size(); ++i) moved_u[i] = u[i] + shift * d_inputs[i];
        set_states(moved_x);
        write(inputs, moved_u);
        read(unknowns, y);
    };
    {
        const AtEnd restore([&] {
            set_time(t);
            set_states(x);
            write(inputs, u);
        });
        evaluate(-e, minus);
        evaluate(e, result);
    }
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = (result[i] - minus[i]) / (2.0 * e);
    if (late) add_slopes_in_time(unknowns, std::max(e, roundings * spacing_of_times(t)), result);
}

// (y(t + width) - y(t - width)) / (2 width), where no other than time moves.
void Engine::add_slopes_in_time(std::span<const Slot> unknowns, double width,
                                std::span<double> result) {
    const double t = time(), before = t - width, behind = t + width;
    std::vector<double> first(result.size()), last(result.size());
    const AtEnd restore([&] { set_time(t); });
    set_time(before);
    read(unknowns, first);
    set_time(behind);
    read(unknowns, last);
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] += (last[i] - first[i]) / (behind - before);
}

}  // namespace tandem::kit
