#pragma once

#include <array>
#include <span>
#include <vector>

#include "exec/schedule.hpp"

namespace tandem::exec {

enum class Mode {
    serial,
    timed,  ///< serial, and the time of each task is wanted
    parallel,
};

/// The last few of something that is measured again and again.
class Samples {
public:
    void add(double value);
    int count() const { return count_ < size ? static_cast<int>(count_) : size; }
    double median() const;

private:
    static constexpr int size = 16;
    std::array<double, size> values_{};
    long count_ = 0;
};

/// Whether a graph is worth several threads, from measurements. The first runs are serial and
/// timed. If an estimate says that threads are at least 10 % faster, they are tried; if they are
/// not faster in fact (somebody else may use the processors), the runs are serial again, and the
/// next try comes later and later. What tries have lost stays below 5 % of the time of all runs.
class Decision {
public:
    Decision(const TaskGraph& graph, int threads);

    /// Of the run that comes now.
    Mode next();
    /// What it took. `costs` of its tasks, if it was timed; else empty.
    void took(Mode mode, double seconds, std::span<const double> costs = {});
    /// Tasks in the order in which they should be taken: larger first.
    std::span<const double> priorities() const { return schedule_.ways(); }

private:
    void learn(std::span<const double> costs);
    void estimate();
    void judge();
    void give_up();
    double allowance() const;

    Schedule schedule_;
    std::vector<double> costs_;
    Samples serial_;
    double usual_ = 0.0;  // seconds of a serial run
    double lost_ = 0.0;   // seconds, in all parallel runs; negative: gained
    bool is_parallel_ = false;
    long tried_ = 0;  // runs in this try
    double lost_before_ = 0.0;
    double window_seconds_ = 0.0;  // of the runs since the last judgement
    long window_runs_ = 0;
    long run_ = 0;
    long next_estimate_;
    long next_judgement_ = 0;
    long window_ = 0;  // between judgements
    long patience_;    // runs until threads are tried again
};

}  // namespace tandem::exec
