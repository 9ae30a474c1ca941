#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "assemble/described_system.hpp"
#include "assemble/prepare_system.hpp"
#include "base/listed.hpp"
#include "command_line.hpp"
#include "description/read/read.hpp"
#include "files/whole_file.hpp"
#include "graph_text.hpp"
#include "report/graph_dot.hpp"
#include "report/graph_svg.hpp"
#include "run/outline.hpp"
#include "tandem/error.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Options {
    std::string file;
    std::string format;  ///< empty: by the name of the output
    std::string output;
    bool no_binary = false;
    std::vector<std::string> plugins;
};

std::string format_of(const Options& options) {
    if (!options.format.empty()) return options.format;
    if (options.output.empty()) return "text";
    const std::string ending = std::filesystem::path(options.output).extension().string();
    if (ending == ".txt") return "text";
    if (ending == ".dot" || ending == ".gv") return "dot";
    if (ending == ".svg") return "svg";
    throw InputError(options.output, fmt::format("the ending '{}' says no format", ending),
                     "use .txt, .dot or .svg, or say --format text, dot or svg");
}

/// Without any code of FMUs and libraries; says what is only assumed then.
RunRecord described_record_of(const std::string& file) {
    assemble::DescribedSystem described = assemble::describe_system(file);
    throw_errors(described.findings);
    if (!described.not_looked_at.empty())
        say("{} {}: not loaded, so each output is taken to depend on each input\n",
            Style(stderr).doubtful("note:"), printable(listed(described.not_looked_at)));
    return std::move(described.record);
}

/// Loads the system as a run would, without starting it.
RunRecord record_of(const Options& options) {
    const std::string& file = options.file;
    if (!description::is_system_file(file))
        throw InputError(file, "is not a system", "give a .toml, .ssd or .ssp file");
    if (options.no_binary) return described_record_of(file);
    const assemble::PreparedSystem prepared = assemble::prepare_system(file, {});
    throw_errors(prepared.findings);
    return run::outline(prepared.flat, prepared.assembly);
}

void write(const std::string& text, const Options& options) {
    std::error_code none;
    if (std::filesystem::equivalent(options.output, options.file, none))
        throw InputError(options.output, "is the system itself", "choose another file");
    write_whole_file(options.output, "choose another file", text);
    fmt::print("{}\n", options.output);
}

int show(const Options& options) {
    if (!options.no_binary) load_plugins(options.plugins);
    const std::string format = format_of(options);
    const RunRecord record = record_of(options);
    const bool prints = options.output.empty() || options.output == "-";
    std::string text;
    if (format == "dot")
        text = report::system_dot(record);
    else if (format == "svg")
        text = report::system_svg_file(record);
    else
        text = graph_text(record, prints ? Style(stdout) : Style::plain());
    if (prints)
        fmt::print("{}", text);
    else
        write(text, options);
    return fine;
}

}  // namespace

void add_graph(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand(
        "graph", "Who feeds whom in a system: order, cycles, what may run in parallel");
    verb->add_option("system", options->file, "A system (.toml, .ssd, .ssp)")
        ->required()
        ->type_name("FILE");
    verb->add_option("--format", options->format,
                     "text, dot (Graphviz) or svg (default: by the name of the output, or text)")
        ->check(one_of({"text", "dot", "svg"}))
        ->type_name("FORMAT");
    verb->add_option("-o,--output", options->output,
                     "File to write: .txt, .dot or .svg (default: standard output)")
        ->type_name("FILE");
    verb->add_flag("--no-binary", options->no_binary,
                   "Run no code of FMUs and libraries: look at their descriptions only");
    add_plugin_option(*verb, options->plugins);
    verb->footer(
        "Subsystems of one priority do not wait for each other. A cycle is algebraic if its\n"
        "outputs depend on inputs within the same instant all the way round. No step is done."
        "\n"
        "FMUs and libraries are loaded, unless --no-binary is given.\n\n"
        "Examples:\n"
        "  tandem graph system.toml\n"
        "  tandem graph system.ssp -o graph.svg\n"
        "  tandem graph system.toml --format dot | dot -Tpdf -o graph.pdf");
    verb->callback([options, &action] { action = [options] { return show(*options); }; });
}

}  // namespace tandem::cli
