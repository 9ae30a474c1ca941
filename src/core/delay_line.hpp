#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

/// Rows of values with the times they belong to, as one end of a delay sends them and the other
/// reads them later. Before the first row it is that row for ever.
///
/// One thread may add rows, and take some back, while another reads earlier ones. What is read
/// depends on the rows up to the first that is not before the time asked for, never on later ones:
/// so not on how far ahead the sender is.
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
        std::uint32_t capacity = 2;  ///< rows kept at least: new ones replace the oldest
        double same_time = 0.0;      ///< times that differ by less are equal
        Interpolation interpolation = Interpolation::linear;
    };

    void prepare(const Options& options);
    /// Begins anew, with this row.
    void start(double t, std::span<const double> row);
    /// `t` is not before the newest row; a second row at the same time is a jump.
    void add(double t, std::span<const double> row);
    /// The same in two parts: room for a row, which counts once its time is given.
    std::span<double> next_row();
    void add_next(double t);
    /// Takes back all rows later than t.
    void truncate(double t);
    double newest() const { return time(end_.load(std::memory_order_acquire) - 1); }

    enum class Read { good, too_late, forgotten };
    /// The row at t; at a jump, the one behind it. `row` takes the first of its values. `too_late`:
    /// t is beyond the newest row; `forgotten`: before the oldest that is kept.
    [[nodiscard]] Read read(double t, std::span<double> row) const;

private:
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
    void find_slopes(std::size_t number);
    std::size_t first_later_than(double t, std::size_t first, std::size_t end) const;
    void interpolate(std::size_t before, std::size_t later, double x, std::span<double> row) const;

    double same_time_ = 0.0;
    mutable std::vector<double> rows_;
    std::atomic<std::size_t> first_ = 0, end_ = 0;  // numbers of rows that are kept: [first, end)
    std::uint32_t width_ = 0, stride_ = 0, last_place_ = 0;
    bool has_slopes_ = false;
};

}  // namespace tandem
