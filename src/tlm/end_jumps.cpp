#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tlm/end.hpp"

#include "tandem/extend/index.hpp"

/// Jumps of waves and flows. What is sent has the integral of what it stands for, whatever jumps:
/// that is the momentum that goes through the line.
namespace tandem::tlm {
namespace {

/// How far from its place a row of these may be, as a part of what is between them: or by rounding
/// of its time, but not by more than a quarter.
constexpr double even_places = 1e-6, spacings_of_rounding = 4.0, most_of_place = 0.25;
/// Of a jump: where straight lines miss more than that, it is not resolved.
constexpr double resolved_part = 0.01;
/// A jump is resolved while what follows it changes by less than this part of it from row to row:
/// until it is about as much below as above, so that little energy is lost with it.
constexpr double resolved_change = 1.5;
/// In delays: a jump that has not come back after so long has been sent as a mean elsewhere.
constexpr double last_return = 2.5;
/// A flow that changes by less than this part of it does not jump.
constexpr double smallest_flow_jump = 1e-9;
/// A shift of what arrives by less than this part of it is rounding.
constexpr double rounding = 1e-13;
/// Of the rule of Gauss with two points, in the middle between -1 and 1.
const double gauss_point = 1.0 / std::sqrt(3.0);

}  // namespace

bool TlmEnd::may_jump_since(double t) const {
    const auto& lines = element_->lines;
    return lines[index(1 - end_)].may_jump_since(t - delay_) ||
           (is_damped_ && lines[index(end_)].may_jump_since(t - delay_));
}

bool TlmEnd::jumps_within(Interval interval) const {
    if (!may_jump_since(interval.begin)) return false;
    const auto& lines = element_->lines;
    const Interval sent{interval.begin - delay_, interval.end - delay_};
    return lines[index(1 - end_)].jumps_within(sent.begin, sent.end) ||
           (is_damped_ && lines[index(end_)].jumps_within(sent.begin, sent.end));
}

/// Of what arrives. Waves are straight between rows, and so nearly are moments that turn.
void TlmEnd::find_mean(Interval interval, Vector& mean) const {
    const DelayLine &other = element_->lines[index(1 - end_)], &own = element_->lines[index(end_)];
    const Interval sent{interval.begin - delay_, interval.end - delay_};
    mean = {};
    for (double from = sent.begin, to = from; from < sent.end; from = to) {
        to = std::min(sent.end, other.next_time(from));
        if (is_damped_) to = std::min(to, own.next_time(from));
        for (const double side : {-gauss_point, gauss_point}) {
            Vector wave;
            receive<false>(delay_ + from + 0.5 * (1.0 + side) * (to - from), wave);
            for (std::size_t i = 0; i < components_; ++i)
                mean[i] += 0.5 * (to - from) / sent.length() * wave[i];
        }
    }
}

/// Who takes a straight line gets one with the mean of what arrives.
void TlmEnd::meet_jumps(Side end_side) {
    Interval looked_at = interval_;
    if (end_side == Side::behind) looked_at.end = just_behind(interval_.end);
    if (!jumps_within(looked_at)) return;
    now_.has_jumped = true;
    if (exchange() == TlmExchange::continuous || exchange() == TlmExchange::sampled) return;
    Vector shift;
    find_mean(interval_, shift);
    for (std::size_t i = 0; i < components_; ++i) {
        Component& own = now_.components[i];
        shift[i] -= 0.5 * (own.wave + own.next_wave);
        if (std::abs(shift[i]) < rounding * (std::abs(own.wave) + std::abs(own.next_wave)))
            shift[i] = 0.0;
        own.shift = shift[i];
        own.wave += shift[i];
        own.next_wave += shift[i];
    }
    look_at_shift(shift);
    turn<false>(shift);
    for (std::size_t i = 0; i < components_; ++i) now_.components[i].effort += shift[i];
}

void TlmEnd::reach_end() {
    if (!now_.has_jumped) return;
    for (std::size_t i = 0; i < components_; ++i)
        now_.components[i].next_wave -= now_.components[i].shift;
}

/// A row that is higher by d brings the impulse d h more, with rows h apart. So the row at the end
/// of a part in which what arrives jumps brings what a straight line there would miss.
void TlmEnd::find_correction(double t) {
    Vector shift{};
    if (exchange() != TlmExchange::continuous) {
        if (t >= interval_.end) take<false>(&Component::shift, shift);
    } else if (jumps_within({now_.sent_at, t < interval_.end ? just_behind(t) : t})) {
        Vector begin, end;
        find_mean({now_.sent_at, t}, shift);
        receive<false>(now_.sent_at, begin);
        receive<false>(t, end, t < interval_.end ? Side::behind : Side::before);
        for (std::size_t i = 0; i < components_; ++i) shift[i] -= 0.5 * (begin[i] + end[i]);
        look_at_shift(shift);
    }
    turn<false>(shift);
    const bool is_over = t - now_.jumped_at > last_return * delay_;
    const double h = row_spacing();
    for (std::size_t i = 0; i < components_; ++i) {
        Component& own = now_.components[i];
        if (is_over) own.impulse += std::exchange(own.owed, 0.0);
        correction_[i] = sign_ * shift[i] + std::exchange(own.impulse, 0.0) / h;
    }
}

void TlmEnd::go_behind_jump() {
    now_.has_jumped = true;
    find_sent(&Component::next_wave, before_);
    find_correction(interval_.end);
    Vector behind;
    receive<false>(interval_.end, behind);
    for (std::size_t i = 0; i < components_; ++i) {
        Component& own = now_.components[i];
        before_.waves[i] += correction_[i];
        own.wave = own.next_wave = behind[i];
        own.shift = 0.0;
        if (!table_.empty()) table_[table_.size() - components_ + i] = behind[i];
    }
    turn<false>(behind);
    for (std::size_t i = 0; i < components_; ++i) {
        Component& own = now_.components[i];
        own.effort = behind[i] + own.effort_by_flow * own.flow;
    }
}

/// What is sent with this wave and the flow.
void TlmEnd::find_sent(double Component::*wave, Sent& sent) const {
    take<false>(wave, sent.received);
    Vector arrived = sent.received;
    turn<false>(arrived);
    for (std::size_t i = 0; i < components_; ++i) {
        const Component& own = now_.components[i];
        sent.waves[i] = sign_ * arrived[i] + 2.0 * own.impedance * own.flow;
    }
}

/// Straight lines behind the jump miss an impulse. While the jump stays a jump that is owed: the
/// energy that they have more than what follows the jump is about what the mean will lose. The mean
/// of both sides is sent once the jump is no longer resolved, or at once where nothing is known
/// of what is missed; it brings all that is owed.
void TlmEnd::end_jump(std::span<const double> outputs, const Vector* missed) {
    take_flow(outputs);
    now_.flow_has_jumped = false;
    now_.jumped_at = interval_.end;
    Sent behind{};
    find_sent(&Component::next_wave, behind);
    Vector impulse = missed == nullptr ? Vector{} : *missed;
    rotate<false>(impulse, false);
    for (std::size_t i = 0; i < components_; ++i) {
        impulse[i] *= 2.0 * now_.components[i].impedance;
        now_.components[i].owed += impulse[i];
        behind.waves[i] += correction_[i];
    }
    const bool stays = missed != nullptr && is_resolved(behind, impulse);
    if (stays)
        send<false>(interval_.end, before_);
    else
        find_mean_row(behind);
    send<false>(interval_.end, behind);
    if (stays) element_->lines[index(end_)].mark_jump();
    element_->lines[index(end_)].publish();
}

/// It stands for the row before, h0 after the last one, and the row behind, h1 before the next one:
/// (h0 before + h1 behind) / (h0 + h1). A row that is higher by r there brings r (h0 + h1) / 2
/// more.
void TlmEnd::find_mean_row(Sent& behind) {
    const double h0 = interval_.end - now_.sent_at, h1 = row_spacing();
    for (std::size_t i = 0; i < components_; ++i) {
        double& owed = now_.components[i].owed;
        behind.waves[i] = (h0 * before_.waves[i] + h1 * behind.waves[i] + 2.0 * owed) / (h0 + h1);
        owed = 0.0;
    }
}

/// After n reflections by ends that answer at the rate a, a jump d is followed by
/// d e^(-a s) L_n(2 a s) with the Laguerre polynomial L_n, which begins with d (1 - (2 n + 1) a s).
/// For a jump d, `impulse` is a h^2 / 6 d.
bool TlmEnd::is_resolved(const Sent& behind, const Vector& impulse) {
    double answer = 0.0;
    now_.last_jump = 0.0;
    for (std::size_t i = 0; i < components_; ++i) {
        const double jump = std::abs(behind.waves[i] - before_.waves[i]);
        now_.last_jump = std::max(now_.last_jump, jump);
        answer = std::max(answer, std::abs(impulse[i]));
    }
    const double change = (2.0 * now_.reflections + 1.0) * 6.0 / row_spacing() * answer;
    if (!now_.is_resolved || change > resolved_change * now_.last_jump) return false;
    if (answer > 0.0) ++now_.reflections;
    return true;
}

/// What a straight line behind a jump misses of what arrives shows how sharp that has become.
void TlmEnd::look_at_shift(const Vector& shift) {
    double largest = 0.0;
    for (std::size_t i = 0; i < components_; ++i) largest = std::max(largest, std::abs(shift[i]));
    if (largest > resolved_part * now_.last_jump) now_.is_resolved = false;
}

void TlmEnd::owe(const Vector& missed) {
    Vector flow = missed;
    rotate<false>(flow, false);
    now_.has_jumped = true;
    for (std::size_t i = 0; i < components_; ++i)
        now_.components[i].impulse = 2.0 * now_.components[i].impedance * flow[i];
}

void TlmEnd::take_flow(std::span<const double> outputs) {
    Vector flow;
    find_flow<false>(outputs, flow);
    for (std::size_t i = 0; i < components_; ++i) {
        Component& own = now_.components[i];
        const double change = flow[i] - own.flow;
        if (std::abs(change) > smallest_flow_jump * (std::abs(flow[i]) + std::abs(own.flow)))
            now_.has_jumped = now_.flow_has_jumped = true;
        own.effort += own.effort_by_flow * change;
        own.flow = flow[i];
    }
}

/// The flow has jumped where the step began, after the row there was sent.
void TlmEnd::send_begin() {
    now_.flow_has_jumped = false;
    Sent sent{};
    find_sent(&Component::wave, sent);
    send<false>(just_behind(interval_.begin), sent);
    element_->lines[index(end_)].mark_jump();
}

bool TlmEnd::sends_inside() const {
    return exchange() == TlmExchange::continuous && (has_dense_trace_ || !now_.has_jumped);
}

double TlmEnd::row_spacing() const {
    return interval_.length() * (sends_inside() ? even_part : 1.0);
}

double TlmEnd::next_stop(double t) const {
    constexpr double none = std::numeric_limits<double>::infinity();
    if (!now_.has_jumped || exchange() != TlmExchange::continuous || !has_dense_trace_) return none;
    const double h = row_spacing();
    double next = std::floor((t - interval_.begin) / h + place_width()) + 1.0;
    if (interval_.begin + next * h <= t) ++next;
    return next < interval_.length() / h - most_of_place ? interval_.begin + next * h : none;
}

double TlmEnd::place_width() const {
    const double rounding_of_time = spacings_of_rounding * spacing_of_times(interval_.end);
    return std::clamp(rounding_of_time / row_spacing(), even_places, most_of_place);
}

/// Of the points inside the step: both sides of an event where flows jump. Otherwise those that are
/// not very near each other, and even ones after something has jumped.
TlmEnd::Row TlmEnd::row_at(const OutputTrace& trace, std::size_t k) const {
    const double t = trace.times[k];
    if (t <= interval_.begin) return Row::none;
    const bool ends = t == trace.times[k + 1], begins = t == trace.times[k - 1];
    if ((ends && flow_jumps(trace.row(k), trace.row(k + 1))) ||
        (begins && flow_jumps(trace.row(k - 1), trace.row(k))))
        return Row::jump;
    if (begins) return Row::none;
    if (ends) return Row::smooth;
    if (!now_.has_jumped || !sends_inside())
        return t - now_.now >= spacing_ && interval_.end - t >= spacing_ ? Row::smooth : Row::none;
    const double h = row_spacing(), place = (t - interval_.begin) / h;
    const bool is_inside = place > 0.5 && interval_.end - t > 0.5 * h;
    const bool is_even = std::abs(place - std::round(place)) < place_width();
    return is_inside && is_even ? Row::smooth : Row::none;
}

bool TlmEnd::flow_jumps(std::span<const double> before, std::span<const double> behind) const {
    Vector one, other;
    find_flow<false>(before, one);
    find_flow<false>(behind, other);
    for (std::size_t i = 0; i < components_; ++i)
        if (std::abs(other[i] - one[i]) >
            smallest_flow_jump * (std::abs(one[i]) + std::abs(other[i])))
            return true;
    return false;
}

}  // namespace tandem::tlm
