#include "assemble/rank_couplings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assemble/choose.hpp"
#include "coupling/catalog/catalog.hpp"

namespace tandem::assemble {
namespace {

/// "'a', 'b' and 3 more"
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
        const bool is_last = i + 1 == names.size();
        text += fmt::format("{}'{}'", i == 0 ? "" : is_last ? " and " : ", ", names[i]);
    }
    return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

class Ranking {
public:
    explicit Ranking(const CouplingEvidence& evidence)
        : flat_(evidence.flat),
          parts_(evidence.parts),
          flows_(evidence.wiring.flows),
          has_discrete_(evidence.wiring.has_discrete),
          as_model_exchange_(evidence.as_model_exchange) {
        for (const auto& members : numerics::strongly_connected_components(flows_).members)
            if (numerics::is_cycle(flows_, members))
                in_cycles_.insert(in_cycles_.end(), members.begin(), members.end());
    }

    std::vector<RankedCoupling> rank() const {
        if (!flat_.tlm.empty() && is_unlinked()) return over_lines();
        std::vector<RankedCoupling> ranked = sampled();
        const std::optional<RankedCoupling> equation = aggregate(ranked);
        if (!equation) return ranked;
        // Whoever asks for a solver of its own does not want to be part of an equation.
        ranked.insert(ranked.begin() + (any_has_own_solver(flat_) ? 1 : 0), *equation);
        return ranked;
    }

private:
    bool is_unlinked() const {
        for (int s = 0; s < flows_.size(); ++s)
            if (!flows_.successors(s).empty()) return false;
        return true;
    }

    std::vector<RankedCoupling> over_lines() const {
        std::vector<RankedCoupling> ranked = {
            {"jacobi", "nothing but transmission lines is between the subsystems"}};
        if (!has_discrete_) ranked.push_back({coupling::asynchronous_name, ""});
        ranked.push_back({"gauss_seidel", ""});
        return ranked;
    }

    std::ptrdiff_t models() const {
        return std::ranges::count_if(
            parts_, [](const LoadedSubsystem& part) { return part.hosted != nullptr; });
    }

    std::optional<RankedCoupling> aggregate(const std::vector<RankedCoupling>& sampled) const {
        const bool is_alone = std::ranges::all_of(parts_, [](const LoadedSubsystem& part) {
            return part.hosted != nullptr || part.table != nullptr;
        });
        if (models() == 0 || (models() < 2 && !is_alone)) return std::nullopt;
        if (is_alone) return RankedCoupling{coupling::aggregate_name, equation_reason(is_alone)};
        const auto outer = std::ranges::find_if(sampled, [](const RankedCoupling& one) {
            return one.method == "iterative" || one.method == "gauss_seidel";
        });
        return RankedCoupling{coupling::aggregate_name,
                              fmt::format("{}; the rest is coupled by {}: {}",
                                          equation_reason(is_alone), outer->method, outer->reason),
                              {{"outer", outer->method, ""}}};
    }

    std::string equation_reason(bool is_alone) const {
        if (as_model_exchange_.empty())
            return is_alone ? "all models give their equations to one solver"
                            : fmt::format("{} models give their equations to one solver", models());
        std::vector<std::string> names;
        for (const std::size_t s : as_model_exchange_) names.push_back(flat_.subsystems[s].name);
        return fmt::format(
            "with {} as Model Exchange a cycle becomes one equation, in which nothing is sampled "
            "(kind = \"cs\" keeps Co-Simulation)",
            listed(names));
    }

    std::vector<RankedCoupling> sampled() const {
        for (const description::FlatSubsystem& subsystem : flat_.subsystems)
            if (subsystem.option("step_ratio") != nullptr)
                return {{"gauss_seidel",
                         fmt::format("'{}' takes several steps in one", subsystem.name)},
                        {"jacobi", ""}};
        if (in_cycles_.empty())
            return {{"iterative",
                     "the connections of real values form no cycle: sources step before "
                     "sinks"},
                    {"gauss_seidel", ""},
                    {"jacobi", ""}};
        std::vector<RankedCoupling> ranked;
        const std::optional<std::string> iterates = iteration();
        if (iterates) ranked.push_back({"iterative", *iterates});
        if (all_give_linear_models()) {
            const bool comes_first = !iterates || is_smooth();
            const std::vector<RankedCoupling> predicted = stabilised();
            ranked.insert(comes_first ? ranked.begin() : ranked.end(), predicted.begin(),
                          predicted.end());
        }
        ranked.push_back(
            {"gauss_seidel",
             fmt::format("a cycle goes through '{}', which cannot repeat a step, and held inputs "
                         "bear the longest steps",
                         one_that_stays().value_or(""))});
        // More accurate by far where steps resolve what is between subsystems, and unstable earlier
        // where they do not, which nobody knows before the run.
        ranked.push_back({"gauss_seidel", "", {{"order", std::int64_t{1}, ""}}});
        ranked.push_back({"predictor", "", {{"interface", std::string("identified"), ""}}});
        ranked.push_back({"nepce", ""});
        ranked.push_back({"jacobi", ""});
        return ranked;
    }

