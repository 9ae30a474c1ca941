#include "run/crawl_watch.hpp"

#include "base/stopwatch.hpp"

namespace tandem::run {
namespace {

constexpr long window_steps = 1000;
constexpr double window_seconds = 10.0;
/// Steps that are longer, by the communication step, do not crawl.
constexpr double short_step = 1e-2;
constexpr double many_steps = 1e7, many_seconds = 600.0;

}  // namespace

CrawlWatch::Begin CrawlWatch::begin_at(const RunReport& report, double wall) {
    return {report.reached, wall, report.steps, report.events, report.retried};
}

std::optional<CrawlWatch::Pace> CrawlWatch::after_step(const RunReport& report) {
    const double wall = wall_seconds();
    if (!window_) window_ = begin_at(report, wall);
    const long steps = report.steps - window_->steps;
    const double seconds = wall - window_->wall;
    if (steps < 1 || (steps < window_steps && seconds < window_seconds)) return {};
    Pace pace;
    pace.length = (report.reached - window_->t) / static_cast<double>(steps);
    pace.steps = (stop_ - report.reached) / pace.length;
    pace.seconds = pace.steps * seconds / static_cast<double>(steps);
    if (2 * (report.events - window_->events) > steps)
        pace.reason = "most of them end at events";
    else if (2 * (report.retried - window_->retried) > steps)
        pace.reason = "longer ones were rejected or did not converge";
    window_ = begin_at(report, wall);
    const bool is_long = pace.steps >= many_steps || pace.seconds >= many_seconds;
    return pace.length < short_step * step_ && is_long ? std::optional(pace) : std::nullopt;
}

}  // namespace tandem::run
