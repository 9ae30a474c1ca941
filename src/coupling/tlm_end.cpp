#include "coupling/tlm_end.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace tandem::coupling {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Times that differ by less than this part of the delay are equal.
constexpr double same_time = 1e-10;
/// Rows that a step sends at most; all but `continuous` send the last only.
constexpr double rows_of_step = 64.0;
/// Rows are read up to two delays back, by who may be one delay behind; and some more.
constexpr double kept_delays = 3.0, kept_steps = 2.0, spare = 1.5;
constexpr std::size_t spare_rows = 16;
/// Steps from one look at the energy to the next, unless a delay is longer.
constexpr double steps_of_check = 16.0;

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Eigen::Quaterniond quaternion(const std::array<double, 4>& a) { return {a[0], a[1], a[2], a[3]}; }

std::array<double, 4> numbers(const Eigen::Quaterniond& q) { return {q.w(), q.x(), q.y(), q.z()}; }

void rotate(TlmEnd::Vector& vector, std::size_t first, const Eigen::Matrix3d& rotation) {
    Eigen::Map<Eigen::Vector3d> part(vector.data() + first);
    part = rotation * part.eval();
}

}  // namespace

TlmEnd::TlmEnd(std::shared_ptr<TlmElement> element, int end, TlmPorts ports, TlmReading reading)
    : element_(std::move(element)),
      end_(end),
      ports_(std::move(ports)),
      reading_(reading),
      at_(element_->layout()) {
    expects(components() <= most_components, "a line has at most six components");
    has_frame_ = ports_.rotation != TlmPorts{}.rotation;
}

void TlmEnd::prepare(const TlmSteps& steps) {
    const TlmOptions& line = element_->options();
    const double rows = exchange() == TlmExchange::continuous ? rows_of_step : 1.0;
    spacing_ = 0.5 * steps.longest / rows_of_step;
    const double kept =
        spare * rows * (kept_delays * line.delay + kept_steps * steps.longest) / steps.shortest;
    element_->lines[at(end_)].prepare({.width = at_.width,
                                       .capacity = static_cast<std::size_t>(kept) + spare_rows,
                                       .same_time = same_time * line.delay,
                                       .interpolation = line.interpolation});
    row_.assign(at_.width, 0.0);
    own_row_.assign(at_.width, 0.0);
    table_times_.assign(exchange() == TlmExchange::fine ? reading_.samples : 0, 0.0);
    table_.assign(table_times_.size() * components(), 0.0);
}

double TlmEnd::effort_by_flow(std::size_t component) const {
    return element_->options().sign * element_->options().impedance[component];
}

/// Efforts at rest are opposite where they act on the subsystems, and equal where they are those at
/// the ends of the line.
void TlmEnd::put_preload(std::span<double> inputs) const {
    if (ports_.takes_waves || element_->options().preload.empty()) return;
    Vector efforts{};
    std::ranges::copy(element_->options().preload, efforts.begin());
    if (end_ == 1)
        for (double& effort : efforts) effort *= element_->options().sign;
    put_components(efforts, inputs);
}

void TlmEnd::start(double t, std::span<const double> outputs) {
    const TlmOptions& line = element_->options();
    const std::size_t n = components();
    now_ = {};
    now_.now = start_ = next_check_ = t;
    now_.flow = flow_of(outputs);
    now_.attitude = attitude_of(outputs);
    Vector arriving{};
    for (std::size_t i = 0; i < line.preload.size(); ++i)
        arriving[i] =
            line.preload[i] * (end_ == 1 ? line.sign : 1.0) - effort_by_flow(i) * now_.flow[i];
    now_.wave = arriving;
    if (line.turns) rotate(now_.wave, 3, quaternion(now_.attitude).conjugate().toRotationMatrix());
    for (std::size_t i = 0; i < n; ++i) {
        now_.sent[i] = line.sign * arriving[i] + 2.0 * line.impedance[i] * now_.flow[i];
        now_.power += line.sign * (arriving[i] + effort_by_flow(i) * now_.flow[i]) * now_.flow[i];
    }
    element_->start_end(end_,
                        {std::span(arriving).first(n), std::span(now_.wave).first(n),
                         std::span(now_.sent).first(n), now_.attitude},
                        t);
}

