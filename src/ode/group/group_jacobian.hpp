#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "numerics/loop_matrix.hpp"
#include "ode/group/group_plan.hpp"
#include "ode/group/member_blocks.hpp"

namespace tandem::ode {

/// Values a group has at the point where it is to be differentiated, over all members.
struct GroupPoint {
    double t;
    std::span<const double> x, u, y;
};

/// J = A + B L (I - D L)^-1 C of a group, assembled from the blocks of its members row by row in
/// the order of the plan: a row of dy is C + D du, one of du is L dy, one of d(dx) is A + B du.
/// Every row holds the states and free inputs it depends on, and no other.
class GroupJacobian {
public:
    GroupJacobian(const GroupNet& net, const GroupPlan& plan,
                  const std::vector<std::unique_ptr<OdeModel>>& members);

    /// False: a member cannot be evaluated there, or a loop is singular.
    [[nodiscard]] bool evaluate(const GroupPoint& point);
    /// The row of a derivative or output. Columns are causes: states, then all inputs.
    struct Row {
        std::vector<int> causes;
        std::vector<double> values;
    };
    const Row& derivative(int state) const { return derivatives_[static_cast<std::size_t>(state)]; }
    const Row& output(int output) const { return outputs_[static_cast<std::size_t>(output)]; }
    long evaluations() const;

private:
    /// A partial derivative of an input: by an output.
    struct Partial {
        int output;
        double value;
    };

    bool differentiate_functions(const GroupPoint& point);
    void add_input(int input, double factor);
    void add_entries(int member, int row);
    void store(Row& row);
    bool solve(const GroupLoop& loop);
    void fill_loop_matrix(const GroupLoop& loop);

    const GroupNet& net_;
    const GroupPlan& plan_;
    std::vector<MemberBlocks> blocks_;
    std::vector<std::vector<Partial>> input_partials_;  ///< of each input
    std::vector<Row> outputs_, derivatives_;
    std::vector<double> sum_;      ///< of one row, for all causes; zeros in between
    std::vector<char> is_inside_;  ///< outputs of the loop being solved
    std::vector<int> loop_position_;
    std::vector<double> signals_;
    numerics::LoopMatrix matrix_;
    Eigen::MatrixXd right_, solution_;
};

}  // namespace tandem::ode
