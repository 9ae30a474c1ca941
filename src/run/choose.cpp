#include "run/choose.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::run {
namespace {

constexpr const char* automatic = "auto";

OptionValue option_value(const ssp::Setting& setting) {
    switch (setting.type) {
        case ssp::Setting::Type::boolean: return setting.as_boolean();
        case ssp::Setting::Type::integer: return setting.as_integer();
        case ssp::Setting::Type::real: return setting.as_real();
        case ssp::Setting::Type::text: return setting.as_text();
        default: break;
    }
    std::vector<std::string> texts;
    for (const ssp::Setting& entry : setting.entries)
        if (entry.type == ssp::Setting::Type::text) texts.push_back(entry.as_text());
    return texts;
}

/// A method, its options and where it is named.
struct Merged {
    std::string method;
    std::vector<GivenOption> options;
    std::string place;
};

/// Options of the file count for the method of the file only.
Merged merge(const ssp::MethodChoice& file, const GivenMethod& given, const char* option) {
    const bool as_in_file = given.method.empty() || given.method == file.method;
    Merged merged{as_in_file ? file.method : given.method, given.options,
                  as_in_file ? file.place : option};
    for (const ssp::Setting& setting : file.options)
        if (as_in_file && std::ranges::find(given.options, setting.key, &GivenOption::name) ==
                              given.options.end())
            merged.options.push_back({setting.key, option_value(setting), setting.place});
    return merged;
}

/// A method and the reason for it, in words that follow "because".
struct Decision {
    std::string method;
    std::string reason;
    std::vector<GivenOption> options = {};
};

class Decider {
public:
    Decider(const ssp::FlatSystem& flat, const std::vector<LoadedSubsystem>& parts,
            const Graph& flows)
        : flat_(flat), parts_(parts), flows_(flows) {}

    Decision decide() const {
        if (!flat_.tlm.empty() && is_unlinked())
            return {"jacobi", "nothing but transmission lines is between the subsystems"};
        if (any_has_own_solver() || models() == 0) return decide_sampled();
        const bool alone = std::ranges::all_of(parts_, [](const LoadedSubsystem& part) {
            return part.hosted != nullptr || part.table != nullptr;
        });
        if (alone)
            return {coupling::aggregate_name, "all models give their equations to one solver"};
        if (models() < 2) return decide_sampled();
        const Decision outer = decide_sampled();
        return {coupling::aggregate_name,
                fmt::format("{} models give their equations to one solver; the rest is coupled by "
                            "{}: {}",
                            models(), outer.method, outer.reason),
                {{"outer", outer.method, ""}}};
    }

private:
    bool any_has_own_solver() const {
        return std::ranges::any_of(flat_.subsystems, [](const ssp::FlatSubsystem& subsystem) {
            return !own_solver(subsystem).empty();
        });
    }

    bool is_unlinked() const {
        for (int s = 0; s < flows_.size(); ++s)
            if (!flows_.successors(s).empty()) return false;
        return true;
    }

    std::ptrdiff_t models() const {
        return std::ranges::count_if(
            parts_, [](const LoadedSubsystem& part) { return part.hosted != nullptr; });
    }

    Decision decide_sampled() const {
        for (const ssp::FlatSubsystem& subsystem : flat_.subsystems)
            if (subsystem.option("step_ratio") != nullptr)
                return {"gauss_seidel",
                        fmt::format("'{}' takes several steps in one", subsystem.name)};
        bool goes_round = false;
        for (const auto& members : strongly_connected_components(flows_).members) {
            if (!is_cycle(flows_, members)) continue;
            goes_round = true;
            for (const int s : members)
                if (const auto i = static_cast<std::size_t>(s); !can_go_back(i))
                    return with_one_that_stays(flat_.subsystems[i].name);
        }
        return {"iterative", goes_round
                                 ? "values go round, and those that feed each other can "
                                   "repeat their steps until they agree"
                                 : "the connections of real values form no cycle: sources step "
                                   "before sinks"};
    }

    /// Others may still feed each other in a cycle of their own, and iterate.
    Decision with_one_that_stays(const std::string& name) const {
        std::vector<std::pair<int, int>> edges;
        for (int s = 0; s < flows_.size(); ++s)
            for (const int next : flows_.successors(s))
                if (can_go_back(static_cast<std::size_t>(s))) edges.emplace_back(s, next);
        const Graph of_others(flows_.size(), std::move(edges));
        for (const auto& members : strongly_connected_components(of_others).members)
            if (is_cycle(of_others, members))
                return {"iterative",
                        fmt::format("values go round; '{}' cannot repeat a step, but others that "
                                    "feed each other can, until they agree",
                                    name)};
        return {"gauss_seidel",
                fmt::format("values go round through '{}', which cannot repeat a step", name)};
    }

