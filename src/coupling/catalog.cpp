#include "coupling/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/names.hpp"
#include "coupling/catalog_entries.hpp"
#include "coupling/explicit.hpp"
#include "coupling/iterative.hpp"

namespace tandem::coupling {
namespace {

/// The options of the explicit couplings as users write them.
struct ExplicitText {
    ExplicitOptions options;
    std::string slopes = "history";
    std::vector<std::string> sequence;

    std::vector<OptionSpec> describe() {
        std::vector<OptionSpec> specs = {
            {"order", &options.order,
             "of the input extrapolation: 0 holds, 1 is linear, 2 quadratic", 0, 2},
            {"smooth", &options.smooth,
             "inputs go on from where they were; jumps become ramps over one step"},
            {"slopes", &slopes,
             "with order 1: of the last two values of outputs, or as subsystems tell them"}};
        specs.back().choices = {"history", "told"};
        if (options.sweep == Sweep::gauss_seidel)
            specs.push_back(
                {"sequence", &sequence,
                 "the subsystems in the order in which they step; empty: sources first"});
        return specs;
    }
};

std::vector<int> sequence_of(const ExplicitText& text, const Choice& choice,
                             Diagnostics& findings) {
    std::vector<int> sequence;
    for (const std::string& name : text.sequence) {
        const auto found = std::ranges::find(choice.subsystems, name);
        if (found == choice.subsystems.end())
            findings.push_back({Severity::error, choice.place,
                                fmt::format("sequence: there is no subsystem '{}'", name),
                                did_you_mean(name, choice.subsystems, "")});
        else
            sequence.push_back(static_cast<int>(found - choice.subsystems.begin()));
    }
    std::vector<int> sorted = sequence;
    std::ranges::sort(sorted);
    const bool repeats = std::ranges::adjacent_find(sorted) != sorted.end();
    if (!text.sequence.empty() && (repeats || sequence.size() != choice.subsystems.size()))
        findings.push_back({Severity::error, choice.place,
                            "sequence: it must name every subsystem once",
                            "or leave it out: sources then step before sinks"});
    return sequence;
}

void check_ratios(const Choice& choice, Diagnostics& findings) {
    if (choice.ratios.empty()) return;
    const int largest = *std::ranges::max_element(choice.ratios);
    for (std::size_t s = 0; s < choice.ratios.size(); ++s)
        if (largest % choice.ratios[s] != 0)
            findings.push_back(
                {Severity::error, s < choice.places.size() ? choice.places[s] : std::string(),
                 fmt::format("step_ratio {} of '{}' does not divide the largest one, {}",
                             choice.ratios[s], choice.subsystems[s], largest),
                 "choose ratios like 1, 2, 4 that divide each other"});
}

CatalogEntry explicit_entry(Sweep sweep, std::string name, std::string summary) {
    ExplicitText defaults;
    defaults.options.sweep = sweep;
    CatalogEntry entry{std::move(name), std::move(summary), {}, {}};
    for (const OptionSpec& spec : defaults.describe())
        entry.options.push_back({spec.name, value_text(spec), spec.help});
    entry.make = [sweep](const Choice& choice, Diagnostics& findings) {
        ExplicitText text;
        text.options.sweep = sweep;
        assign_options(text.describe(), choice.options, fmt::format("coupling '{}'", choice.method),
                       findings);
        text.options.told_slopes = text.slopes == "told";
        if (text.options.told_slopes && text.options.order != 1)
            findings.push_back({Severity::error, choice.place,
                                "slopes = \"told\" is for the order 1 of input extrapolation",
                                "add order = 1"});
        text.options.sequence = sequence_of(text, choice, findings);
        text.options.ratios = choice.ratios;
        check_ratios(choice, findings);
        return std::make_unique<Explicit>(std::move(text.options));
    };
    return entry;
}

/// The options of "aggregate" as users write them.
struct AggregateText {
    AggregateChoice choice;
    std::string outer = "jacobi";
    ExplicitOptions options;

