#pragma once

#include <optional>

#include "core/switches.hpp"
#include "numerics/algebraic_solver.hpp"
#include "numerics/correction_limits.hpp"
#include "numerics/loop_matrix.hpp"
#include "ode/group/group_jacobian.hpp"
#include "ode/group/group_plan.hpp"
#include "ode/group/group_variables.hpp"
#include "ode/group/ode_group.hpp"

namespace tandem::ode {

struct OdeGroup::Impl {
    enum class Phase { initialising, event, continuous };
    /// Passes over all connections in which connected values converge, besides one for each member.
    static constexpr int spare_passes = 20;
    struct Loop;
    /// r(y) = y - g(y) of the outputs of one loop.
    class LoopProblem final : public numerics::AlgebraicProblem {
    public:
        LoopProblem(Impl& group, Loop& loop) : group_(group), loop_(loop) {}
        int size() const override;
        bool residual(std::span<const double> y, std::span<double> r) override;
        bool jacobian(std::span<const double> y, std::span<double> matrix) override;

    private:
        Impl& group_;
        Loop& loop_;
    };
    /// u[input] = y[output], also at the place where the member keeps it.
    struct Wire {
        std::uint32_t input, output;
        double* place;
    };
    /// u[input] = gain * y[output] + offset
    struct ScaledWire {
        Wire wire;
        double gain, offset;
    };
    /// Something to ask a member, made ready: where its inputs come from, and which outputs are
    /// right afterwards.
    struct MemberCall {
        int member = 0;
        std::vector<int> inputs;
        std::vector<Wire> wires;
        std::vector<ScaledWire> scaled;
        std::vector<Wire> free;       ///< inputs that nobody feeds; no output
        std::vector<Wire> functions;  ///< inputs that are made by a function; its index as output
        std::vector<int> outputs;
        int set = -1, get = -1;    ///< what the member prepared for it
        bool is_prepared = false;  ///< otherwise all inputs are set and all outputs read
        bool is_direct = false;    ///< inputs are written where the member keeps them
    };
    /// One algebraic loop and what is remembered about its solution.
    struct Loop {
        const GroupLoop* plan = nullptr;
        std::unique_ptr<LoopProblem> problem;
        std::unique_ptr<numerics::AlgebraicSolver> newton;
        MemberCall outside;                    ///< feeds its inputs from outside; nobody is asked
        std::vector<MemberCall> member_calls;  ///< one for each of its members
        std::vector<double> nominals, y, r, r_before, start, unused;
        std::optional<numerics::CorrectionLimits> limits;
        numerics::LoopMatrix matrix;  ///< I - D L, when it was last needed
        Eigen::VectorXd correction;
        bool has_factors = false;
        bool is_current = false;       ///< the factors belong to the point that is set
        bool is_singular = false;      ///< I - D L was, when it was last needed
        Eigen::MatrixXd first_matrix;  ///< where the solution was sought from
        /// Of det(I - D L): its sign since the last event or start; 0: not known yet.
        int orientation = 0;
    };

    Impl(std::string the_name, std::vector<std::unique_ptr<OdeModel>> the_members,
         GroupWiring the_wiring);

    // ode_group_shape.cpp
    void make_plan();
    std::vector<bool> held_inputs() const;
    void make_shape();
    Pattern derivative_pattern(bool by_states) const;
    Pattern output_pattern(bool by_states) const;

    // ode_group_evaluation.cpp
    void make_member_calls();
    MemberCall make_member_call(int m, const std::vector<int>& inputs,
                                const std::vector<int>& outputs);
    void add_sources(MemberCall& member_call, const std::vector<int>& inputs);
    void prepare(MemberCall& member_call);
    void find_places(MemberCall& member_call);
    void find_places();
    static std::vector<int> of_member(const std::vector<int>& ports, const std::vector<int>& begin,
                                      int m);
    void feed(const MemberCall& member_call);
    bool present(const MemberCall& member_call);
    bool run(const MemberCall& member_call);
    bool resolve();

