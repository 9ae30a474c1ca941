#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "core/times.hpp"
#include "tandem/error.hpp"

namespace tandem::tlm {

/// Rows of values with the times they belong to, as one end of a delay sends them and the other
/// reads them later. Before the first row it is that row for ever.
///
/// One thread may add rows, and take some back, while another reads earlier ones. What is read
/// depends on the rows up to the first that is not before the time asked for, never on later ones:
/// so not on how far ahead the sender is. Rows of one time are published together.
///
/// It fills one line of the cache: two ends that write at the same time do not disturb each other.
class alignas(64) DelayLine {
public:
    enum class Interpolation {
        linear,
        hermite,  ///< cubic; slopes at a row are those of the parabola through it and two before
    };
    struct Options {
        std::uint32_t width = 1;     ///< values of a row
        std::uint32_t capacity = 2;  ///< rows kept to begin with: new ones replace the oldest
        double same_time = 0.0;      ///< times that differ by less are equal
        Interpolation interpolation = Interpolation::linear;
    };

    /// Times near t that differ by less are equal: by same_time, or by the rounding of sums and
    /// differences.
    static double width_of_time(double t, double same_time);

    void prepare(const Options& options);
    /// Begins anew, with this row.
    void start(double t, std::span<const double> row);
    /// `t` is not before the newest row; a second row at the same time is a jump.
    void add(double t, std::span<const double> row);
    /// The same in parts: room for a row, its time, and after some rows: they count from now on.
    std::span<double> next_row() {
        const std::size_t first = first_.load(std::memory_order_relaxed);
        if (count() - first > last_place_) first_.store(first + 1, std::memory_order_release);
        return {&rows_[begin_of(count()) + 1], width_};
    }
    void add_next(double t) {
        const std::size_t number = count();
        expects(number == first_.load(std::memory_order_relaxed) || t >= time(number - 1),
                "rows of a delay line come in order");
        time_of(number).store(t, std::memory_order_relaxed);
        if (has_slopes()) find_slopes(number);
        ++unpublished_;
    }
    /// The row that was added last is one behind a jump. Others may have a neighbour of the same
    /// time, too, with the same values.
    void mark_jump() { last_jump_.store(time(count() - 1), std::memory_order_relaxed); }
    void publish() { truncate(count()); }
    /// How many rows there have been; takes back those after so many, which were there once.
    std::size_t count() const { return end_.load(std::memory_order_relaxed) + unpublished_; }
    void truncate(std::size_t count) {
        end_.store(count, std::memory_order_release);
        unpublished_ = 0;
    }
    /// Room for so many more rows while all those since `oldest` are kept. Nobody may read
    /// meanwhile. There is a limit of some millions.
    void make_room(std::size_t rows, double oldest);
    double newest() const { return time(end_.load(std::memory_order_acquire) - 1); }

    /// A row for a time that was told already: others may have read it, and begin behind it.
    double just_behind(double t) const {
        return t + 0.5 * jump_width * width_of_time(t, same_time_);
    }

    enum class Read { good, at_jump, too_late, forgotten };
    enum class Side { before, behind };
    /// The row at that time; where it jumps just there, that of `side`, and `at_jump` says that
    /// there is another one behind it. `row` takes the first of its values. `too_late`: it is
    /// beyond the newest row; `forgotten`: before the oldest that is kept.
    [[nodiscard]] Read read(Instant instant, std::span<double> row, Side side = Side::behind) const;

    /// Whether rows jump from t0 on, but before t1, of which all are there: a quick look, which may
    /// say yes where they do not, and a close one.
    bool may_jump_since(double t0) const {
        return last_jump_.load(std::memory_order_relaxed) >= t0 - widest(t0);
    }
    bool jumps_within(double t0, double t1) const;
    /// Of the first row behind t; infinity if there is none.
    double next_time(double t) const;

private:
    /// Rows nearer than this many times what makes times equal are a jump.
    static constexpr double jump_width = 8.0;
    /// Times are sums and differences of others.
    static constexpr double rounding_of_times = 8.0 * std::numeric_limits<double>::epsilon();
    /// Not less than width_of_time.
    double widest(double t) const { return 2.0 * same_time_ + rounding_of_times * std::abs(t); }
    /// A row has its time, the values and, if cubics need them, the slopes of the values.
    std::size_t begin_of(std::size_t number) const { return (number & last_place_) * stride_; }
    /// Of rows that may be written meanwhile, too: those are later than what is asked for.
    std::atomic_ref<double> time_of(std::size_t number) const {
        return std::atomic_ref(rows_[begin_of(number)]);
    }
    double time(std::size_t number) const {
        return time_of(number).load(std::memory_order_relaxed);
    }
    const double* values(std::size_t number) const { return &rows_[begin_of(number) + 1]; }
    bool has_slopes() const { return stride_ > 1 + width_; }
    struct Rows {
        std::size_t first, end, last;
    };
    bool jumps_between(std::size_t at, std::size_t last) const;
    void read_smooth(Instant instant, const Rows& rows, std::span<double> row) const;
    void find_slopes(std::size_t number);
    std::size_t first_later_than(double t, std::size_t first, std::size_t end) const;
    void interpolate(std::size_t before, std::size_t later, double x, std::span<double> row) const;

    double same_time_ = 0.0;
    std::unique_ptr<double[]> rows_;
    std::atomic<double> last_jump_ = -std::numeric_limits<double>::infinity();  // or earlier
    std::atomic<std::size_t> first_ = 0, end_ = 0;  // numbers of rows that are kept: [first, end)
    std::uint32_t unpublished_ = 0;                 // rows behind these
    std::uint32_t width_ = 0, stride_ = 0, last_place_ = 0;
};

}  // namespace tandem::tlm