void TlmEnd::read(const DelayLine& line, double t, std::span<double> row) const {
    switch (line.read(t, row)) {
        case DelayLine::Read::good: return;
        case DelayLine::Read::too_late:
            throw NumericsError(fmt::format(
                "tlm '{}': the step from {:.9g} to {:.9g} needs waves up to {:.9g}, its other end "
                "has sent them up to {:.9g}\n  hint: no step may be longer than the delay, {:.6g}, "
                "or half of it where each subsystem steps at its own pace",
                element_->options().name, interval_.begin, interval_.end, t, line.newest(),
                element_->options().delay));
        case DelayLine::Read::forgotten:
            throw NumericsError(fmt::format(
                "tlm '{}': steps have become so short that waves of {:.9g} are no longer kept\n  "
                "hint: set min_step of the step control, or a shorter communication step",
                element_->options().name, t));
    }
}

/// What arrives at t, moments as they were seen by this end a delay before.
TlmEnd::Vector TlmEnd::received(double t) const {
    const TlmOptions& line = element_->options();
    const double sent = t - line.delay;
    const std::size_t n = components();
    Vector wave{};
    read(element_->lines[at(1 - end_)], sent, std::span(wave).first(n));
    if (!line.turns && line.damping == 0.0) return wave;
    read(element_->lines[at(end_)], sent, own_row_);
    if (line.turns) {
        std::array<double, 4> attitude{};
        std::copy_n(own_row_.begin() + static_cast<std::ptrdiff_t>(at_.attitude), 4,
                    attitude.begin());
        rotate(wave, 3, quaternion(attitude).normalized().conjugate().toRotationMatrix());
    }
    for (std::size_t i = 0; i < n && line.damping > 0.0; ++i)
        wave[i] = (1.0 - line.damping) * wave[i] + line.damping * own_row_[at_.received + i];
    return wave;
}

void TlmEnd::begin_step(Interval interval) {
    interval_ = interval;
    is_held_ = false;
    next_wave_ = received(interval.end);
    if (exchange() != TlmExchange::fine) return;
    const std::size_t n = components();
    for (std::size_t k = 0; k < table_times_.size(); ++k) {
        const double part = static_cast<double>(k) / static_cast<double>(table_times_.size() - 1);
        table_times_[k] = interval.begin + part * interval.length();
        const Vector wave = k + 1 < table_times_.size() ? received(table_times_[k]) : next_wave_;
        std::copy_n(wave.begin(), n, table_.begin() + static_cast<std::ptrdiff_t>(k * n));
    }
}

/// As the exchange has it inside the step.
TlmEnd::Vector TlmEnd::wave(double t) const {
    const std::size_t n = components();
    Vector result = now_.wave;
    switch (exchange()) {
        case TlmExchange::sampled: break;
        case TlmExchange::coarse: {
            const double part = (t - interval_.begin) / interval_.length();
            for (std::size_t i = 0; i < n; ++i) result[i] += part * (next_wave_[i] - now_.wave[i]);
            break;
        }
        case TlmExchange::fine: {
            const auto parts = static_cast<double>(table_times_.size() - 1);
            const double place =
                std::clamp((t - interval_.begin) / interval_.length() * parts, 0.0, parts);
            const double first = std::min(std::floor(place), parts - 1.0);
            const double* before = table_.data() + static_cast<std::size_t>(first) * n;
            for (std::size_t i = 0; i < n; ++i)
                result[i] = before[i] + (place - first) * (before[n + i] - before[i]);
            break;
        }
        case TlmExchange::continuous: return received(t);
    }
    return result;
}

TlmEnd::Vector TlmEnd::turned(Vector wave, const std::array<double, 4>& attitude) const {
    if (element_->options().turns) rotate(wave, 3, quaternion(attitude).toRotationMatrix());
    return wave;
}

/// From the frame of the subsystem to that of the system, or back.
void TlmEnd::rotate_all(Vector& vector, bool back) const {
    if (!has_frame_) return;
    const Eigen::Matrix3d rotation = Eigen::Map<const Matrix>(ports_.rotation.data());
    for (std::size_t first = 0; first < components(); first += 3)
        rotate(vector, first, back ? rotation.transpose() : rotation);
}

