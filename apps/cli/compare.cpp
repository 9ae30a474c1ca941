#include "report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "selection.hpp"
#include "tandem/error.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Options {
    std::string a;
    std::string b;
    double tolerance = 1e-6;
    std::vector<std::string> variables;
};

report::Results read(const std::string& path, const std::vector<std::string>& patterns) {
    return report::read_results(path, selector(patterns));
}

void print_table(const report::Comparison& comparison, double tolerance) {
    const Style style(stdout);
    TextTable table(style, terminal_width(stdout));
    table.header({"max / range", "rms / range", "max", "at", "", "variable"});
    for (const report::Difference& d : comparison.differences)
        table.row({fmt::format("{:.3e}", d.relative_greatest()),
                   fmt::format("{:.3e}", d.relative_root_mean_square()),
                   fmt::format("{:.3e}", d.greatest), fmt::format("{:.6g}", d.at),
                   d.relative_greatest() <= tolerance ? "ok" : "differs", printable(d.name)});
    fmt::print("{}", table.text());
}

void print_names(const Options& options, const report::Comparison& comparison) {
    const Style style(stdout);
    for (const std::string& name : comparison.missing)
        fmt::print("{} only in {}: {}\n", style.bad("missing:"), options.a, printable(name));
    for (const std::string& name : comparison.extra)
        fmt::print("{} only in {}: {}\n", style.faint("extra:"), options.b, printable(name));
    if (!comparison.covers_all)
        fmt::print("{} {} only covers {:.9g} to {:.9g} of {}\n", style.bad("shorter:"), options.b,
                   comparison.begin, comparison.end, options.a);
}

int compare_files(const Options& options) {
    const std::vector<std::string> patterns = split_patterns(options.variables);
    const report::Results a = read(options.a, patterns), b = read(options.b, patterns);
    if (a.columns.empty())
        throw InputError(options.a, patterns.empty() ? "has no numbers to compare"
                                                     : "no variable matches --vars");
    report::Comparison comparison;
    try {
        comparison = report::compare(a, b);
    } catch (const InputError& error) {
        throw InputError(options.a + ", " + options.b, error.problem(), error.hint());
    }
    print_table(comparison, options.tolerance);
    print_names(options, comparison);
    const bool equal = comparison.within(options.tolerance);
    const Style style(stdout);
    fmt::print("{} at tolerance {:g}: {} compared from {:.9g} to {:.9g}\n",
               equal ? style.good("equal") : style.bad("different"), options.tolerance,
               counted(comparison.differences.size(), "variable"), comparison.begin,
               comparison.end);
    return equal ? fine : run_failed;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("compare", "Compare two results files");
    verb->add_option("a", options->a, "The reference, a CSV file")->required()->type_name("FILE");
    verb->add_option("b", options->b, "What to compare with it")->required()->type_name("FILE");
    verb->add_option("--tolerance", options->tolerance,
                     "The greatest difference allowed, relative to the range of the variable")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    verb->add_option("--vars", options->variables,
                     "Variables to compare: names or patterns with * and ?; without it, all")
        ->type_name("PATTERN");
    verb->footer(
        "b is interpolated at the times of a; at events both sides are compared. The exit code is\n"
        "0 when every variable and time of a is in b within tolerance, 1 when not, 2 for wrong\n"
        "input.\n\n"
        "Example:\n  tandem compare reference.csv results.csv --tolerance 1e-4");
    verb->callback([options, &action] { action = [options] { return compare_files(*options); }; });
}

}  // namespace tandem::cli