    bool can_go_back(std::size_t s) const {
        return parts_[s].subsystem != nullptr &&
               parts_[s].subsystem->interface().capabilities.rollback;
    }

    const ssp::FlatSystem& flat_;
    const std::vector<LoadedSubsystem>& parts_;
    const Graph& flows_;
};

coupling::GivenJacobian jacobian(const std::string& subsystem, const ssp::Setting& given) {
    coupling::GivenJacobian jacobian{subsystem, {}};
    for (const ssp::Setting& row : given.entries)
        for (const ssp::Setting& entry : row.entries)
            jacobian.entries.push_back({row.key, entry.key, entry.as_real(), entry.place});
    return jacobian;
}

/// Options without a method are those of the one that is chosen, if it has them.
bool has_options(const std::string& method, const std::vector<GivenOption>& options) {
    const auto entry =
        std::ranges::find(coupling::catalog(), method, &coupling::CatalogEntry::name);
    return std::ranges::all_of(options, [&](const GivenOption& option) {
        return std::ranges::find(entry->options, option.name, &coupling::OptionInfo::name) !=
               entry->options.end();
    });
}

std::string summary_of(const std::string& method) {
    for (const coupling::CatalogEntry& entry : coupling::catalog())
        if (entry.name == method) return entry.summary;
    return {};
}

}  // namespace

std::vector<const ssp::Setting*> own_solver(const ssp::FlatSubsystem& subsystem) {
    std::vector<const ssp::Setting*> settings;
    for (const char* key : {"solver", "tolerance", "step", "max_step", "first_step", "max_order",
                            "max_steps", "step_ratio"})
        if (const ssp::Setting* setting = subsystem.option(key)) settings.push_back(setting);
    return settings;
}

ChosenCoupling choose_coupling(const ssp::FlatSystem& flat,
                               const std::vector<LoadedSubsystem>& parts, const Graph& flows,
                               const GivenMethod& given) {
    Merged merged = merge(flat.coupling, given, "--coupling");
    ChosenCoupling chosen;
    if (merged.method.empty() || merged.method == automatic) {
        Decision decision = Decider(flat, parts, flows).decide();
        if (merged.method.empty() && !has_options(decision.method, merged.options))
            decision = {"jacobi", "of its options"};
        merged.method = decision.method;
        for (const GivenOption& option : decision.options)
            if (std::ranges::find(merged.options, option.name, &GivenOption::name) ==
                merged.options.end())
                merged.options.push_back(option);
        chosen.is_decided_here = true;
        chosen.record.explanation = fmt::format("chosen because {}", decision.reason);
    } else {
        chosen.record.explanation = summary_of(merged.method);
    }
    const bool names_outer =
        std::ranges::find(merged.options, "outer", &GivenOption::name) != merged.options.end();
    if (merged.method == coupling::aggregate_name && !names_outer) chosen.is_decided_here = true;
    chosen.record.method = merged.method;
    for (const GivenOption& option : merged.options)
        chosen.record.options.push_back({option.name, to_text(option.value)});
    coupling::Choice& choice = chosen.choice;
    choice.method = merged.method;
    choice.options = std::move(merged.options);
    choice.place = merged.place;
    for (const ssp::FlatSubsystem& subsystem : flat.subsystems) {
        choice.subsystems.push_back(subsystem.name);
        choice.places.push_back(subsystem.place);
        const ssp::Setting* ratio = subsystem.option("step_ratio");
        choice.ratios.push_back(ratio == nullptr ? 1 : static_cast<int>(ratio->as_integer()));
        if (const ssp::Setting* rows = subsystem.option("interface_jacobian"))
            choice.jacobians.push_back(jacobian(subsystem.name, *rows));
    }
    return chosen;
}

std::vector<std::string> coupling_names() {
    std::vector<std::string> names;
    for (const coupling::CatalogEntry& entry : coupling::catalog()) names.push_back(entry.name);
    return names;
}

stepsize::ControlChoice choose_step_control(const ssp::FlatSystem& flat, const GivenMethod& given) {
    Merged merged = merge(flat.step_control, given, "--step-control");
    if (merged.method.empty()) merged.method = "fixed";
    return {std::move(merged.method), std::move(merged.options), std::move(merged.place)};
}

}  // namespace tandem::run
