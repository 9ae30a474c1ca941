#include "tlm/end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::tlm {
namespace {

/// Times that differ by less than this part of the delay are equal.
constexpr double same_time = 1e-10;
/// Rows that `continuous` sends at most: in a delay, but at least and at most in a step.
constexpr double rows_of_delay = 512.0, fewest_rows = 16.0, most_rows = 128.0;
/// Rows are read up to two delays back, by who may be one delay behind; to find them, rows up to
/// twice as old are looked at.
constexpr double kept_delays = 3.0, kept_steps = 2.0, spare = 2.1;
/// Steps end with two rows where waves jump.
constexpr double rows_of_jump = 2.0;
/// What events inside a macro step add to that.
constexpr std::size_t rows_of_events = 64;
/// Steps from one look at the energy to the next, unless a delay is longer.
constexpr double steps_of_check = 64.0;
/// Echoes of a jump come for ever; less than this part of what arrives is none.
constexpr double smallest_jump = 1e-9;

}  // namespace

namespace {

constexpr std::array<std::string_view, 4> exchange_names = {"sampled", "coarse", "fine", "law"};

}  // namespace

std::string_view to_string(TlmExchange exchange) {
    return exchange_names[static_cast<std::size_t>(exchange)];
}

std::optional<TlmExchange> exchange_named(std::string_view name) {
    if (name == "intermediate") return TlmExchange::continuous;
    const auto found = std::ranges::find(exchange_names, name);
    if (found == exchange_names.end()) return std::nullopt;
    return static_cast<TlmExchange>(found - exchange_names.begin());
}

TlmEnd::TlmEnd(std::shared_ptr<TlmElement> element, int end, TlmPorts ports, TlmReading reading)
    : element_(std::move(element)),
      components_(element_->components()),
      end_(end),
      reading_(reading),
      at_(element_->layout()),
      ports_(std::move(ports)) {
    expects(components_ <= most_components, "a line has at most six components");
    expects(ports_.flows.size() == components_, "each component of a line has a flow");
    expects(ports_.efforts.empty() || ports_.efforts.size() == components_,
            "each component of a line has an effort");
    const TlmOptions& line = element_->options();
    has_frame_ = ports_.rotation != TlmPorts{}.rotation;
    turns_ = line.turns;
    is_damped_ = line.damping > 0.0;
    takes_waves_ = ports_.takes_waves;
    takes_slope_ = ports_.slope >= 0;
    sign_ = line.sign;
    delay_ = line.delay;
    for (std::size_t i = 0; i < components_; ++i) {
        const double z = line.impedance[i];
        now_.components[i] = {.impedance = z,
                              .effort_by_flow = sign_ * z,
                              .power_by_square = z > 0.0 ? 1.0 / (4.0 * z) : 0.0,
                              .flow_port = ports_.flows[i],
                              .effort_port = ports_.efforts.empty() ? -1 : ports_.efforts[i]};
    }
}

void TlmEnd::prepare(const TlmSteps& steps, bool splits_jumps, bool has_dense_trace) {
    has_dense_trace_ = has_dense_trace;
    const TlmOptions& line = element_->options();
    spacing_ = steps.length /
               std::clamp(rows_of_delay * steps.length / line.delay, fewest_rows, most_rows);
    const double rate = (splits_jumps ? rows_of_jump : 1.0) / steps.length +
                        (exchange() == TlmExchange::continuous ? 1.0 / spacing_ : 0.0);
    kept_span_ = kept_delays * line.delay + kept_steps * steps.length + steps.macro;
    const auto rows = [rate](double time) {
        return static_cast<std::size_t>(std::ceil(rate * time));
    };
    step_rows_ = rows(steps.macro) + (steps.has_events ? rows_of_events : 0);
    element_->lines[index(end_)].prepare(
        {.width = static_cast<std::uint32_t>(at_.width),
         .capacity = static_cast<std::uint32_t>(rows(spare * kept_span_) + step_rows_),
         .same_time = same_time * line.delay,
         .interpolation = line.interpolation});
    own_row_.assign(at_.width, 0.0);
    table_times_.assign(exchange() == TlmExchange::fine ? reading_.samples : 0, 0.0);
    table_.assign(table_times_.size() * components_, 0.0);
}

