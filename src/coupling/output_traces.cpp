#include "coupling/output_traces.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "tandem/extend/index.hpp"

namespace tandem::coupling {
namespace {

/// A function may bend where its signals do not: it is looked at this often in a step.
constexpr double longest_part = 1.0 / 8.0;

/// Output `j` at t, on the piece between the points k and k + 1.
double value_on(const OutputTrace& trace, std::size_t k, std::size_t j, double t) {
    const double left = trace.row(k)[j];
    const double length = trace.times[k + 1] - trace.times[k];
    if (trace.held || length <= 0.0) return left;
    return left + (trace.row(k + 1)[j] - left) * (t - trace.times[k]) / length;
}

/// Output `j` at t, to the right of it where the trace jumps.
double at_time(const OutputTrace& trace, std::size_t j, double t) {
    const auto later = std::ranges::upper_bound(trace.times, t);
    if (later == trace.times.begin()) return trace.row(0)[j];
    if (later == trace.times.end()) return trace.row(trace.times.size() - 1)[j];
    return value_on(trace, static_cast<std::size_t>(later - trace.times.begin()) - 1, j, t);
}

/// The piece around t.
std::size_t piece_around(const OutputTrace& trace, double t) {
    const auto later = std::ranges::upper_bound(trace.times, t) - trace.times.begin();
    return static_cast<std::size_t>(
        std::clamp(later - 1, std::ptrdiff_t{0}, std::ssize(trace.times) - 2));
}

double middle_of(Interval piece) { return 0.5 * (piece.begin + piece.end); }

/// The second derivative of output `j` at point k, from its neighbours; nothing where it jumps.
std::optional<double> second_derivative(const OutputTrace& trace, std::size_t k, std::size_t j) {
    if (k == 0 || k + 1 >= trace.times.size()) return std::nullopt;
    const double before = trace.times[k] - trace.times[k - 1];
    const double after = trace.times[k + 1] - trace.times[k];
    if (before <= 0.0 || after <= 0.0) return std::nullopt;
    const double rise = (trace.row(k + 1)[j] - trace.row(k)[j]) / after;
    return 2.0 * (rise - (trace.row(k)[j] - trace.row(k - 1)[j]) / before) / (before + after);
}

/// On the piece from point k: what its ends say, or the one of them that knows.
double curvature(const OutputTrace& trace, std::size_t k, std::size_t j) {
    if (trace.held) return 0.0;
    const auto left = second_derivative(trace, k, j), right = second_derivative(trace, k + 1, j);
    if (left && right) return 0.5 * (*left + *right);
    return left ? *left : right.value_or(0.0);
}

struct Bent {
    double t, bend;
};
double on_parabola(const OutputTrace& trace, std::size_t k, std::size_t j, Bent at) {
    const double sag = 0.5 * at.bend * (at.t - trace.times[k]) * (trace.times[k + 1] - at.t);
    return value_on(trace, k, j, at.t) - sag;
}

/// The straight line with the ends of a signal, moved to where its mean is that of the signal by
/// Simpson's rule.
template <class Signal>
OutputTraces::Ends with_mean(Interval piece, Signal signal) {
    const double begin = signal(piece.begin), end = signal(piece.end);
    const double shift = 2.0 / 3.0 * (signal(middle_of(piece)) - 0.5 * (begin + end));
    return {begin + shift, end + shift};
}

/// Hands all outputs that feed something to `use`.
template <class Use>
void for_each_source(const System& system, Use use) {
    for (const Link& link : system.links()) use(link.output);
    for (const FunctionLink& function : system.functions())
        std::ranges::for_each(function.outputs, use);
}

/// The piece that goes on from t, `k` or a later one; the last if none does.
std::size_t piece_from(const OutputTrace& trace, std::size_t k, double t) {
    while (k + 2 < trace.times.size() && trace.times[k + 1] <= t) ++k;
    return k;
}

}  // namespace

void OutputTraces::prepare(System& system) {
    traces_.clear();
    lines_ = std::vector<OutputTrace>(index(system.size()));
    for (int s = 0; s < system.size(); ++s) {
        if (system.at(s).interface().capabilities.traces) {
            system.at(s).keep_trace(true);
            traces_.push_back(&system.at(s).trace());
            continue;
        }
        lines_[index(s)].times.resize(2);
        lines_[index(s)].values.resize(2 * system.outputs_of(s).size());
        traces_.push_back(&lines_[index(s)]);
    }
    std::size_t most = 0;
    for (const FunctionLink& function : system.functions())
        most = std::max(most, function.outputs.size());
    pieces_.resize(most);
}

bool OutputTraces::are_complete(const System& system) const {
    const auto is_traced = [&](int output) {
        return system.at(system.subsystem_of_output(output)).interface().capabilities.dense_traces;
    };
    return std::ranges::all_of(system.links(), is_traced, &Link::output) &&
           std::ranges::all_of(system.functions(), [&](const FunctionLink& function) {
               return std::ranges::all_of(function.outputs, is_traced);
           });
}

void OutputTraces::begin_step(System& system, double begin) {
    interval_.begin = begin;
    for (int s = 0; s < system.size(); ++s) {
        OutputTrace& line = lines_[index(s)];
        if (line.times.empty()) continue;
        line.times[0] = begin;
        std::ranges::copy(system.outputs_of(s), line.values.begin());
    }
}

void OutputTraces::end_step(System& system, double end) {
    interval_.end = end;
    for (int s = 0; s < system.size(); ++s) {
        OutputTrace& line = lines_[index(s)];
        if (line.times.empty()) continue;
        line.times[1] = end;
        const auto outputs = system.outputs_of(s);
        std::ranges::copy(outputs, line.values.begin() + std::ssize(outputs));
    }
}

OutputTraces::Integral OutputTraces::integral(System& system, const Link& link) const {
    const int source = system.subsystem_of_output(link.output);
    const OutputTrace& of = trace(source);
    const std::size_t j = index(link.output - system.output_begin(source));
    Integral sum;
    for (std::size_t k = 0; k + 1 < of.times.size(); ++k) {
        const std::size_t right = of.held ? k : k + 1;
        const double weight = 0.5 * (of.times[k + 1] - of.times[k]);
        const double w = link.gain * (of.row(k)[j] + of.row(right)[j]) + 2.0 * link.offset;
        sum.signal += weight * w;
        sum.time += weight * (of.times[k] + of.times[right] - 2.0 * of.times[0]);
    }
    return sum;
}

// Piece by piece between the points of all the traces together; on each, every source is a line.
OutputTraces::Integral OutputTraces::integral(System& system, const FunctionLink& function) {
    std::ranges::fill(pieces_, 0);
    const bool held =
        !function.outputs.empty() && std::ranges::all_of(function.outputs, [&](int output) {
            return trace(system.subsystem_of_output(output)).held;
        });
    const double longest = held ? interval_.length() : longest_part * interval_.length();
    Integral sum;
    for (double t = interval_.begin; t < interval_.end;) {
        double next = std::min(t + longest, interval_.end);
        if (interval_.end - next < 1e-6 * longest) next = interval_.end;
        next = std::min(next, end_of_pieces(system, function, t));
        const double left = on_pieces(system, function, t);
        const double right = held ? left : on_pieces(system, function, next);
        sum.signal += 0.5 * (next - t) * (left + right);
        sum.time += (next - t) * ((held ? t : 0.5 * (t + next)) - interval_.begin);
        t = next;
    }
    return sum;
}

/// Moves every source on to the piece that goes on from t; the first end of these.
double OutputTraces::end_of_pieces(const System& system, const FunctionLink& function, double t) {
    double end = interval_.end;
    for (std::size_t i = 0; i < function.outputs.size(); ++i) {
        const OutputTrace& of = trace(system.subsystem_of_output(function.outputs[i]));
        pieces_[i] = piece_from(of, pieces_[i], t);
        if (of.times[pieces_[i] + 1] > t) end = std::min(end, of.times[pieces_[i] + 1]);
    }
    return end;
}

double OutputTraces::on_pieces(System& system, const FunctionLink& function, double t) const {
    const std::span<double> signals = system.signals_of(function);
    for (std::size_t i = 0; i < signals.size(); ++i) {
        const int source = system.subsystem_of_output(function.outputs[i]);
        const std::size_t j = index(function.outputs[i] - system.output_begin(source));
        signals[i] = value_on(trace(source), pieces_[i], j, t);
    }
    return function.function(t, signals);
}

double OutputTraces::value(System& system, const Link& link, double t) const {
    const int source = system.subsystem_of_output(link.output);
    const std::size_t j = index(link.output - system.output_begin(source));
    return link.gain * at_time(trace(source), j, t) + link.offset;
}

double OutputTraces::value(System& system, const FunctionLink& function, double t) const {
    const std::span<double> signals = system.signals_of(function);
    for (std::size_t i = 0; i < signals.size(); ++i) {
        const int source = system.subsystem_of_output(function.outputs[i]);
        const std::size_t j = index(function.outputs[i] - system.output_begin(source));
        signals[i] = at_time(trace(source), j, t);
    }
    return function.function(t, signals);
}

void OutputTraces::merge_times(const System& system, int s, std::vector<double>& times) const {
    times.clear();
    const auto add = [&](int output) {
        const OutputTrace& of = trace(system.subsystem_of_output(output));
        times.insert(times.end(), of.times.begin(), of.times.end());
    };
    for (const Link& link : system.links_into(s)) add(link.output);
    for (const FunctionLink& function : system.functions_into(s))
        std::ranges::for_each(function.outputs, add);
    std::ranges::sort(times);
    const auto repeated = std::ranges::unique(times);
    times.erase(repeated.begin(), repeated.end());
}

void OutputTraces::merge_all_times(const System& system, double apart,
                                   std::vector<double>& times) const {
    times.clear();
    int last = -1;
    for_each_source(system, [&](int output) {
        const int s = system.subsystem_of_output(output);
        if (s != std::exchange(last, s))
            times.insert(times.end(), trace(s).times.begin(), trace(s).times.end());
    });
    std::ranges::sort(times);
    std::size_t kept = 0;
    for (const double t : times) {
        const bool is_inside = t > interval_.begin + apart && t < interval_.end - apart;
        if (is_inside && (kept == 0 || t > times[kept - 1] + apart)) times[kept++] = t;
    }
    times.resize(kept);
    times.insert(times.begin(), interval_.begin);
    times.push_back(interval_.end);
}

OutputTraces::Ends OutputTraces::on_piece(System& system, const Link& link, Interval piece,
                                          Lines lines) const {
    const int source = system.subsystem_of_output(link.output);
    const OutputTrace& of = trace(source);
    const std::size_t j = index(link.output - system.output_begin(source));
    const std::size_t k = piece_around(of, middle_of(piece));
    const double bend = lines == Lines::curved ? curvature(of, k, j) : 0.0;
    return with_mean(piece, [&](double t) {
        return link.gain * on_parabola(of, k, j, {t, bend}) + link.offset;
    });
}

OutputTraces::Ends OutputTraces::on_piece(System& system, const FunctionLink& function,
                                          Interval piece, Lines lines) const {
    const std::span<double> signals = system.signals_of(function);
    return with_mean(piece, [&](double t) {
        for (std::size_t i = 0; i < signals.size(); ++i) {
            const int source = system.subsystem_of_output(function.outputs[i]);
            const OutputTrace& of = trace(source);
            const std::size_t j = index(function.outputs[i] - system.output_begin(source));
            const std::size_t k = piece_around(of, middle_of(piece));
            const double bend = lines == Lines::curved ? curvature(of, k, j) : 0.0;
            signals[i] = on_parabola(of, k, j, {t, bend});
        }
        return function.function(t, signals);
    });
}

bool OutputTraces::are_held(const System& system) const {
    bool held = true;
    for_each_source(
        system, [&](int output) { held = held && trace(system.subsystem_of_output(output)).held; });
    return held;
}

}  // namespace tandem::coupling