TlmEnd::Vector TlmEnd::effort_of(Vector arrived, const Vector& flow) const {
    for (std::size_t i = 0; i < components(); ++i) arrived[i] += effort_by_flow(i) * flow[i];
    return arrived;
}

TlmEnd::Vector TlmEnd::flow_of(std::span<const double> outputs) const {
    Vector flow{};
    for (std::size_t i = 0; i < ports_.flows.size(); ++i) flow[i] = outputs[at(ports_.flows[i])];
    rotate_all(flow, false);
    return flow;
}

std::array<double, 4> TlmEnd::attitude_of(std::span<const double> outputs) const {
    if (!element_->options().turns) return {1, 0, 0, 0};
    Matrix orientation;
    for (std::size_t i = 0; i < 9; ++i) orientation.data()[i] = outputs[at(ports_.orientation[i])];
    const Eigen::Map<const Matrix> frame(ports_.rotation.data());
    Eigen::Quaterniond q(Eigen::Matrix3d(frame * orientation));
    // Of the two quaternions of a rotation, the one near the last: they are interpolated.
    if (q.dot(quaternion(now_.attitude)) < 0.0) q.coeffs() *= -1.0;
    return numbers(q.normalized());
}

void TlmEnd::put_components(Vector values, std::span<double> inputs) const {
    rotate_all(values, true);
    for (std::size_t i = 0; i < ports_.efforts.size(); ++i)
        inputs[at(ports_.efforts[i])] = values[i];
}

void TlmEnd::put(double t, std::span<const double> outputs, std::span<double> inputs) const {
    put_wave(wave(t), outputs, inputs);
    put_table(inputs);
}

void TlmEnd::put_end(std::span<const double> outputs, std::span<double> inputs) const {
    put_wave(next_wave_, outputs, inputs);
}

void TlmEnd::put_wave(const Vector& wave, std::span<const double> outputs,
                      std::span<double> inputs) const {
    if (ports_.takes_waves) return put_components(wave, inputs);
    put_components(effort_of(turned(wave, attitude_of(outputs)), flow_of(outputs)), inputs);
}

void TlmEnd::put_table(std::span<double> inputs) const {
    for (std::size_t k = 0; k < ports_.times.size(); ++k) {
        inputs[at(ports_.times[k])] = table_times_[k];
        inputs[at(ports_.points[k])] = table_[k];
    }
}

void TlmEnd::put_now(std::span<double> inputs) const {
    const Vector arrived = turned(now_.wave, now_.attitude);
    put_components(ports_.takes_waves ? arrived : effort_of(arrived, now_.flow), inputs);
}

void TlmEnd::put_line(std::span<double> inputs, std::span<double> slopes) {
    is_held_ = !ports_.takes_waves;
    put_now(inputs);
    put_table(inputs);
    const Vector wave = turned(now_.wave, now_.attitude);
    const Vector next = turned(next_wave_, now_.attitude);
    const bool is_constant = exchange() == TlmExchange::sampled || slopes.empty();
    held_effort_ = effort_of(wave, now_.flow);
    for (std::size_t i = 0; i < components(); ++i)
        effort_slope_[i] = is_constant ? 0.0 : (next[i] - wave[i]) / interval_.length();
    if (ports_.slope >= 0) inputs[at(ports_.slope)] = (next[0] - wave[0]) / interval_.length();
    if (!slopes.empty()) put_components(effort_slope_, slopes);
}

void TlmEnd::end_step(std::span<const double> outputs, const OutputTrace* trace) {
    if (trace != nullptr && exchange() == TlmExchange::continuous)
        for (std::size_t k = 1; k + 1 < trace->times.size(); ++k) {
            const double t = trace->times[k];
            if (t - now_.now >= spacing_ && interval_.end - t >= spacing_) send(t, trace->row(k));
        }
    send(interval_.end, outputs);
    now_.wave = next_wave_;
    check_balance(interval_.end);
}