    /// Why members of a cycle can repeat their steps; nothing if none can. Where one cannot, others
    /// may still feed each other in a cycle of their own.
    std::optional<std::string> iteration() const {
        const std::optional<std::string> stays = one_that_stays();
        if (!stays)
            return "the members of each cycle can repeat their steps until their values agree";
        std::vector<std::pair<int, int>> edges;
        for (int s = 0; s < flows_.size(); ++s)
            for (const int next : flows_.successors(s))
                if (can(s).rollback) edges.emplace_back(s, next);
        const numerics::Graph of_others(flows_.size(), std::move(edges));
        for (const auto& members : numerics::strongly_connected_components(of_others).members)
            if (numerics::is_cycle(of_others, members))
                return fmt::format(
                    "'{}' cannot repeat a step, but others that feed each other "
                    "can, until their values agree",
                    *stays);
        return std::nullopt;
    }

    std::optional<std::string> one_that_stays() const {
        for (const int s : in_cycles_)
            if (!can(s).rollback) return flat_.subsystems[static_cast<std::size_t>(s)].name;
        return std::nullopt;
    }

    /// By themselves, not by their interface.
    bool all_give_linear_models() const {
        return std::ranges::all_of(parts_, [](const LoadedSubsystem& part) {
            return part.subsystem != nullptr &&
                   part.subsystem->interface().capabilities.linear_model;
        });
    }

    /// Whether linear models are known to say what happens in a step: solvers of ours find all
    /// events, so that steps end there, and signals pass between members of cycles as they are.
    /// Sources, tables, functions, lines and discrete values change with time in ways that a linear
    /// model does not know of; an iteration meets them at the end of its step. In an algebraic loop
    /// it takes care of several solutions, too.
    bool is_smooth() const {
        return models() == std::ssize(parts_) && flat_.functions.empty() && flat_.tlm.empty() &&
               flat_.events.empty() && !has_discrete_ && !has_sources() && !may_have_loops();
    }

    bool has_sources() const {
        for (int s = 0; s < flows_.size(); ++s)
            if (!flows_.successors(s).empty() &&
                std::ranges::find(in_cycles_, s) == in_cycles_.end())
                return true;
        return false;
    }

    /// A cycle of subsystems each of which has some output that follows an input directly.
    bool may_have_loops() const {
        std::vector<std::pair<int, int>> edges;
        for (int s = 0; s < flows_.size(); ++s)
            for (const int next : flows_.successors(s))
                if (!interface(s).feed_through.empty()) edges.emplace_back(s, next);
        const numerics::Graph direct(flows_.size(), std::move(edges));
        return std::ranges::any_of(
            numerics::strongly_connected_components(direct).members,
            [&](const std::vector<int>& members) { return numerics::is_cycle(direct, members); });
    }

    /// `lti` is the more accurate one, and at longer steps by far. It takes laws, and its work
    /// grows with the square of the number of subsystems.
    std::vector<RankedCoupling> stabilised() const {
        constexpr std::size_t few = 3;
        const bool takes_laws = std::ranges::all_of(parts_, [](const LoadedSubsystem& part) {
            return part.subsystem->interface().capabilities.law_states;
        });
        const std::optional<std::string> stays = one_that_stays();
        const std::string reason = fmt::format(
            "{}all subsystems give linear models, which say what inputs do over a step{}",
            stays ? fmt::format("'{}' cannot repeat a step, but ", *stays) : "",
            stays ? "" : ": that is more accurate than to repeat it");
        if (!takes_laws) return {{"predictor", reason}};
        if (parts_.size() > few) return {{"predictor", reason}, {"lti", reason}};
        return {{"lti", reason}, {"predictor", reason}};
    }

    const Interface& interface(int s) const {
        return parts_[static_cast<std::size_t>(s)].subsystem->interface();
    }
    Capabilities can(int s) const {
        const auto& subsystem = parts_[static_cast<std::size_t>(s)].subsystem;
        return subsystem != nullptr ? subsystem->interface().capabilities : Capabilities{};
    }

    const description::FlatSystem& flat_;
    const std::vector<LoadedSubsystem>& parts_;
    const numerics::Graph& flows_;
    const bool has_discrete_;
    const std::vector<std::size_t>& as_model_exchange_;
    std::vector<int> in_cycles_;
};

}  // namespace

std::vector<RankedCoupling> rank_couplings(const CouplingEvidence& evidence) {
    return Ranking(evidence).rank();
}

bool any_has_own_solver(const description::FlatSystem& flat) {
    return std::ranges::any_of(flat.subsystems, [](const description::FlatSubsystem& subsystem) {
        return !own_solver(subsystem).empty();
    });
}

}  // namespace tandem::assemble
