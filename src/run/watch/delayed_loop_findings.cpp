#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "coupling/catalog/catalog.hpp"
#include "run/watch/delayed_loops.hpp"

namespace tandem::run {
namespace {

/// Deviations that shrink by less than this in a step do not go away in practice.
constexpr double largest_growth = 0.999;
constexpr std::size_t names_shown = 8;

class Words {
public:
    explicit Words(const assemble::Assembly& assembly) : assembly_(assembly) {}

    Diagnostic about(const assemble::AlgebraicLoop& loop, double growth) const {
        const coupling::Choice& choice = assembly_.coupling_choice;
        const std::string what =
            fmt::format("the algebraic loop {} ({} {:.4g})", names_of(loop),
                        loop.is_ring ? "loop gain" : "spectral radius", loop.gain);
        if (growth < largest_growth)
            return {Severity::warning, choice.place,
                    fmt::format("{} does not solve {} but delays its values by one step, so that "
                                "they err in proportion to the step or more",
                                name_of_coupling(), what),
                    hint() + ", or make the step small"};
        const bool refuses = assembly_.coupling_is_decided;
        return {refuses ? Severity::error : Severity::warning, choice.place,
                fmt::format("{} cannot solve {}: it delays the values by one step, and each step "
                            "multiplies their error by {:.4g}",
                            name_of_coupling(), what, growth),
                hint() + (refuses ? fmt::format("; or run it nevertheless with {}", by_name())
                                  : std::string())};
    }

private:
    bool is_aggregate() const {
        return assembly_.coupling_choice.method == coupling::aggregate_name;
    }

    std::string outer() const {
        for (const GivenOption& option : assembly_.coupling_choice.options)
            if (option.name == "outer") return to_text(option.value);
        return "jacobi";
    }

    std::string name_of_coupling() const {
        if (is_aggregate()) return fmt::format("outer = \"{}\" of 'aggregate'", outer());
        return fmt::format("the coupling '{}'", assembly_.coupling_choice.method);
    }

    std::string by_name() const {
        if (is_aggregate()) return fmt::format("outer = \"{}\"", outer());
        return fmt::format("method = \"{}\"", assembly_.coupling_choice.method);
    }

    std::string hint() const {
        const std::string& method = assembly_.coupling_choice.method;
        const std::string models =
            "Model Exchange FMUs (kind = \"me\") or native models with 'aggregate'";
        if (method == "iterative") return "use " + models;
        const std::string iterative = is_aggregate() ? "outer = \"iterative\"" : "'iterative'";
        return fmt::format(
            "use {}, for which the members must be able to repeat a step "
            "(rollback), {}or {}",
            iterative, method == "nepce" ? "" : "loops = \"solve\", ", models);
    }

    /// Ports of a group have the names of its members already.
    std::string name_of(int node) const {
        const System& system = *assembly_.system;
        const int inputs = system.layout().inputs();
        const bool is_input = node < inputs;
        const Port& port = is_input ? system.input_port(node) : system.output_port(node - inputs);
        const int s =
            is_input ? system.subsystem_of_input(node) : system.subsystem_of_output(node - inputs);
        const bool is_group = static_cast<std::size_t>(s) < assembly_.groups.size();
        return is_group ? port.name : fmt::format("{}.{}", system.at(s).name(), port.name);
    }

    std::string names_of(const assemble::AlgebraicLoop& loop) const {
        std::vector<std::string> names;
        for (const int node : loop.way) names.push_back(name_of(node));
        const std::size_t more = names.size() > names_shown ? names.size() - names_shown : 0;
        names.resize(names.size() - more);
        if (more > 0) names.push_back(fmt::format("{} more", more));
        names.push_back(names.front());
        return fmt::format("{}", fmt::join(names, " -> "));
    }

    const assemble::Assembly& assembly_;
};

}  // namespace

Diagnostics delayed_loop_findings(const assemble::Assembly& assembly,
                                  const std::vector<assemble::AlgebraicLoop>& loops) {
    std::vector<assemble::AlgebraicLoop> noticeable;
    std::ranges::copy_if(loops, std::back_inserter(noticeable),
                         [](const assemble::AlgebraicLoop& loop) { return loop.is_noticeable(); });
    if (noticeable.empty()) return {};
    Diagnostics none;
    const auto coupling = coupling::make_coupling(assembly.coupling_choice, none);
    const std::vector<double> growths = growth_per_step(*assembly.system, noticeable, *coupling);
    Diagnostics findings;
    const Words words(assembly);
    constexpr double solved = 1e-6;  // a delay leaves more
    for (std::size_t i = 0; i < noticeable.size(); ++i)
        if (!coupling->traits().iterates || growths[i] > solved)
            findings.push_back(words.about(noticeable[i], growths[i]));
    return findings;
}

}  // namespace tandem::run
