#pragma once

#include <array>
#include <span>
#include <vector>

#include "ode/colouring.hpp"
#include "ode/ode_model.hpp"

namespace tandem::ode {

/// The size that makes a value dimensionless; nominals that say nothing (0, NaN) count as 1.
double usable_nominal(double nominal);
/// The increment of a one-sided difference at `value`: sqrt(eps) * max(|value|, nominal).
double difference_increment(double value, double nominal);

/// Where the entries of a sparse matrix are, column by column: those of column j are
/// rows[begin[j]] to rows[begin[j + 1] - 1], ascending.
struct SparseColumns {
    std::vector<std::size_t> begin;
    std::vector<int> rows;
};

/// The blocks A, B, C, D of a model at a point: exact with jacobian_times, otherwise by one-sided
/// differences; either way all columns of a colour of the declared pattern at once. A model that
/// assembles them itself is asked for the entries.
class BlockJacobian {
public:
    explicit BlockJacobian(OdeModel& model);

    void set_state_nominals(std::span<const double> nominals);
    /// `matrix` is dense and column-major. The model is left at `point`. False: the model cannot be
    /// evaluated at or near the point.
    [[nodiscard]] bool evaluate(JacobianBlock block, const OdePoint& point,
                                std::span<double> matrix);
    /// The same as the entries of sparse_columns().
    [[nodiscard]] bool evaluate_sparse(JacobianBlock block, const OdePoint& point,
                                       std::span<double> entries);
    const SparseColumns& sparse_columns(JacobianBlock block) const { return of(block).sparse; }
    std::size_t colour_count(JacobianBlock block) const;
    long evaluations() const { return evaluations_; }

private:
    struct Block {
        Colouring colouring;
        SparseColumns sparse;
        std::vector<std::size_t> order;  ///< place of each entry of the pattern, if assembled
        std::vector<double> entries;
    };
    static Block make_block(const Pattern& pattern, int rows, int columns);
    const Block& of(JacobianBlock block) const { return blocks_[static_cast<std::size_t>(block)]; }
    Block& of(JacobianBlock block) { return blocks_[static_cast<std::size_t>(block)]; }
    bool assembled(JacobianBlock block, std::span<double> entries);
    bool exact(JacobianBlock block, std::span<double> entries);
    bool differences(JacobianBlock block, const OdePoint& point, std::span<double> entries);
    bool difference(JacobianBlock block, const OdePoint& point, const std::vector<int>& columns,
                    double direction);
    bool result_at(JacobianBlock block, const OdePoint& point, std::span<double> result);

    OdeModel& model_;
    std::array<Block, 4> blocks_;
    std::vector<double> assembled_;
    std::vector<double> state_nominals_, input_nominals_;
    std::vector<double> x_, u_, seed_x_, seed_u_, d_dx_, d_y_, base_, trial_, increments_;
    long evaluations_ = 0;
};

}  // namespace tandem::ode
