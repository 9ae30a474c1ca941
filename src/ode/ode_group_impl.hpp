#pragma once

#include <Eigen/LU>
#include <optional>

#include "ode/algebraic_solver.hpp"
#include "ode/group_plan.hpp"
#include "ode/group_variables.hpp"
#include "ode/ode_group.hpp"

namespace tandem::ode {

struct OdeGroup::Impl {
    enum class Phase { initialising, event, continuous };
    /// r(y) = y - g(y) of the outputs of one loop.
    class LoopProblem final : public AlgebraicProblem {
    public:
        LoopProblem(Impl& group, const GroupLoop& loop) : group_(group), loop_(loop) {}
        int size() const override { return static_cast<int>(loop_.outputs.size()); }
        bool residual(std::span<const double> y, std::span<double> r) override;
        bool jacobian(std::span<const double> y, std::span<double> matrix) override;

    private:
        Impl& group_;
        const GroupLoop& loop_;
    };
    /// One algebraic loop and what is remembered about its solution.
    struct Loop {
        const GroupLoop* plan = nullptr;
        std::unique_ptr<LoopProblem> problem;
        std::unique_ptr<AlgebraicSolver> newton;
        std::vector<double> nominals, y, r;
        Eigen::PartialPivLU<Eigen::MatrixXd> factors;  ///< of I - D L, when it was last needed
        bool has_factors = false;
        bool is_current = false;  ///< the factors belong to the point that is set
    };

    Impl(std::string the_name, std::vector<std::unique_ptr<OdeModel>> the_members,
         GroupWiring the_wiring);

    // ode_group.cpp
    void make_plan();
    void make_shape();
    Pattern derivative_pattern(bool by_states) const;
    Pattern output_pattern(bool by_states) const;
    bool present(int m);
    bool resolve();
    void resolve_until_settled();
    static bool has_moved(std::span<const double> now, std::span<const double> before);
    [[noreturn]] void fail(const char* when) const;
    void route(int input);
    bool ask(const GroupCall& call);
    bool read_outputs(int m);
    std::span<double> outputs_of(int m) { return slice(y_own, net->output_begin, m); }
    std::span<double> inputs_of(int m) { return slice(u, net->input_begin, m); }
    std::span<const double> states_of(int m) const {
        return {x.data() + net->state_begin[static_cast<std::size_t>(m)],
                x.data() + net->state_begin[static_cast<std::size_t>(m) + 1]};
    }
    static std::span<double> slice(std::vector<double>& values, const std::vector<int>& begin,
                                   int m) {
        const auto i = static_cast<std::size_t>(m);
        return {values.data() + begin[i], values.data() + begin[i + 1]};
    }

    // ode_group_loops.cpp
    void make_loops();
    bool solve(Loop& loop);
    bool try_factors(Loop& loop);
    void factorise(Loop& loop);
    bool loop_values(const GroupLoop& loop, std::span<const double> guess, std::span<double> r);
    bool loop_matrix(const GroupLoop& loop, std::span<double> matrix);
    double size_of(const Loop& loop) const;
    std::string names_of(const GroupLoop& loop) const;
    std::string output_name(int output) const;

    // ode_group_jacobian.cpp
    bool product(int m);
    bool difference_product(int m);
    void differentiate(int input);
    bool differentiate_loop(Loop& loop);
    bool jacobian_times(std::span<const double> d_x, std::span<const double> d_u);

    std::string name;
    std::vector<std::unique_ptr<OdeModel>> members;
    GroupWiring wiring;
    GroupEvents events;
    TypedLinks typed;
    bool external_change = false;  ///< an external event changed states
    std::optional<GroupNet> net;
    GroupPlan plan;
    std::vector<Loop> loops;
    std::unique_ptr<GroupVariables> variables;
    OdeShape shape;
    std::optional<PortSelection> selection;
    std::vector<int> free_inputs, shown_outputs;  ///< the ports of the group
    std::vector<int> indicator_begin;

    Phase phase = Phase::initialising;
    double t = 0.0;
    std::vector<double> x, u, y;     ///< of all members
    std::vector<double> y_own;       ///< what members said last; right only where the plan says so
    std::vector<char> is_presented;  ///< members that have been given the point
    std::vector<double> signals;
    std::string trouble;
    Statistics statistics;
    struct Saved {
        std::vector<double> u, y;
        GroupEvents::Memory events;
    };
    Saved saved[state_slot_count];

    std::vector<double> d_x, d_u, d_y, d_dx;  ///< of all members
    std::vector<double> d_y_own, base, trial, x_trial, u_trial;
};

}  // namespace tandem::ode
