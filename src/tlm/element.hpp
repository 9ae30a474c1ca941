#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tlm/delay_line.hpp"

namespace tandem::tlm {

/// What a transmission line is. Its components (one, or three of force and three of moment) do not
/// mix.
struct TlmOptions {
    std::string name;
    double delay = 0.0;             ///< T
    std::vector<double> impedance;  ///< Z of each component; 0: nothing goes through
    /// effort = wave + sign Z flow. 1 where flows are counted into the line and efforts are those
    /// at its ends; -1 where both flows have one direction and efforts act on the subsystems.
    double sign = 1.0;
    /// Part of what arrives that has arrived one delay before.
    double damping = 0.0;
    /// What arrives as components 3 to 5, moments, turns with the one who receives it.
    bool turns = false;
    /// Of each component: the effort at the first end to begin with. Empty: no waves.
    std::vector<double> preload;
    DelayLine::Interpolation interpolation = DelayLine::Interpolation::linear;
};

/// Where the energy went, up to a delay before now.
struct TlmBalance {
    double put_in = 0.0, taken_out = 0.0;    ///< by both subsystems
    double first = 0.0;                      ///< stored at the start
    double stored = 0.0, most_stored = 0.0;  ///< now; whenever it was looked at
    /// taken_out + stored - put_in - what was stored first: more than 0 is spurious, less
    /// than 0 was lost on the way.
    double created = 0.0;
    double most_created = 0.0;  ///< at any time
    double at = 0.0;            ///< that time
};

/// A transmission line between two ends, each with the waves it has sent:
///   effort_i(t) = c_i(t) + sign Z flow_i(t),   c_i(t) = w_j(t - T),   w_i = sign c_i + 2 Z flow_i
///
/// The energy on its way is the integral of w^2 / (4 Z) over the last delay at both ends; what an
/// end puts in, sign effort flow, is (w^2 - c^2) / (4 Z).
class TlmElement {
public:
    explicit TlmElement(TlmOptions options) : options_(std::move(options)) {}

    const TlmOptions& options() const { return options_; }
    std::uint32_t components() const {
        return static_cast<std::uint32_t>(options_.impedance.size());
    }

    /// What a row of `lines` has, in this order.
    struct Layout {
        std::uint32_t waves = 0;  ///< sent
        std::uint32_t sent = 0;   ///< their energy so far
        std::uint32_t put_in = 0, taken_out = 0;
        std::uint32_t received = 0;  ///< with damping: what arrived
        std::uint32_t attitude = 0;  ///< with turning: a quaternion
        std::uint32_t width = 0;
    };
    Layout layout() const;

    /// What each end has sent; both read both.
    std::array<DelayLine, 2> lines;
    /// Kept by the first end.
    TlmBalance balance;

    /// As `end` finds the line at the start.
    struct Start {
        std::span<const double> arriving;  ///< waves that have been sent for ever
        std::span<const double> received;  ///< the same, as the end keeps them
        std::span<const double> sent;      ///< the waves that it sends from now on
        std::array<double, 4> attitude = {1, 0, 0, 0};
    };
    void start_end(int end, const Start& start, double t);
    /// Brings `balance` to that time, of which both ends have told everything; it stays as it is
    /// where rows of a delay before that are no longer kept.
    void balance_at(double t);

private:
    bool jumps_at_start(std::size_t line) const;

    double start_ = 0.0;
    /// The powers w^2 / (4 Z) of the waves that each end has sent before the start.
    std::array<double, 2> first_powers_ = {};
    std::vector<double> row_;
    std::array<std::vector<double>, 2> first_rows_, next_rows_;  // of `lines`, at the start
    TlmOptions options_;
};

}  // namespace tandem::tlm
