#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace tandem {

/// Rows of values with the times they belong to, as one end of a delay sends them and the other
/// reads them later. Before the first row it is that row for ever.
///
/// One thread may add rows while another reads earlier ones. What is read depends on the rows up
/// to the first that is not before the time asked for, never on later ones: so not on how far
/// ahead the sender is.
class DelayLine {
public:
    enum class Interpolation {
        linear,
        hermite,  ///< cubic; slopes at a row are those of the parabola through it and two before
    };
    struct Options {
        std::size_t width = 1;     ///< values of a row
        std::size_t capacity = 2;  ///< rows kept at least: new ones replace the oldest
        double same_time = 0.0;    ///< times that differ by less are equal
        Interpolation interpolation = Interpolation::linear;
    };

    void prepare(const Options& options);
    std::size_t width() const { return options_.width; }
    /// Begins anew, with this row.
    void start(double t, std::span<const double> row);
    /// `t` is not before the newest row; a second row at the same time is a jump.
    void add(double t, std::span<const double> row);
    /// Takes back all rows later than t.
    void truncate(double t);
    double newest() const { return times_[place(end_.load(std::memory_order_acquire) - 1)]; }

    enum class Read { good, too_late, forgotten };
    /// The row at t; at a jump, the one behind it. `row` takes the first of its values. `too_late`:
    /// t is beyond the newest row; `forgotten`: before the oldest that is kept.
    [[nodiscard]] Read read(double t, std::span<double> row) const;

private:
    std::size_t place(std::size_t number) const { return number & (options_.capacity - 1); }
    std::span<double> row_of(std::vector<double>& rows, std::size_t number) const;
    std::span<const double> row_of(const std::vector<double>& rows, std::size_t number) const;
    double time(std::size_t number) const { return times_[place(number)]; }
    void find_slopes(std::size_t number);
    std::size_t first_later_than(double t, std::size_t first, std::size_t end) const;
    void interpolate(std::size_t later, double t, std::span<double> row) const;

    Options options_;
    std::vector<double> times_, rows_, slopes_;
    std::atomic<std::size_t> first_ = 0, end_ = 0;  // numbers of rows that are kept: [first, end)
};

}  // namespace tandem
