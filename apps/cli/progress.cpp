#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/duration.hpp"
#include "terminal.hpp"

namespace tandem::cli {
namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(100);
constexpr std::size_t bar_length = 24;

}  // namespace

Progress::Progress(double start, double stop, bool wanted)
    : start_(start), stop_(stop), enabled_(wanted && stop > start && is_terminal(stderr)) {}

void Progress::show(double t) {
    if (!enabled_) return;
    const Clock::time_point now = Clock::now();
    if (now - last_ < redraw_interval) return;
    last_ = now;
    drawn_ = true;
    const double elapsed = std::chrono::duration<double>(now - begin_).count();
    const double done = std::clamp((t - start_) / (stop_ - start_), 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(done * static_cast<double>(bar_length));
    const std::string left = done > 0.0 ? duration_text(elapsed * (1.0 - done) / done) : "?";
    std::string line = fmt::format("[{}{}] {:3.0f} %  t = {:.6g} s  {:.3g}x real time  {} left",
                                   std::string(filled, '='), std::string(bar_length - filled, ' '),
                                   100.0 * done, t, (t - start_) / elapsed, left);
    const std::size_t width = terminal_width(stderr);
    if (width > 1 && line.size() >= width) line.resize(width - 1);
    say("\r{}\033[K", line);
    std::fflush(stderr);
}

void Progress::clear() {
    if (!drawn_) return;
    say("\r\033[K");
    std::fflush(stderr);
    drawn_ = false;
}

}  // namespace tandem::cli
