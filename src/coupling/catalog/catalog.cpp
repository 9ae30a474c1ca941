#include "coupling/catalog/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/names.hpp"
#include "coupling/catalog/rows.hpp"
#include "coupling/explicit/asynchronous.hpp"
#include "coupling/explicit/explicit.hpp"
#include "coupling/iterative/iterative.hpp"

namespace tandem::coupling {

static std::vector<OptionSpec> describe(IterativeOptions& options) {
    constexpr double largest = std::numeric_limits<double>::infinity();
    CycleOptions& cycles = options.cycles;
    numerics::FixedPointOptions& solver = cycles.solver;
    return {
        choice_option("accelerator", &solver.accelerator, "how the values of a cycle are found",
                      {{"fixed_point", numerics::Accelerator::fixed_point},
                       {"aitken", numerics::Accelerator::aitken},
                       {"anderson", numerics::Accelerator::anderson},
                       {"broyden", numerics::Accelerator::broyden},
                       {"newton", numerics::Accelerator::newton}}),
        choice_option("sweep", &cycles.sweep,
                      "inside a cycle: all at once, or each with the newest values",
                      {{"jacobi", Sweep::jacobi}, {"gauss_seidel", Sweep::gauss_seidel}}),
        choice_option("inputs", &options.inputs,
                      "over a step: the end value, the mean of start and end, or linear from "
                      "start to end",
                      {{"automatic", InputForm::automatic},
                       {"constant", InputForm::constant},
                       {"mean", InputForm::mean},
                       {"linear", InputForm::linear}}),
        {"tolerance", &solver.tolerance, "of the values of a cycle, by nominal and size", 0.0,
         largest},
        {"max_iterations", &solver.max_evaluations, "in one step", 2, 1e6},
        choice_option(
            "on_failure", &cycles.on_failure,
            "if an iteration does not converge: the step is halved, the values that it "
            "came to are taken, or the run ends",
            {{"halve", OnFailure::halve}, {"go_on", OnFailure::go_on}, {"stop", OnFailure::stop}}),
        {"relaxation", &solver.relaxation, "of fixed_point, and where aitken begins"},
        {"depth", &solver.depth, "of anderson: differences kept", 1, 100},
        choice_option("start", &solver.starts_by_identity,
                      "of broyden: a Jacobian, or the identity",
                      {{"jacobian", false}, {"identity", true}}),
        choice_option("jacobian", &cycles.jacobian,
                      "by differences of repeated steps, or by derivatives at the end of the step",
                      {{"differences", JacobianSource::differences},
                       {"directional", JacobianSource::directional}})};
}

namespace {

/// The options of the explicit couplings as users write them.
struct ExplicitText {
    ExplicitOptions options;
    std::vector<std::string> sequence;  ///< names
};

OptionSpec loops_option(ExplicitOptions& options) {
    return choice_option("loops", &options.loops,
                         "algebraic loops: solved at communication points where subsystems let "
                         "inputs be set and outputs be read there, or delayed by a step; "
                         "automatic: solved unless the coupling is named",
                         {{"automatic", LoopTreatment::automatic},
                          {"delay", LoopTreatment::delay},
                          {"solve", LoopTreatment::solve}});
}

std::vector<OptionSpec> describe(ExplicitText& text) {
    ExplicitOptions& options = text.options;
    std::vector<OptionSpec> specs = {
        {"order", &options.order, "of the input extrapolation: 0 holds, 1 is linear, 2 quadratic",
         0, 2},
        {"smooth", &options.smooth,
         "inputs go on from where they were; jumps become ramps over one step"},
        choice_option(
            "slopes", &options.output_derivatives,
            "with order 1: from the last two values of outputs, or the output derivatives that "
            "subsystems give",
            {{"history", false}, {"output_derivatives", true}}),
        loops_option(options)};
    specs[2].aliases = {{"told", "output_derivatives"}};
    if (options.sweep == Sweep::gauss_seidel)
        specs.push_back({"sequence", &text.sequence,
                         "the subsystems in the order in which they step; empty: sources first"});
    return specs;
}

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

CouplingRow with_ratios(CouplingRow row) {
    row.takes_ratios = true;
    return row;
}

CouplingRow explicit_row(Sweep sweep, std::string name, std::string summary) {
    ExplicitText defaults;
    defaults.options.sweep = sweep;
    return coupling_row(
        std::move(name), std::move(summary), std::move(defaults),
        [](ExplicitText text, const Choice& choice, Diagnostics& findings) {
            if (text.options.output_derivatives && text.options.order != 1)
                findings.push_back({Severity::error, choice.place,
                                    "slopes = \"output_derivatives\" is for order 1",
                                    "add order = 1"});
            text.options.sequence = sequence_of(text, choice, findings);
            text.options.ratios = choice.ratios;
            check_ratios(choice, findings);
            return std::make_unique<Explicit>(std::move(text.options));
        });
}

/// The options of "aggregate" as users write them.
struct AggregateText {
    AggregateChoice choice;
    std::string outer = "jacobi";
    ExplicitOptions options;
};

OptionSpec text_option(std::string name, std::string* target, std::string help,
                       std::vector<std::string> choices) {
    OptionSpec spec{std::move(name), target, std::move(help)};
    spec.choices = std::move(choices);
    return spec;
}

std::vector<OptionSpec> describe(AggregateText& text) {
    constexpr double largest = std::numeric_limits<double>::max();  // all but infinity
    constexpr double any = std::numeric_limits<double>::infinity();
    constexpr double most_steps = 1e9;
    AggregateChoice& choice = text.choice;
    OptionSpec solver = text_option("solver", &choice.solver, "of the equation",
                                    {"cvode", "cvode_adams", "dopri5", "rk4", "euler"});
    solver.is_open = true;
    return {
        text_option("clusters", &choice.clusters,
                    "which models become one equation: all, or only those that feed each other in "
                    "cycles",
                    {"all", "cycles"}),
        solver,
        {"tolerance", &choice.tolerance, "of the solver; 0: that of the run", 0.0, largest},
        {"max_step", &choice.max_step, "of the solver; 0: no limit", 0.0, any},
        {"step", &choice.step, "of the solvers rk4 and euler", 0.0, largest},
        {"absolute_tolerance", &choice.absolute_tolerance,
         "of states whose subsystem says none; 0: tolerance times nominal", 0.0, largest},
        {"max_order", &choice.max_order, "of cvode and cvode_adams; 0: 5 and 12", 0, 12},
        {"first_step", &choice.first_step, "of the solver at the start; 0: its own guess", 0.0,
         largest},
        {"max_steps", &choice.max_steps,
         "of the solver in one communication step; 0: no limit but 500000 between two stops", 0,
         most_steps},
        text_option("outer", &text.outer, "how what cannot be aggregated is coupled to it",
                    {"jacobi", "gauss_seidel", "iterative", "asynchronous"}),
        {"order", &text.options.order, "of their input extrapolation", 0, 2},
        loops_option(text.options),
        {"smooth", &text.options.smooth, "their inputs go on from where they were"}};
}

std::unique_ptr<Coupling> make_outer(AggregateText text, const Choice& choice,
                                     Diagnostics& findings) {
    if (text.outer == "iterative") {
        Choice of_outer = choice;
        of_outer.method = text.outer;
        refuse_ratios(of_outer, findings);
        return std::make_unique<Iterative>(IterativeOptions{});
    }
    if (text.outer == asynchronous_name) return std::make_unique<Asynchronous>(choice.ratios);
    text.options.sweep = text.outer == "jacobi" ? Sweep::jacobi : Sweep::gauss_seidel;
    text.options.ratios = choice.ratios;
    check_ratios(choice, findings);
    return std::make_unique<Explicit>(std::move(text.options));
}

CouplingRow aggregate_row() {
    return coupling_row(
        aggregate_name,
        "Model Exchange and native models become one differential equation, nothing "
        "between them is sampled",
        AggregateText{}, make_outer);
}

void check_sweep(const IterativeOptions& options, const Choice& choice, Diagnostics& findings) {
    const CycleOptions& cycles = options.cycles;
    if (cycles.jacobian == JacobianSource::directional && cycles.sweep == Sweep::gauss_seidel)
        findings.push_back({Severity::error, choice.place,
                            "jacobian = \"directional\" does not know what a sweep of "
                            "gauss_seidel does to the values",
                            "use sweep = \"jacobi\" or jacobian = \"differences\""});
}

CouplingRow iterative_row() {
    return coupling_row("iterative",
                        "sources step before sinks, and cycles repeat their step until they agree",
                        IterativeOptions{},
                        [](IterativeOptions options, const Choice& choice, Diagnostics& findings) {
                            check_sweep(options, choice, findings);
                            return std::make_unique<Iterative>(std::move(options));
                        });
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

Registry<CouplingRow>& couplings() {
    static Registry<CouplingRow> rows(
        "coupling",
        {with_ratios(aggregate_row()), with_ratios(asynchronous_row()),
         with_ratios(explicit_row(Sweep::gauss_seidel, "gauss_seidel",
                                  "one after the other, each sees the newest outputs")),
         iterative_row(),
         with_ratios(
             explicit_row(Sweep::jacobi, "jacobi",
                          "all at once, each sees the outputs of the last communication point")),
         linear_implicit_row(), lti_row(), nepce_row(), pre_step_row(), predictor_row()});
    return rows;
}

AggregateChoice aggregate_choice(const Choice& choice) {
    AggregateText text;
    Diagnostics found_by_make;
    assign_options(describe(text), choice.options, "", found_by_make);
    return text.choice;
}

std::unique_ptr<Coupling> make_coupling(const Choice& choice, Diagnostics& findings) {
    const CouplingRow* row = couplings().find(choice.method, choice.place, findings);
    if (row == nullptr) return nullptr;
    Diagnostics own;
    if (!row->takes_ratios) refuse_ratios(choice, own);
    auto coupling = row->make(choice, own);
    if (coupling == nullptr && !has_errors(own))
        own.push_back({Severity::error, choice.place,
                       fmt::format("the coupling '{}' was not made", choice.method),
                       "ask the maker of its plug-in"});
    findings.insert(findings.end(), own.begin(), own.end());
    return has_errors(own) ? nullptr : std::move(coupling);
}

}  // namespace tandem::coupling
