#include "coupling/network/error_equation.hpp"

#include <algorithm>

#include "tandem/extend/index.hpp"

namespace tandem::coupling {
namespace {

/// Samples that a step repeated in halves, and then again, takes back.
constexpr int revocable = 2;
/// Points of traces in a step, before room for more is needed.
constexpr std::size_t usual_points = 4096;
/// An error need not be known to rounding.
constexpr double precision = 1e-9;
/// Solvers that take the same steps differ by rounding in where these end.
constexpr double same_point = 1e-9;

}  // namespace

void ErrorEquation::prepare(System& system, const NetworkModel& network,
                            OutputTraces::Lines lines) {
    lines_ = lines;
    traces_.prepare(system);
    exact_.prepare(network, {.precision = precision});
    implicit_.prepare(network, {FlowRule::backward_euler, 1});
    history_.prepare(network.states(), 0, revocable);
    for (auto* work : {&delta_, &zero_, &constant_, &slope_})
        work->assign(index(network.states()), 0.0);
    for (auto* work : {&at_begin_, &rise_}) work->assign(index(network.inputs()), 0.0);
    signals_ = network.make_signals();
    signals_.extra.assign(index(network.inputs()), 0.0);
    times_.clear();
    times_.reserve(usual_points);
}

void ErrorEquation::begin_step(System& system, double begin) {
    traces_.begin_step(system, begin);
    history_.truncate(begin);
    if (history_.samples() > 0)
        std::ranges::copy(history_.value(), delta_.begin());
    else
        std::ranges::fill(delta_, 0.0);
}

void ErrorEquation::end_step(System& system, const NetworkModel& network, const Applied& applied) {
    const Interval interval = applied.interval;
    traces_.end_step(system, interval.end);
    traces_.merge_all_times(system, same_point * interval.length(), times_);
    const bool held = traces_.are_held(system);
    NetworkFlow& flow = held ? implicit_ : exact_;
    flow.forget_factors();
    for (std::size_t k = 0; k + 1 < times_.size(); ++k) {
        const Interval piece{times_[k], times_[k + 1]};
        measure(system, applied, piece);
        drive(network, at_begin_, constant_);
        if (!held) drive(network, rise_, slope_);
        flow.follow_driven(network, piece.length(), delta_, {constant_, held ? zero_ : slope_});
        std::ranges::copy(flow.end(), delta_.begin());
    }
    history_.add(interval.end, delta_);
}

/// eps at the start of the piece and how it rises there.
void ErrorEquation::measure(System& system, const Applied& applied, Interval piece) {
    const double begin = piece.begin - applied.interval.begin;
    const double end = piece.end - applied.interval.begin;
    const auto put = [&](int input, OutputTraces::Ends signal) {
        const int s = system.subsystem_of_input(input);
        const InputCourse& course = applied.courses[index(s)];
        const std::size_t i = index(input - system.input_begin(s));
        at_begin_[index(input)] = signal.begin - course.at(begin, i);
        rise_[index(input)] =
            (signal.end - course.at(end, i) - at_begin_[index(input)]) / piece.length();
    };
    for (const Link& link : system.links())
        put(link.input, traces_.on_piece(system, link, piece, lines_));
    for (const FunctionLink& function : system.functions())
        put(function.input, traces_.on_piece(system, function, piece, lines_));
}

/// What `inputs` on top of the routed ones do to the rates of the states, through the network.
void ErrorEquation::drive(const NetworkModel& network, std::span<const double> inputs,
                          std::span<double> rates) {
    std::ranges::copy(inputs, signals_.extra.begin());
    network.apply(zero_, 0.0, signals_, rates);
}

}  // namespace tandem::coupling