/// What the subsystem felt, which held values and slopes make something else than what was right.
double TlmEnd::applied_effort(double t, std::size_t component, double arrived) const {
    if (is_held_) return held_effort_[component] + effort_slope_[component] * (t - interval_.begin);
    const double wave = exchange() == TlmExchange::sampled ? now_.wave[component] : arrived;
    return wave + effort_by_flow(component) * now_.flow[component];
}

/// Energies by the trapezoidal rule since the last row. At the end of a step the effort may jump to
/// what is right.
void TlmEnd::send(double t, std::span<const double> outputs) {
    const TlmOptions& line = element_->options();
    const double h = t - now_.now;
    const std::size_t n = components();
    now_.flow = flow_of(outputs);
    now_.attitude = attitude_of(outputs);
    const Vector kept = t < interval_.end ? wave(t) : next_wave_;
    const Vector arrived = turned(kept, now_.attitude);
    double power = 0.0, right_power = 0.0, sent_before = 0.0, sent_now = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double z = line.impedance[i];
        const double wave = line.sign * arrived[i] + 2.0 * z * now_.flow[i];
        power += line.sign * applied_effort(t, i, arrived[i]) * now_.flow[i];
        right_power += line.sign * (arrived[i] + effort_by_flow(i) * now_.flow[i]) * now_.flow[i];
        if (z > 0.0) {
            sent_before += now_.sent[i] * now_.sent[i] / (4.0 * z);
            sent_now += wave * wave / (4.0 * z);
        }
        now_.sent[i] = wave;
    }
    const double work = 0.5 * h * (now_.power + power);
    if (t >= interval_.end) power = right_power;
    (work > 0.0 ? now_.put_in : now_.taken_out) += std::abs(work);
    now_.sent_energy += 0.5 * h * (sent_before + sent_now);
    now_.power = power;
    now_.now = t;
    std::copy_n(now_.sent.begin(), n, row_.begin());
    row_[at_.sent] = now_.sent_energy;
    row_[at_.put_in] = now_.put_in;
    row_[at_.taken_out] = now_.taken_out;
    if (line.damping > 0.0)
        std::copy_n(kept.begin(), n, row_.begin() + static_cast<std::ptrdiff_t>(at_.received));
    if (line.turns)
        std::ranges::copy(now_.attitude, row_.begin() + static_cast<std::ptrdiff_t>(at_.attitude));
    element_->lines[at(end_)].add(t, row_);
}

/// By the first end, for both, at a time of which both have told everything.
void TlmEnd::check_balance(double t) {
    const double delay = element_->options().delay;
    const double then = t - delay;
    if (end_ != 0 || t < next_check_ || then <= start_) return;
    next_check_ = t + std::max(delay, steps_of_check * interval_.length());
    TlmBalance& balance = element_->balance;
    balance.put_in = balance.taken_out = balance.stored = 0.0;
    const auto front = std::span(own_row_).first(at_.received);
    for (std::size_t end = 0; end < 2; ++end) {
        read(element_->lines[end], then, front);
        balance.put_in += front[at_.put_in];
        balance.taken_out += front[at_.taken_out];
        balance.stored += front[at_.sent];
        read(element_->lines[end], then - delay, front);
        balance.stored -= front[at_.sent];
        balance.stored += element_->first_powers[end] * std::max(0.0, start_ - (then - delay));
    }
    const double stored_first = delay * (element_->first_powers[0] + element_->first_powers[1]);
    balance.created = balance.taken_out + balance.stored - balance.put_in - stored_first;
    if (balance.created <= balance.most_created) return;
    balance.most_created = balance.created;
    balance.at = then;
}

/// Rows that the lost part of a step has sent are taken back.
void TlmEnd::restore(const Saved& saved) {
    now_ = saved;
    element_->lines[at(end_)].truncate(saved.now);
    next_check_ = std::min(next_check_, saved.now);
}

/// Over a short part of the delay.
TlmEnd::Vector TlmEnd::slope_of_waves() const {
    const double width = 1e-3 * element_->options().delay;
    const Vector here = received(now_.now), later = received(now_.now + width);
    Vector slope{};
    for (std::size_t i = 0; i < components(); ++i) slope[i] = (later[i] - here[i]) / width;
    slope = turned(slope, now_.attitude);
    rotate_all(slope, true);
    return slope;
}

}  // namespace tandem::coupling