void TlmEnd::make_room() {
    element_->lines[index(end_)].make_room(step_rows_, now_.now - kept_span_);
}

/// Efforts at rest are opposite where they act on the subsystems, and equal where they are those at
/// the ends of the line.
void TlmEnd::put_preload(std::span<double> inputs) const {
    if (takes_waves_ || element_->options().preload.empty()) return;
    Vector efforts{};
    std::ranges::copy(element_->options().preload, efforts.begin());
    if (end_ == 1)
        for (double& effort : efforts) effort *= sign_;
    put_components<false>(efforts, inputs);
}

void TlmEnd::start(double t, std::span<const double> outputs) {
    const TlmOptions& line = element_->options();
    now_.put_in = now_.taken_out = now_.sent_energy = 0.0;
    now_.attitude = {1, 0, 0, 0};
    now_.has_jumped = now_.flow_has_jumped = false;
    now_.is_resolved = true;
    now_.reflections = 0;
    now_.last_jump = 0.0;
    now_.jumped_at = t;
    now_.now = now_.sent_at = next_check_ = t;
    if (turns_) now_.attitude = attitude_of(outputs);
    Vector flow{}, arriving{}, received{}, sent{};
    find_flow<false>(outputs, flow);
    for (std::size_t i = 0; i < line.preload.size(); ++i)
        arriving[i] = line.preload[i] * (end_ == 1 ? sign_ : 1.0) - effort_by_flow(i) * flow[i];
    received = arriving;
    if (turns_) turn_back(received, now_.attitude);
    for (std::size_t i = 0; i < components_; ++i) {
        Component& own = now_.components[i];
        own.wave = received[i];
        own.flow = flow[i];
        own.effort = arriving[i] + own.effort_by_flow * flow[i];
        own.shift = own.impulse = own.owed = 0.0;
        own.sent = sent[i] = sign_ * arriving[i] + 2.0 * own.impedance * flow[i];
    }
    hold_table();
    const auto used = [&](const Vector& vector) { return std::span(vector).first(components_); };
    element_->start_end(end_, {used(arriving), used(received), used(sent), now_.attitude}, t);
}

bool TlmEnd::read(const DelayLine& line, Instant instant, std::span<double> row, Side side) const {
    switch (line.read(instant, row, side)) {
        case DelayLine::Read::good: break;
        case DelayLine::Read::at_jump: return true;
        case DelayLine::Read::too_late:
            throw NumericsError(fmt::format(
                "tlm '{}': the step from {:.9g} to {:.9g} needs waves up to {:.9g}, its other end "
                "has sent them up to {:.9g}\n  hint: no step may be longer than the delay, {:.6g}, "
                "or half of it where each subsystem steps at its own pace",
                element_->options().name, interval_.begin, interval_.end, instant.t, line.newest(),
                element_->options().delay));
        case DelayLine::Read::forgotten:
            throw NumericsError(fmt::format(
                "tlm '{}': steps have become so short that waves of {:.9g} are no longer kept\n  "
                "hint: a shorter communication step makes room for more; with step control, set "
                "its min_step",
                element_->options().name, instant.t));
    }
    return false;
}

template <bool single>
bool TlmEnd::receive(Instant instant, Vector& wave, Side side) const {
    const Instant sent = instant.before(delay_);
    const auto row = std::span(wave).first(count<single>());
    bool jumps = read(element_->lines[index(1 - end_)], sent, row, side);
    if (turns_ || is_damped_) jumps |= receive_changed(sent, wave, side);
    return jumps;
}

void TlmEnd::begin_step(Interval interval, Side end_side) {
    interval_ = interval;
    is_held_ = false;
    is_single() ? read_end<true>(end_side) : read_end<false>(end_side);
    if (may_jump_since(interval.begin)) meet_jumps(end_side);
    if (exchange() == TlmExchange::fine) fill_table();
}

/// The step ends before a jump, the next one begins behind it.
template <bool single>
void TlmEnd::read_end(Side side) {
    Vector wave;
    jumps_ = receive<single>(interval_.end, wave, side);
    if (jumps_) {
        Vector behind;
        receive<single>(interval_.end, behind);
        double largest = 0.0, jump = 0.0;
        for (std::size_t i = 0; i < count<single>(); ++i) {
            largest = std::max(largest, std::abs(wave[i]));
            jump = std::max(jump, std::abs(behind[i] - wave[i]));
        }
        jumps_ = jump > smallest_jump * largest;
    }
    for (std::size_t i = 0; i < count<single>(); ++i) now_.components[i].next_wave = wave[i];
}

