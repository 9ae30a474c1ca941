#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/kinked.hpp"
#include "core/typed_links.hpp"
#include "ode/group/group_events.hpp"
#include "ode/kink_indicators.hpp"
#include "ode/ode_model.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::ode {

/// What connects the members of a group. Outputs and inputs are counted over all members, in their
/// order. At most one link or function feeds an input.
struct GroupWiring {
    std::vector<Link> links;
    std::vector<FunctionLink> functions;  ///< evaluated at every instant, not only at steps
    /// What is not real and continuous: carried at events. Subsystems are members here, and
    /// `input` counts the inputs of all.
    std::vector<TypedLink> typed = {};
    std::vector<GroupEvent> events = {};
};

/// A value that is no finite number, where it arises: what a function makes of finite signals for
/// an input, or an output.
struct NotFinite {
    std::string variable;  ///< "member.name"
    bool is_of_function = false;
    std::vector<std::pair<std::string, double>> signals = {};  ///< of the function
};

/// Many ODE models as one: nothing between them is sampled, so the solution is that of all their
/// equations written as one model.
///
/// Outputs are computed in the order of their declared dependencies; those that depend on each
/// other at one instant form an algebraic loop, solved by Newton's method from the last solution.
/// Relations in coupling functions are events, and their outcomes are held in between.
/// Events of any member are events of all; the event iteration goes on until no member and no
/// connected value changes. Ports and states are called "member.name". The inputs are those that
/// nothing feeds.
class OdeGroup final : public OdeModel, public Kinked, public KinkIndicators {
public:
    OdeGroup(std::string name, std::vector<std::unique_ptr<OdeModel>> members, GroupWiring wiring);
    ~OdeGroup() override;

    const std::string& name() const override;
    const OdeShape& shape() const override;
    Variables& variables() override;
    void select_ports(const PortSelection& selection) override;
    void enter_initialisation(const Experiment& experiment) override;
    void exit_initialisation() override;
    void finish() override;
    void get_start_inputs(std::span<double> u) override;
    void set_inputs(std::span<const double> u) override;
    void get_states(std::span<double> x) override;
    void get_nominals(std::span<double> nominals) override;
    bool set_point(const OdePoint& point) override;
    bool derivatives(std::span<double> dx) override;
    bool outputs(std::span<double> y) override;
    bool indicators(std::span<double> z) override;
    bool jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                        std::span<double> d_dx, std::span<double> d_y) override;
    bool jacobian_entries(JacobianBlock block, std::span<double> entries) override;
    CompletedStep completed_step() override;
    bool has_waiting_writes() const override;
    void enter_event_mode() override;
    EventUpdate update_discrete() override;
    void enter_continuous_mode() override;
    void save(StateSlot slot) override;
    void restore(StateSlot slot) override;
    void serialise(std::vector<std::byte>& bytes) override;
    void deserialise(std::span<const std::byte> bytes) override;
    std::string failure_reason() const override;
    std::string indicator_name(int i) const override;
    double next_kink(double t) const override;
    std::span<const int> kink_indicators() const override;

    /// At the point that was set last, if there is one.
    std::optional<NotFinite> not_finite() const;
    OdeModel& member(int m);
    /// Those of a member. To be written through here, so that the group knows of it.
    Variables& member_variables(int m);
    int size() const;
    struct Statistics {
        int loops = 0;         ///< algebraic loops
        int largest_loop = 0;  ///< number of outputs in it
        int calls = 0;         ///< of members for one evaluation of all outputs
        long factorisations = 0;
        long newton_solves = 0;         ///< loops that one factorisation did not solve
        long jacobian_evaluations = 0;  ///< of members, for the entries of Jacobians
    };
    Statistics statistics() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::ode
