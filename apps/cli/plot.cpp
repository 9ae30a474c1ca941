#include <fmt/format.h>

#include <memory>

#include "base/listed.hpp"
#include "files/whole_file.hpp"
#include "report/chart.hpp"
#include "report/results.hpp"
#include "selection.hpp"
#include "tandem/error.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

constexpr std::size_t most_unasked = 24;

struct Options {
    std::string results;
    std::vector<std::string> variables;
    std::string x = "time";
    std::string output;
    std::string title;
    double width = 960.0;
    double height = 320.0;
    bool equal = false;
};

bool is_time(const report::Results& results, const std::string& name) {
    return name == "time" || name == results.time_name;
}

std::vector<std::string> names_of(const report::Results& results) {
    std::vector<std::string> names;
    for (const report::Column& column : results.columns) names.push_back(column.name);
    return names;
}

report::ChartData chart_data(const Options& options, const report::Results& results,
                             const std::vector<std::string>& patterns) {
    const bool over_time = is_time(results, options.x);
    const report::Column* x = over_time ? nullptr : results.find(options.x);
    if (!over_time) expect_matches({options.x}, names_of(results), "--x");
    if (!over_time && x == nullptr)
        throw InputError("--x", "'" + options.x + "' must be one variable, not a pattern");
    report::ChartData data{&results.time, over_time ? &results.time : &x->values, {}};
    const auto wanted = selector(patterns);
    for (const report::Column& column : results.columns)
        if (wanted(column.name) && &column != x) data.columns.push_back(&column);
    return data;
}

void check(const Options& options, const report::Results& results,
           const std::vector<std::string>& patterns) {
    expect_matches(patterns, names_of(results), "--vars");
    if (results.time.empty()) throw InputError(options.results, "has no rows");
    if (results.columns.empty()) throw InputError(options.results, "has no numbers to plot");
    if (patterns.empty() && results.columns.size() > most_unasked)
        throw InputError(
            options.results,
            fmt::format("has {} variables, too many for one picture", results.columns.size()),
            "choose some with --vars, for example --vars \"" + results.columns.front().name + "\"");
}

int plot(const Options& options) {
    const bool png = options.output.ends_with(".png");
    if (!png && !options.output.ends_with(".svg"))
        throw InputError("--output", "'" + options.output + "' is neither .svg nor .png",
                         "the ending of the name decides what is written");
    const report::Results results = report::read_results(options.results);
    const std::vector<std::string> patterns = split_patterns(options.variables);
    check(options, results, patterns);
    const report::ChartData data = chart_data(options, results, patterns);
    if (options.equal && data.x == data.t)
        throw InputError("--equal", "is not for a plot over time",
                         "say what to draw over with --x, or leave it out");
    report::ChartOptions look;
    look.title = options.title;
    look.width = options.width;
    look.panel_height = options.height;
    look.equal = options.equal;
    if (data.x != data.t) {
        const report::Column* x = results.find(options.x);
        look.x_label = x->name + (x->unit.empty() ? "" : " in " + x->unit);
    }
    const std::string svg = report::chart_svg(data, look);
    if (png)
        report::write_png(svg, options.output);
    else
        write_whole_file(options.output, "choose another file with --output", svg);
    fmt::print("{}: {}, {}\n", options.output, counted(data.columns.size(), "variable"),
               counted(results.time.size(), "row"));
    return fine;
}

}  // namespace

void add_plot(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("plot", "Draw results as a picture, SVG or PNG");
    verb->add_option("results", options->results, "The results, a CSV file")
        ->required()
        ->type_name("FILE");
    verb->add_option("--vars", options->variables,
                     "Variables to draw: names or patterns with * and ?, separated by commas or "
                     "blanks; without it, all")
        ->type_name("PATTERN");
    verb->add_option("--x", options->x, "What to draw them over")
        ->capture_default_str()
        ->type_name("NAME");
    verb->add_option("-o,--output", options->output, "The picture to write: .svg or .png")
        ->default_val("plot.svg")
        ->type_name("FILE");
    verb->add_option("--title", options->title, "A title above the picture")->type_name("TEXT");
    verb->add_option("--width", options->width, "Width of the picture")
        ->capture_default_str()
        ->check(CLI::Range(200.0, 10'000.0));
    verb->add_option("--height", options->height, "Height of each panel")
        ->capture_default_str()
        ->check(CLI::Range(80.0, 10'000.0));
    verb->add_flag("--equal", options->equal,
                   "The same scale on both axes, with --x; the height follows");
    verb->footer(
        "Variables of different units get panels of their own.\n\n"
        "Examples:\n"
        "  tandem plot results.csv --vars \"*.position\" -o positions.svg\n"
        "  tandem plot results.csv --vars ball.v --x ball.h -o phase.png\n"
        "  tandem plot results.csv --vars car.Y --x car.X --equal -o course.svg");
    verb->callback([options, &action] { action = [options] { return plot(*options); }; });
}

}  // namespace tandem::cli