    std::vector<OptionSpec> describe() {
        constexpr double largest = std::numeric_limits<double>::infinity();
        std::vector<OptionSpec> specs = {
            {"clusters", &choice.clusters,
             "which models become one equation: all, or only those that feed each other in cycles"},
            {"solver", &choice.solver, "of the equation"},
            {"tolerance", &choice.tolerance, "of the solver; 0: that of the run", 0.0, largest},
            {"max_step", &choice.max_step, "of the solver; 0: no limit", 0.0, largest},
            {"step", &choice.step, "of the solvers rk4 and euler", 0.0, largest},
            {"outer", &outer, "how what cannot be aggregated is coupled to it"},
            {"order", &options.order, "of their input extrapolation", 0, 2},
            {"smooth", &options.smooth, "their inputs go on from where they were"}};
        specs[0].choices = {"all", "cycles"};
        specs[1].choices = {"cvode", "cvode_adams", "dopri5", "rk4", "euler"};
        specs[5].choices = {"jacobi", "gauss_seidel", "iterative"};
        return specs;
    }
};

CatalogEntry aggregate_entry() {
    CatalogEntry entry{aggregate_name,
                       "Model Exchange and native models become one differential equation, nothing "
                       "between them is sampled",
                       {},
                       {}};
    AggregateText defaults;
    for (const OptionSpec& spec : defaults.describe())
        entry.options.push_back({spec.name, value_text(spec), spec.help});
    entry.make = [](const Choice& choice, Diagnostics& findings) -> std::unique_ptr<Coupling> {
        AggregateText text;
        assign_options(text.describe(), choice.options, fmt::format("coupling '{}'", choice.method),
                       findings);
        if (text.outer == "iterative") {
            Choice of_outer = choice;
            of_outer.method = text.outer;
            refuse_ratios(of_outer, findings);
            return std::make_unique<Iterative>(IterativeOptions{});
        }
        text.options.sweep = text.outer == "jacobi" ? Sweep::jacobi : Sweep::gauss_seidel;
        text.options.ratios = choice.ratios;
        check_ratios(choice, findings);
        return std::make_unique<Explicit>(std::move(text.options));
    };
    return entry;
}

/// The options of "iterative" as users write them.
struct IterativeText {
    IterativeOptions options;
    std::string accelerator = "newton", sweep = "jacobi", inputs = "automatic", start = "jacobian";
    std::string jacobian = "differences";

    std::vector<OptionSpec> describe() {
        constexpr double largest = std::numeric_limits<double>::infinity();
        FixedPointOptions& solver = options.cycles.solver;
        std::vector<OptionSpec> specs = {
            {"accelerator", &accelerator, "how the values of a cycle are found"},
            {"sweep", &sweep, "inside a cycle: all at once, or each with the newest values"},
            {"inputs", &inputs, "over a step: the end value, or linear from begin to end"},
            {"tolerance", &solver.tolerance, "of the values of a cycle, by nominal and size", 0.0,
             largest},
            {"max_iterations", &solver.max_evaluations, "in one step", 2, 1e6},
            {"relaxation", &solver.relaxation, "of fixed_point, and where aitken begins"},
            {"depth", &solver.depth, "of anderson: differences kept", 1, 100},
            {"start", &start, "of broyden: a Jacobian, or the identity"},
            {"jacobian", &jacobian,
             "by differences of repeated steps, or by derivatives at the end of the step"}};
        specs[0].choices = {"fixed_point", "aitken", "anderson", "broyden", "newton"};
        specs[1].choices = {"jacobi", "gauss_seidel"};
        specs[2].choices = {"automatic", "constant", "linear"};
        specs[7].choices = {"jacobian", "identity"};
        specs[8].choices = {"differences", "directional"};
        return specs;
    }

