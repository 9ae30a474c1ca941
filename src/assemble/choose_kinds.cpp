#include "assemble/choose_kinds.hpp"

#include <algorithm>

#include "description/slice.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

/// What a subsystem can be in a system of equations.
enum class Role {
    equation,  ///< it gives its equations in any case
    either,    ///< it is an FMU that may do so
    stepper,   ///< it takes steps of its own
    table,
};

class KindChooser {
public:
    explicit KindChooser(const description::FlatSystem& flat) : flat_(flat) {
        for (const description::FlatSubsystem& subsystem : flat.subsystems) {
            fmus_.push_back(open(subsystem));
            roles_.push_back(role_of(subsystem, fmus_.back().get()));
        }
    }

    KindChoice choose() && {
        KindChoice choice{to_be_equations()};
        for (const std::size_t s : choice.model_exchange)
            if (const auto own = fmus_[s]->description().experiment.tolerance; own && *own > 0.0)
                choice.tolerance = std::min(choice.tolerance, *own);
        choice.fmus = std::move(fmus_);
        return choice;
    }

private:
    /// Where every subsystem can give its equations, all do. Beside others, only those that feed
    /// each other.
    std::vector<std::size_t> to_be_equations() const {
        const bool is_mixed = std::ranges::count(roles_, Role::stepper) > 0;
        const numerics::Graph graph = equations();
        std::vector<std::size_t> in_cycles;
        for (const auto& members : numerics::strongly_connected_components(graph).members)
            for (const int s : members)
                if (members.size() > 1 && role(s) == Role::either)
                    in_cycles.push_back(static_cast<std::size_t>(s));
        if (is_mixed && !std::ranges::all_of(in_cycles, [&](auto s) { return keeps_rollback(s); }))
            return {};
        if (is_mixed || in_cycles.empty()) return in_cycles;
        std::vector<std::size_t> all;
        for (std::size_t s = 0; s < roles_.size(); ++s)
            if (roles_[s] == Role::either) all.push_back(s);
        return all;
    }

    /// Null: it is no FMU, or one that loading will refuse.
    static std::shared_ptr<fmi::Fmu> open(const description::FlatSubsystem& subsystem) {
        if (subsystem.type != description::SourceType::fmu || subsystem.source_is_refused)
            return nullptr;
        try {
            return fmi::Fmu::open(subsystem.source);
        } catch (const InputError&) {
            return nullptr;
        }
    }

    static Role role_of(const description::FlatSubsystem& subsystem, const fmi::Fmu* fmu) {
        if (subsystem.type == description::SourceType::table) return Role::table;
        if (subsystem.type != description::SourceType::fmu) return Role::equation;
        if (fmu == nullptr || subsystem.kind == description::PreferredKind::co_simulation)
            return Role::stepper;
        const auto& me = fmu->description().model_exchange;
        const auto& cs = fmu->description().co_simulation;
        if (!me) return Role::stepper;
        if (!cs || subsystem.kind == description::PreferredKind::model_exchange)
            return Role::equation;
        const bool needs_tool = me->needs_execution_tool && !cs->needs_execution_tool;
        return needs_tool ? Role::stepper : Role::either;
    }

    Role role(int s) const { return roles_[static_cast<std::size_t>(s)]; }

    /// Of what can be an equation: who feeds whom by real values.
    numerics::Graph equations() const {
        std::vector<std::pair<int, int>> edges;
        const auto add = [&](const description::FlatVariable& from,
                             const description::FlatVariable& to) {
            if (is_real_equation(from) && is_real_equation(to))
                edges.emplace_back(static_cast<int>(from.subsystem),
                                   static_cast<int>(to.subsystem));
        };
        for (const description::FlatConnection& connection : flat_.connections)
            add(connection.from, connection.to);
        for (const description::FlatFunction& function : flat_.functions)
            for (const description::FlatSignal& signal : function.signals)
                for (const description::FlatTarget& target : function.targets)
                    add(signal.variable, target.variable);
        return {static_cast<int>(roles_.size()), std::move(edges)};
    }

    bool is_real_equation(const description::FlatVariable& variable) const {
        const Role role = roles_[variable.subsystem];
        if (role != Role::equation && role != Role::either) return false;
        const fmi::Fmu* fmu = fmus_[variable.subsystem].get();
        if (fmu == nullptr) return true;
        const auto slice = description::split_slice(variable.name);
        const auto& all = fmu->description().variables;
        return std::ranges::any_of(all, [&](const fmi::Variable& known) {
            const bool is_meant =
                known.name == variable.name || (slice && known.name == slice->name);
            return is_meant && storage_of(known.type) == Storage::reals;
        });
    }

    /// Beside subsystems with steps of their own, an equation that cannot go back forbids what
    /// Co-Simulation would allow: to iterate with them, and to end steps at events.
    bool keeps_rollback(std::size_t s) const {
        const fmi::ModelDescription& description = fmus_[s]->description();
        return description.model_exchange->can_get_and_set_state ||
               !description.co_simulation->can_get_and_set_state;
    }

    const description::FlatSystem& flat_;
    std::vector<std::shared_ptr<fmi::Fmu>> fmus_;
    std::vector<Role> roles_;
};

}  // namespace

KindChoice choose_kinds(const description::FlatSystem& flat, const GivenMethod& given) {
    const bool leaves_kinds_open = std::ranges::any_of(flat.subsystems, [](const auto& subsystem) {
        return subsystem.type == description::SourceType::fmu &&
               subsystem.kind == description::PreferredKind::any;
    });
    if (!leaves_kinds_open || !may_aggregate(flat, given)) return {};
    return KindChooser(flat).choose();
}

}  // namespace tandem::assemble