void TlmEnd::fill_table() {
    Vector wave;
    for (std::size_t k = 0; k < table_times_.size(); ++k) {
        const double part = static_cast<double>(k) / static_cast<double>(table_times_.size() - 1);
        table_times_[k] = interval_.begin + part * interval_.length();
        if (k + 1 < table_times_.size())
            receive<false>(table_times_[k], wave);
        else
            take<false>(&Component::next_wave, wave);
        for (std::size_t i = 0; i < components_; ++i) {
            const Component& own = now_.components[i];
            if (own.shift != 0.0) wave[i] = own.wave + part * (own.next_wave - own.wave);
            table_[k * components_ + i] = wave[i];
        }
    }
}

/// What has arrived, from now on.
void TlmEnd::hold_table() {
    for (std::size_t k = 0; k < table_times_.size(); ++k) {
        table_times_[k] = now_.now + static_cast<double>(k) * spacing_;
        for (std::size_t i = 0; i < components_; ++i)
            table_[k * components_ + i] = now_.components[i].wave;
    }
}

/// So near to its end a step is there.
double TlmEnd::near_end() const {
    return DelayLine::width_of_time(interval_.end, same_time * delay_);
}

/// As the exchange has it.
template <bool single>
void TlmEnd::wave_inside(Instant instant, Vector& wave) const {
    const double passed = instant.since(interval_.begin);
    const std::size_t n = count<single>();
    switch (exchange()) {
        case TlmExchange::sampled: return take<single>(&Component::wave, wave);
        case TlmExchange::coarse: {
            const double part = passed / interval_.length();
            for (std::size_t i = 0; i < n; ++i) {
                const Component& own = now_.components[i];
                wave[i] = own.wave + part * (own.next_wave - own.wave);
            }
            return;
        }
        case TlmExchange::fine: {
            const auto parts = static_cast<double>(table_times_.size() - 1);
            const double place = std::clamp(passed / interval_.length() * parts, 0.0, parts);
            const double first = std::min(std::floor(place), parts - 1.0);
            const double* before = table_.data() + static_cast<std::size_t>(first) * n;
            for (std::size_t i = 0; i < n; ++i)
                wave[i] = before[i] + (place - first) * (before[n + i] - before[i]);
            return;
        }
        case TlmExchange::continuous:
            if (interval_.length() - passed <= near_end())
                return take<single>(&Component::next_wave, wave);
            receive<single>(instant, wave);
            return;
    }
}

template <bool single>
void TlmEnd::take(double Component::*value, Vector& values) const {
    for (std::size_t i = 0; i < count<single>(); ++i) values[i] = now_.components[i].*value;
}

template <bool single>
void TlmEnd::find_flow(std::span<const double> outputs, Vector& flow) const {
    for (std::size_t i = 0; i < count<single>(); ++i)
        flow[i] = outputs[index(now_.components[i].flow_port)];
    rotate<single>(flow, false);
}

/// Efforts or waves, from the frame of the system.
template <bool single>
void TlmEnd::put_components(Vector& values, std::span<double> inputs) const {
    if (now_.components[0].effort_port < 0) return;
    rotate<single>(values, true);
    for (std::size_t i = 0; i < count<single>(); ++i)
        inputs[index(now_.components[i].effort_port)] = values[i];
}

void TlmEnd::put(Instant instant, std::span<const double> outputs, std::span<double> inputs) const {
    Vector wave;
    wave_inside<false>(instant, wave);
    if (takes_slope_) inputs[index(ports_.slope)] = 0.0;  // it is in the wave
    put_wave<false>(wave, outputs, inputs);
    put_table(inputs);
}

void TlmEnd::put_end(std::span<const double> outputs, std::span<double> inputs) const {
    Vector wave;
    take<false>(&Component::next_wave, wave);
    if (takes_slope_) inputs[index(ports_.slope)] = 0.0;
    is_single() ? put_wave<true>(wave, outputs, inputs) : put_wave<false>(wave, outputs, inputs);
}