    void take_choices() {
        const auto position = [](const OptionSpec& spec, const std::string& value) {
            return static_cast<int>(std::ranges::find(spec.choices, value) - spec.choices.begin());
        };
        const std::vector<OptionSpec> specs = describe();
        CycleOptions& cycles = options.cycles;
        cycles.solver.accelerator = static_cast<Accelerator>(position(specs[0], accelerator));
        cycles.sweep = static_cast<Sweep>(position(specs[1], sweep));
        cycles.jacobian = static_cast<JacobianSource>(position(specs[8], jacobian));
        options.inputs = static_cast<InputForm>(position(specs[2], inputs));
        cycles.solver.starts_by_identity = start == "identity";
    }
};

void check_sweep(const IterativeText& text, const Choice& choice, Diagnostics& findings) {
    const CycleOptions& cycles = text.options.cycles;
    if (cycles.jacobian == JacobianSource::directional && cycles.sweep == Sweep::gauss_seidel)
        findings.push_back({Severity::error, choice.place,
                            "jacobian = \"directional\" does not know what a sweep of "
                            "gauss_seidel does to the values",
                            "use sweep = \"jacobi\" or jacobian = \"differences\""});
}

CatalogEntry iterative_entry() {
    CatalogEntry entry{"iterative",
                       "sources step before sinks, and cycles repeat their step until they agree",
                       {},
                       {}};
    IterativeText defaults;
    for (const OptionSpec& spec : defaults.describe())
        entry.options.push_back({spec.name, value_text(spec), spec.help});
    entry.make = [](const Choice& choice, Diagnostics& findings) {
        IterativeText text;
        assign_options(text.describe(), choice.options, fmt::format("coupling '{}'", choice.method),
                       findings);
        text.take_choices();
        check_sweep(text, choice, findings);
        refuse_ratios(choice, findings);
        return std::make_unique<Iterative>(std::move(text.options));
    };
    return entry;
}

}  // namespace

void refuse_ratios(const Choice& choice, Diagnostics& findings) {
    for (std::size_t s = 0; s < choice.ratios.size(); ++s)
        if (choice.ratios[s] != 1)
            findings.push_back(
                {Severity::error, s < choice.places.size() ? choice.places[s] : std::string(),
                 fmt::format("step_ratio of '{}': in the coupling '{}' all take one step",
                             choice.subsystems[s], choice.method),
                 "leave it out, or use jacobi or gauss_seidel"});
}

const std::vector<CatalogEntry>& catalog() {
    static const std::vector<CatalogEntry> entries = {
        aggregate_entry(),
        explicit_entry(Sweep::gauss_seidel, "gauss_seidel",
                       "one after the other, each sees the newest outputs"),
        iterative_entry(),
        explicit_entry(Sweep::jacobi, "jacobi",
                       "all at once, each sees the outputs of the last communication point"),
        linear_implicit_entry(),
        lti_entry(),
        nepce_entry(),
        pre_step_entry(),
        predictor_entry(),
    };
    return entries;
}

AggregateChoice aggregate_choice(const Choice& choice) {
    AggregateText text;
    Diagnostics found_by_make;
    assign_options(text.describe(), choice.options, "", found_by_make);
    return text.choice;
}

std::unique_ptr<Coupling> make_coupling(const Choice& choice, Diagnostics& findings) {
    const auto entry = std::ranges::find(catalog(), choice.method, &CatalogEntry::name);
    if (entry == catalog().end()) {
        std::vector<std::string> names;
        for (const CatalogEntry& known : catalog()) names.push_back(known.name);
        findings.push_back(
            {Severity::error, choice.place, fmt::format("there is no coupling '{}'", choice.method),
             did_you_mean(choice.method, names, fmt::format("use {}", fmt::join(names, " or ")))});
        return nullptr;
    }
    Diagnostics own;
    auto coupling = entry->make(choice, own);
    findings.insert(findings.end(), own.begin(), own.end());
    return has_errors(own) ? nullptr : std::move(coupling);
}

}  // namespace tandem::coupling