    // ode_group.cpp
    std::vector<std::vector<std::vector<int>>> order_of_start() const;
    void guess_outputs(const std::vector<int>& batch, const std::vector<char>& is_asked);
    void feed_from(const std::vector<char>& is_asked, int m);
    void guess_outputs();
    void guess_outputs(int m);
    void resolve_until_converged();
    static bool has_moved(std::span<const double> now, std::span<const double> before,
                          std::span<const double> nominals);
    [[noreturn]] void fail(const char* when) const;
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

    // ode_group_events.cpp
    bool exchange_at_event();
    bool has_new_outputs(int m);
    EventUpdate update_members();

    // ode_group_loops.cpp
    void make_loops();
    bool solve(Loop& loop);
    bool find_solution(Loop& loop);
    bool goes_on(Loop& loop);
    static bool has_jumped(const Loop& loop);
    void forget_loops();
    bool try_factors(Loop& loop, bool are_old);
    bool factorise(Loop& loop);
    bool loop_values(Loop& loop, std::span<const double> guess, std::span<double> r);
    bool loop_matrix(const GroupLoop& loop, std::span<double> matrix);
    static void find_correction(Loop& loop);
    static std::span<const double> corrections_of(const Loop& loop) {
        return {loop.correction.data(), loop.y.size()};
    }
    static double size_of_correction(const Loop& loop);
    bool adopt(Loop& loop);
    std::string names_of(const GroupLoop& loop) const;
    std::string output_name(int output) const;

    // ode_group_not_finite.cpp
    std::string input_name(int input) const;
    void note_bad(std::uint32_t function);
    std::optional<NotFinite> bad_function() const;
    std::optional<NotFinite> bad_output() const;

    // ode_group_jacobian.cpp
    bool product(int m);
    bool difference_product(int m);
    void differentiate(int input);
    bool differentiate_loop(Loop& loop);
    bool jacobian_times(std::span<const double> d_x, std::span<const double> d_u);
    bool linearise();

    std::string name;
    std::vector<std::unique_ptr<OdeModel>> members;
    GroupWiring wiring;
    Switches switches;  ///< of the functions
    GroupEvents events;
    TypedLinks typed;
    bool external_change = false;  ///< an external event changed states
    std::optional<GroupNet> net;
    GroupPlan plan;
    std::vector<Loop> loops;
    /// Batches of members, as they update at events: in the first update of an event, in which
    /// models sample, those in a cycle of discrete values see what was before it. After that they
    /// update as listed, which ends where they would switch each other back and forth.
    std::vector<std::vector<int>> first_updates, later_updates;
    std::vector<MemberCall> member_calls;       ///< of the calls of the plan
    std::vector<MemberCall> last_member_calls;  ///< of each member: inputs that no output needs
    std::unique_ptr<GroupVariables> variables;
    OdeShape shape;
    std::optional<PortSelection> selection;
    std::vector<int> free_inputs, shown_outputs;  ///< the ports of the group
    std::vector<char> is_shown;                   ///< of each input: it is a port of the group
    std::vector<int> indicator_begin;
    std::vector<int> kink_indicators;   ///< of members, and of the functions
    std::vector<const Kinked*> kinked;  ///< members

    Phase phase = Phase::initialising;
    bool is_first_update = true;   ///< of an event
    bool is_behind_event = false;  ///< in event mode, other than at the start
    double t = 0.0;
    std::vector<double> x, u, y;     ///< of all members
    std::vector<double> y_own;       ///< what members said last; right only where the plan says so
    std::vector<char> is_presented;  ///< members that have been given the point
    bool is_resolved = false;        ///< in continuous mode, everything belongs to (t, x, u)
    std::vector<double> signals;
    /// The last function that made of finite signals what is no finite number.
    struct BadFunction {
        int function = -1;
        double t = 0.0;
        std::vector<double> signals;
    };
    BadFunction bad;
    std::string failure_reason;
    Statistics statistics;
    struct Saved {
        std::vector<double> u, y;
        GroupEvents::Memory events;
        std::vector<double> held = {};  ///< by the switches
    };
    Saved saved[state_slot_count];

    std::unique_ptr<GroupJacobian> jacobian;  ///< made when first asked for
    bool is_linearised = false;               ///< it belongs to the point that is resolved
    std::vector<double> d_x, d_u, d_y, d_dx;  ///< of all members
    std::vector<double> d_y_own, base, x_trial, u_trial;
};

}  // namespace tandem::ode