template <bool single>
void TlmEnd::put_wave(Vector& wave, std::span<const double> outputs,
                      std::span<double> inputs) const {
    if (!takes_waves_) {
        Vector flow;
        find_flow<single>(outputs, flow);
        if (!single && turns_) turn_moments(wave, attitude_of(outputs));
        for (std::size_t i = 0; i < count<single>(); ++i) wave[i] += effort_by_flow(i) * flow[i];
    }
    put_components<single>(wave, inputs);
}

void TlmEnd::put_table(std::span<double> inputs) const {
    if (exchange() != TlmExchange::fine) return;
    for (std::size_t k = 0; k < ports_.times.size(); ++k) {
        inputs[index(ports_.times[k])] = table_times_[k];
        inputs[index(ports_.points[k])] = table_[k];
    }
}

void TlmEnd::put_now(std::span<double> inputs) const {
    is_single() ? put_now<true>(inputs) : put_now<false>(inputs);
}

template <bool single>
void TlmEnd::put_now(std::span<double> inputs) const {
    Vector values;
    take<single>(takes_waves_ ? &Component::wave : &Component::effort, values);
    if (takes_waves_) turn<single>(values);
    if (takes_slope_) inputs[index(ports_.slope)] = 0.0;
    put_components<single>(values, inputs);
    put_table(inputs);
}

void TlmEnd::put_line(std::span<double> inputs, std::span<double> slopes) {
    is_single() ? put_line<true>(inputs, slopes) : put_line<false>(inputs, slopes);
}

template <bool single>
void TlmEnd::put_line(std::span<double> inputs, std::span<double> slopes) {
    is_held_ = !takes_waves_;
    put_now<single>(inputs);
    const std::size_t n = count<single>();
    Vector wave, slope;
    take<single>(&Component::wave, wave);
    take<single>(&Component::next_wave, slope);
    turn<single>(wave);
    turn<single>(slope);
    const double rate = exchange() == TlmExchange::sampled ? 0.0 : 1.0 / interval_.length();
    for (std::size_t i = 0; i < n; ++i) slope[i] = rate * (slope[i] - wave[i]);
    if (takes_slope_) inputs[index(ports_.slope)] = slope[0];
    const bool is_told = !takes_slope_ && !slopes.empty();
    for (std::size_t i = 0; i < n; ++i)
        now_.components[i].effort_slope = slope[i] = is_told ? slope[i] : 0.0;
    if (!slopes.empty()) put_components<single>(slope, slopes);
}

void TlmEnd::end_step(std::span<const double> outputs, const OutputTrace* trace) {
    is_single() ? send_step<true>(outputs, trace) : send_step<false>(outputs, trace);
    if (end_ != 0 || interval_.end < next_check_) return;
    next_check_ = interval_.end + std::max(delay_, steps_of_check * interval_.length());
    element_->balance_at(interval_.end - delay_);
}

/// At the start of the step none is sent: others may have read already what was there.
template <bool single>
void TlmEnd::send_step(std::span<const double> outputs, const OutputTrace* trace) {
    const bool has_trace = trace != nullptr && trace->times.size() > 1;
    if (has_trace && trace->times[1] <= interval_.begin) take_flow(trace->row(1));
    if (now_.flow_has_jumped) send_begin();
    for (std::size_t k = 1; has_trace && k + 1 < trace->times.size(); ++k) {
        const Row row = row_at(*trace, k);
        if (row == Row::none) continue;
        now_.has_jumped = now_.has_jumped || row == Row::jump;
        pass<single>(trace->times[k], trace->row(k), row == Row::jump || sends_inside());
        if (row == Row::jump) element_->lines[index(end_)].mark_jump();
    }
    pass<single>(interval_.end, outputs, !jumps_);
    if (jumps_) return;
    element_->lines[index(end_)].publish();
    for (std::size_t i = 0; i < count<single>(); ++i) {
        now_.components[i].wave = now_.components[i].next_wave;
        now_.components[i].shift = 0.0;
    }
}

