#include "exec/decision.hpp"

#include <algorithm>
#include <numeric>

namespace tandem::exec {
namespace {

constexpr long first_runs = 17;       // serial; the very first is not timed
constexpr long timed_every = 256;     // in serial operation
constexpr long compared_every = 128;  // in parallel operation: one run is serial
constexpr long estimate_every = 1024;
constexpr long shortest_window = 64, longest_window = 1024;
constexpr long shortest_patience = 256, longest_patience = 1 << 20;
/// Handing out a run and collecting it, and handing out a task.
constexpr double seconds_per_run = 4e-6, seconds_per_task = 5e-7;
constexpr double worth = 0.9;            // of the serial time, for an estimate
constexpr double longest_counted = 8.0;  // serial times: one interruption decides nothing
constexpr double longest_loss = 50.0;    // likewise: then the whole machine was asleep
constexpr double allowed_loss = 0.05;    // of the time of all runs
constexpr double worth_kept = 0.97;      // of the serial time, measured

}  // namespace

void Samples::add(double value) {
    values_[static_cast<std::size_t>(count_ % size)] = value;
    ++count_;
}

double Samples::median() const {
    std::array<double, size> sorted = values_;
    const auto middle = sorted.begin() + count() / 2;
    std::nth_element(sorted.begin(), middle, sorted.begin() + count());
    return *middle;
}

Decision::Decision(const TaskGraph& graph, int threads)
    : schedule_(graph, threads),
      costs_(static_cast<std::size_t>(graph.size()), 0.0),
      next_estimate_(first_runs),
      patience_(shortest_patience) {}

Mode Decision::next() {
    if (run_ >= next_estimate_ && !is_parallel_) estimate();
    if (is_parallel_ && lost_ - lost_before_ > allowance()) give_up();
    if (is_parallel_ && run_ >= next_judgement_) judge();
    const long now = run_++;
    if (now == 0) return Mode::serial;
    if (now < first_runs) return Mode::timed;
    if (is_parallel_) return now % compared_every == 0 ? Mode::timed : Mode::parallel;
    return now % timed_every == 0 ? Mode::timed : Mode::serial;
}

void Decision::took(Mode mode, double seconds, std::span<const double> costs) {
    if (mode == Mode::timed) {
        serial_.add(seconds);
        usual_ = serial_.median();
        learn(costs);
        return;
    }
    if (tried_++ == 0) return;  // threads had to be woken up
    lost_ += std::min(seconds, longest_loss * usual_) - usual_;
    window_seconds_ += std::min(seconds, longest_counted * usual_);
    ++window_runs_;
}

double Decision::allowance() const { return allowed_loss * usual_ * static_cast<double>(run_); }

/// A moving average in which one interruption of the thread does not count much.
void Decision::learn(std::span<const double> costs) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const double known = costs_[i];
        costs_[i] =
            known == 0.0 ? costs[i] : known + 0.25 * (std::min(costs[i], 4.0 * known) - known);
    }
}

void Decision::estimate() {
    const double serial = std::accumulate(costs_.begin(), costs_.end(), 0.0);
    const double overhead = seconds_per_run + seconds_per_task * static_cast<double>(costs_.size());
    const double parallel = schedule_.length(costs_) + overhead;
    next_estimate_ = run_ + estimate_every;
    if (parallel >= worth * serial || lost_ > allowance()) return;
    is_parallel_ = true;
    tried_ = 0;
    lost_before_ = std::max(lost_, 0.0);
    window_ = shortest_window;
    next_judgement_ = run_ + window_;
    window_seconds_ = 0.0;
    window_runs_ = 0;
}

void Decision::judge() {
    const double mean = window_seconds_ / static_cast<double>(std::max(window_runs_, 1L));
    if (mean > worth_kept * usual_) return give_up();
    if (window_ == longest_window) patience_ = shortest_patience;
    window_ = std::min(2 * window_, longest_window);
    next_judgement_ = run_ + window_;
    window_seconds_ = 0.0;
    window_runs_ = 0;
    schedule_.length(costs_);
}

void Decision::give_up() {
    is_parallel_ = false;
    next_estimate_ = run_ + patience_;
    patience_ = std::min(4 * patience_, longest_patience);
}

}  // namespace tandem::exec
