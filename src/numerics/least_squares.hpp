#pragma once

#include <memory>
#include <span>

namespace tandem::numerics {

/// The smallest x of those for which |M x - r| is least: x = pinv(M) r. What M does to directions
/// whose singular value is below a part of the largest counts as nothing.
class LeastSquares {
public:
    static constexpr double cut_off = 1e-10;

    LeastSquares();
    ~LeastSquares();
    LeastSquares(LeastSquares&&) noexcept;
    LeastSquares& operator=(LeastSquares&&) noexcept;

    /// Nothing allocates after it.
    void prepare(std::size_t rows, std::size_t columns);
    /// M, column-major, to be written before factor().
    std::span<double> matrix();
    void factor();
    void solve(std::span<const double> r, std::span<double> x, double cut = cut_off) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::numerics
