#pragma once

#include <span>
#include <vector>

#include "ode/colouring.hpp"
#include "ode/ode_model.hpp"

namespace tandem::ode {

/// All four blocks of one model at once, as the entries of its pattern row by row: the rows are the
/// derivatives and then the outputs, the columns the states and then the inputs. One product with
/// the exact Jacobian, or one evaluation beside the point, for each colour of the columns. Blocks
/// that are constant are found once.
class MemberBlocks {
public:
    explicit MemberBlocks(OdeModel& model);

    /// At the point, which is also the one that is set in the model; it is left there. False: the
    /// model cannot be evaluated at or near it.
    [[nodiscard]] bool evaluate(const OdePoint& point);
    struct Entry {
        int column;
        double value;
    };
    std::span<const Entry> row(int row) const {
        const auto i = static_cast<std::size_t>(row);
        return {entries_.data() + begin_[i], entries_.data() + begin_[i + 1]};
    }
    /// Products and evaluations so far.
    long evaluations() const { return evaluations_; }

private:
    void find_entries(int rows, int columns);
    bool products();
    bool differences(const OdePoint& point);
    bool move(const OdePoint& point, const std::vector<int>& columns, double direction);
    bool result_at(const OdePoint& point, std::span<double> result);
    void take(const std::vector<int>& columns, std::span<const double> product);

    OdeModel& model_;
    Colouring colouring_;
    std::vector<Entry> entries_;
    std::vector<std::size_t> begin_;                  ///< of each row, and the end
    std::vector<std::vector<std::size_t>> position_;  ///< of the entries of each column
    std::vector<double> nominals_, moved_, increments_, base_, trial_;
    std::size_t states_ = 0;
    bool is_known_ = false;
    long evaluations_ = 0;
};

}  // namespace tandem::ode