/// The subsystem has come to t with these outputs. Its work since the last time is that of what it
/// felt: held values and slopes make that something else than what was right. With efforts and
/// flows on straight lines from (e0, f0) to (e1, f1) it is h / 6 (e0 (2 f0 + f1) + e1 (f0 + 2 f1)).
/// At the end of a step the effort may jump to what is right.
template <bool single>
void TlmEnd::pass(double t, std::span<const double> outputs, bool sends) {
    const std::size_t n = count<single>();
    Vector flow, arrived, felt;
    find_flow<single>(outputs, flow);
    if (!single && turns_) now_.attitude = attitude_of(outputs);
    if (t < interval_.end)
        wave_inside<single>(t, arrived);
    else
        take<single>(&Component::next_wave, arrived);
    Sent sent{};
    if (is_damped_) sent.received = arrived;
    turn<single>(arrived);
    const bool is_sampled = exchange() == TlmExchange::sampled;
    if (is_sampled) {
        take<single>(&Component::wave, felt);
        turn<single>(felt);
    }
    double work = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        Component& own = now_.components[i];
        const double effort_of_flow = own.effort_by_flow * flow[i];
        const double right = arrived[i] + effort_of_flow;
        const double applied = is_held_     ? own.effort + own.effort_slope * (t - interval_.begin)
                               : is_sampled ? felt[i] + effort_of_flow
                                            : right;
        work += own.effort * (2.0 * own.flow + flow[i]) + applied * (own.flow + 2.0 * flow[i]);
        own.flow = flow[i];
        own.effort = t < interval_.end ? applied : right;
        sent.waves[i] = sign_ * arrived[i] + 2.0 * own.impedance * own.flow;
    }
    work *= sign_ * (t - now_.now) / 6.0;
    (work > 0.0 ? now_.put_in : now_.taken_out) += std::abs(work);
    now_.now = t;
    if (!sends) return;
    if (now_.has_jumped) {
        find_correction(t);
        for (std::size_t i = 0; i < n; ++i) sent.waves[i] += correction_[i];
    }
    send<single>(t, sent);
}

/// The energy of a wave on a straight line from a to b is h / 3 (a^2 + a b + b^2) / (4 Z).
template <bool single>
void TlmEnd::send(double t, const Sent& sent) {
    DelayLine& line = element_->lines[index(end_)];
    const std::span<double> row = line.next_row();
    double squares = 0.0;
    for (std::size_t i = 0; i < count<single>(); ++i) {
        Component& own = now_.components[i];
        const double wave = sent.waves[i];
        squares += own.power_by_square * (own.sent * (own.sent + wave) + wave * wave);
        own.sent = row[i] = wave;
        if (is_damped_) row[at_.received + i] = sent.received[i];
    }
    now_.sent_energy += squares * (t - now_.sent_at) / 3.0;
    now_.sent_at = t;
    row[at_.sent] = now_.sent_energy;
    row[at_.put_in] = now_.put_in;
    row[at_.taken_out] = now_.taken_out;
    if (!single && turns_)
        std::ranges::copy(now_.attitude, row.begin() + static_cast<std::ptrdiff_t>(at_.attitude));
    line.add_next(t);
}

void TlmEnd::finish() {
    if (end_ == 0) element_->balance_at(now_.now - delay_);
}

void TlmEnd::save(Saved& saved) const {
    saved = now_;
    saved.rows = element_->lines[index(end_)].count();
    if (end_ == 0) saved.balance = element_->balance;
}

/// Rows that the lost part of a step has sent are taken back.
void TlmEnd::restore(const Saved& saved) {
    now_ = saved;
    element_->lines[index(end_)].truncate(saved.rows);
    if (end_ == 0) element_->balance = saved.balance;
    next_check_ = std::min(next_check_, saved.now);
    hold_table();
}

/// Over a short part of the delay.
TlmEnd::Vector TlmEnd::slope_of_waves() const {
    if (exchange() == TlmExchange::sampled) return {};
    const double later = now_.now + std::max(1e-3 * delay_, 2.0 * spacing_of_times(now_.now));
    const double width = later - now_.now;
    Vector here{}, slope{};
    receive<false>(now_.now, here);
    receive<false>(later, slope);
    for (std::size_t i = 0; i < components_; ++i) slope[i] = (slope[i] - here[i]) / width;
    turn<false>(slope);
    rotate<false>(slope, true);
    return slope;
}

template bool TlmEnd::receive<false>(Instant, Vector&, Side) const;
template void TlmEnd::take<false>(double Component::*, Vector&) const;
template void TlmEnd::find_flow<false>(std::span<const double>, Vector&) const;
template void TlmEnd::send<false>(double, const Sent&);

}  // namespace tandem::tlm
