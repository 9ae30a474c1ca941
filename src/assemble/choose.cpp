#include "assemble/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tandem::assemble {
namespace {

constexpr const char* automatic = "auto";

/// A method, its options and where it is named.
struct Merged {
    std::string method;
    std::vector<GivenOption> options;
    std::string place;
};

/// Options of the file count for the method of the file only.
Merged merge(const description::MethodChoice& file, const GivenMethod& given, const char* option) {
    const bool as_in_file = given.method.empty() || given.method == file.method;
    Merged merged{as_in_file ? file.method : given.method, given.options,
                  as_in_file ? file.place : option};
    for (const description::Setting& setting : file.options)
        if (as_in_file && std::ranges::find(given.options, setting.key, &GivenOption::name) ==
                              given.options.end())
            merged.options.push_back(description::given_option(setting));
    return merged;
}

bool is_automatic(const std::string& method) { return method.empty() || method == automatic; }

coupling::GivenJacobian jacobian(const std::string& subsystem, const description::Setting& given) {
    coupling::GivenJacobian jacobian{subsystem, {}};
    for (const description::Setting& row : given.entries)
        for (const description::Setting& entry : row.entries)
            jacobian.entries.push_back({row.key, entry.key, entry.as_real(), entry.place});
    return jacobian;
}

/// Options without a method are those of the one that is chosen, if it has them.
bool has_options(const std::string& method, const std::vector<GivenOption>& options) {
    const coupling::CouplingRow* row = coupling::couplings().find(method);
    return std::ranges::all_of(options, [&](const GivenOption& option) {
        return std::ranges::find(row->options, option.name, &OptionInfo::name) !=
               row->options.end();
    });
}

/// "gauss_seidel with order = 1"
std::string with_options(const RankedCoupling& coupling) {
    std::vector<std::string> options;
    for (const GivenOption& option : coupling.options)
        options.push_back(fmt::format("{} = {}", option.name, to_text(option.value)));
    return options.empty()
               ? coupling.method
               : fmt::format("{} with {}", coupling.method, fmt::join(options, " and "));
}

/// Two of the others.
std::string next_best(const std::vector<RankedCoupling>& ranked, const RankedCoupling& chosen) {
    std::vector<std::string> names;
    for (const RankedCoupling& one : ranked)
        if (with_options(one) != with_options(chosen) && names.size() < 2)
            names.push_back(with_options(one));
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string summary_of(const std::string& method) {
    const coupling::CouplingRow* row = coupling::couplings().find(method);
    return row == nullptr ? std::string() : row->summary;
}

}  // namespace

std::vector<const description::Setting*> own_solver(const description::FlatSubsystem& subsystem) {
    std::vector<const description::Setting*> settings;
    for (const char* key : {"solver", "tolerance", "step", "max_step", "first_step", "max_order",
                            "max_steps", "step_ratio"})
        if (const description::Setting* setting = subsystem.option(key))
            settings.push_back(setting);
    return settings;
}

bool may_aggregate(const description::FlatSystem& flat, const GivenMethod& given) {
    const Merged merged = merge(flat.coupling, given, "--coupling");
    const auto is_about_samples = [](const GivenOption& option) {
        return has_options("jacobi", {option});
    };
    return is_automatic(merged.method) && !any_has_own_solver(flat) &&
           has_options(coupling::aggregate_name, merged.options) &&
           std::ranges::none_of(merged.options, is_about_samples);
}

ChosenCoupling choose_coupling(const CouplingEvidence& evidence, const GivenMethod& given) {
    const description::FlatSystem& flat = evidence.flat;
    Merged merged = merge(flat.coupling, given, "--coupling");
    ChosenCoupling chosen;
    if (is_automatic(merged.method)) {
        const std::vector<RankedCoupling> ranked = rank_couplings(evidence);
        RankedCoupling decision = ranked.front();
        if (merged.method.empty() && !has_options(decision.method, merged.options))
            decision = {"jacobi", "of its options"};
        merged.method = decision.method;
        for (const GivenOption& option : decision.options)
            if (std::ranges::find(merged.options, option.name, &GivenOption::name) ==
                merged.options.end())
                merged.options.push_back(option);
        chosen.is_decided_here = true;
        const bool kinds_are_chosen = !evidence.as_model_exchange.empty();
        chosen.record.explanation = fmt::format(
            "chosen because {}; next best{}: {}", decision.reason,
            kinds_are_chosen ? " (with kind = \"me\")" : "", next_best(ranked, decision));
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
    for (const description::FlatSubsystem& subsystem : flat.subsystems) {
        choice.subsystems.push_back(subsystem.name);
        choice.places.push_back(subsystem.place);
        const description::Setting* ratio = subsystem.option("step_ratio");
        choice.ratios.push_back(ratio == nullptr ? 1 : static_cast<int>(ratio->as_integer()));
        if (const description::Setting* rows = subsystem.option("interface_jacobian"))
            choice.jacobians.push_back(jacobian(subsystem.name, *rows));
    }
    return chosen;
}

std::vector<std::string> coupling_names() { return coupling::couplings().names(); }

stepsize::ControlChoice choose_step_control(const description::FlatSystem& flat,
                                            const GivenMethod& given) {
    Merged merged = merge(flat.step_control, given, "--step-control");
    if (merged.method.empty()) merged.method = "fixed";
    if (const stepsize::ControlRow* row = stepsize::controls().find(merged.method))
        merged.method = row->name;
    return {std::move(merged.method), std::move(merged.options), std::move(merged.place)};
}

}  // namespace tandem::assemble
