#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "analysis/eigenvalues.hpp"
#include "analysis/linear_model_file.hpp"
#include "analysis/linearise.hpp"
#include "command_line.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Options {
    analysis::LineariseOptions run;
    std::string output;
    bool eigen = false;
    std::vector<std::string> plugins;
};

constexpr std::size_t most_shown = 12;  // rows and columns of a matrix

/// "-" where there is none.
std::string number(double value) {
    if (!std::isfinite(value)) return "-";
    return fmt::format("{:.6g}", value == 0.0 ? 0.0 : value);
}

/// What is printed on standard output, part by part.
class Page {
public:
    explicit Page(const analysis::LinearModel& model) : model_(model) {}

    void summary() const {
        fmt::print("{} at t = {}: {}, {}, {}\n", style_.heading(printable(model_.name)), model_.t,
                   counted(model_.states.size(), "state"), counted(model_.inputs.size(), "input"),
                   counted(model_.outputs.size(), "output"));
        variables("state", model_.states, model_.derivatives);
        variables("input", model_.inputs, {});
        variables("output", model_.outputs, {});
        matrix("A", model_.a, model_.states, model_.states);
        matrix("B", model_.b, model_.states, model_.inputs);
        matrix("C", model_.c, model_.outputs, model_.states);
        matrix("D", model_.d, model_.outputs, model_.inputs);
    }

    void eigenvalues(const std::vector<analysis::Mode>& modes) const {
        if (modes.empty()) {
            fmt::print("\nno states, so no eigenvalues\n");
            return;
        }
        TextTable table(style_, 0);
        table.header({"eigenvalue", "imaginary", "frequency (Hz)", "damping", "time constant (s)"});
        for (const analysis::Mode& mode : modes)
            table.row({number(mode.eigenvalue.real()), number(mode.eigenvalue.imag()),
                       mode.frequency == 0.0 ? "-" : number(mode.frequency), number(mode.damping),
                       number(mode.time_constant)});
        fmt::print("\n{}", table.text());
    }

private:
    using VariableList = std::vector<analysis::LinearVariable>;

    void variables(const char* noun, const VariableList& list,
                   std::span<const double> derivatives) const {
        if (list.empty()) return;
        TextTable table(style_, 0);
        table.header({noun, "unit", "value", derivatives.empty() ? "" : "derivative"});
        for (std::size_t i = 0; i < list.size(); ++i)
            table.row({printable(list[i].name), printable(list[i].unit), number(list[i].value),
                       derivatives.empty() ? "" : number(derivatives[i])});
        fmt::print("\n{}", table.text());
    }

    void matrix(const char* letter, const std::vector<double>& values, const VariableList& rows,
                const VariableList& columns) const {
        if (values.empty()) return;
        if (rows.size() > most_shown || columns.size() > most_shown) {
            fmt::print("\n  {}: {} x {}, {} of them not zero; --output writes it to a file\n",
                       letter, rows.size(), columns.size(),
                       std::ranges::count_if(values, [](double value) { return value != 0.0; }));
            return;
        }
        TextTable table(style_, 0);
        std::vector<std::string> cells{letter};
        for (const analysis::LinearVariable& column : columns)
            cells.push_back(printable(column.name));
        table.header(cells);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            cells = {printable(rows[i].name)};
            for (std::size_t j = 0; j < columns.size(); ++j)
                cells.push_back(number(values[j * rows.size() + i]));
            table.row(cells);
        }
        fmt::print("\n{}", table.text());
    }

    const analysis::LinearModel& model_;
    Style style_{stdout};
};

int perform(const Options& options) {
    expect_model_file(options.run.file);
    load_plugins(options.plugins);
    if (!options.output.empty()) analysis::check_linear_model_path(options.output);
    const analysis::LinearModel model = analysis::linearise(options.run);
    const std::vector<analysis::Mode> modes =
        options.eigen ? analysis::modes_of(model) : std::vector<analysis::Mode>();
    const Page page(model);
    if (options.output.empty()) {
        page.summary();
    } else {
        analysis::write_linear_model(model, modes, options.output);
        fmt::print("{}\n", options.output);
    }
    if (options.eigen) page.eigenvalues(modes);
    return fine;
}

void add_options(CLI::App& verb, Options& options) {
    analysis::LineariseOptions& run = options.run;
    verb.add_option("model", run.file,
                    "An FMU for Model Exchange or a system (.toml, .ssd, .ssp) of such FMUs and "
                    "native models")
        ->required()
        ->type_name("FILE");
    verb.add_option("--at", run.at, "The time (default: the start)")
        ->type_name("TIME")
        ->transform(as_seconds());
    verb.add_flag("--eigen", options.eigen,
                  "Also the eigenvalues of A, with frequency, damping ratio and time constant");
    verb.add_option("-o,--output", options.output,
                    "File for the matrices and names: .mat or .json (default: print them)")
        ->type_name("FILE");
    verb.add_option("--start", run.start, "Start time (default: the model's, or 0)")
        ->type_name("TIME")
        ->transform(as_seconds());
    verb.add_option("--tolerance", run.tolerance,
                    "Relative tolerance on the way to that time (default: the model's)")
        ->type_name("NUMBER");
    verb.add_option("--set", run.set,
                    "Start value NAME=VALUE of a parameter, input or state, in a system "
                    "SUBSYSTEM.NAME=VALUE; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    verb.add_option("--option", run.options,
                    "NAME=VALUE of the coupling 'aggregate' of a system; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    add_plugin_option(verb, options.plugins);
}

}  // namespace

void add_linearise(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand(
        "linearise", "Matrices A, B, C, D and eigenvalues of an FMU or a system at a time");
    add_options(*verb, *options);
    verb->footer(
        "The model is run to the time and linearised there: dx/dt = f + A dx + B du, dy = C dx + "
        "D du.\n"
        "A system is taken as one differential equation; its inputs are those that nothing "
        "feeds.\n\n"
        "Examples:\n"
        "  tandem linearise pendulum.fmu --eigen\n"
        "  tandem linearise system.toml --at 1.0 -o model.mat\n"
        "  tandem linearise system.toml --at 2 --set wheel.m=40 --eigen -o model.json");
    verb->callback([options, &action] { action = [options] { return perform(*options); }; });
}

}  // namespace tandem::cli
