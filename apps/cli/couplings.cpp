#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "tandem/extend/coupling.hpp"
#include "tandem/extend/result_writer.hpp"
#include "tandem/extend/solver.hpp"
#include "tandem/extend/source.hpp"
#include "tandem/extend/step_control.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Options {
    std::string name;
    bool json = false;
    bool markdown = false;
    std::vector<std::string> plugins;
};

using Json = nlohmann::ordered_json;

Json json_of(const OptionInfo& option) {
    Json json = {{"name", option.name}, {"default", option.value}, {"help", option.help}};
    if (!option.choices.empty()) json["choices"] = option.choices;
    return json;
}

template <class Row>
Json json_of(const Row& row) {
    Json json = {{"name", row.name}, {"summary", row.summary}};
    if (!row.aliases.empty()) json["aliases"] = row.aliases;
    if constexpr (requires { row.options; }) {
        json["options"] = Json::array();
        for (const OptionInfo& option : row.options) json["options"].push_back(json_of(option));
    }
    return json;
}

template <class Row>
Json json_of(const Registry<Row>& registry) {
    Json json = Json::array();
    for (const Row& row : registry.rows()) json.push_back(json_of(row));
    return json;
}

template <class Row>
void print_names(const char* heading, const Registry<Row>& registry) {
    if (registry.rows().empty()) return;
    const Style style(stdout);
    TextTable table(style, terminal_width(stdout));
    for (const Row& row : registry.rows()) table.row({row.name, row.summary});
    fmt::print("{}\n{}\n", style.heading(heading), table.text());
}

void print_row(const coupling::CouplingRow& row) {
    const Style style(stdout);
    fmt::print("{}: {}\n", style.heading(row.name), row.summary);
    if (row.options.empty()) {
        fmt::print("\n  It has no options.\n");
        return;
    }
    TextTable table(style, terminal_width(stdout));
    table.header({"option", "default", "meaning"});
    for (const OptionInfo& option : row.options)
        table.row({option.name, option.value.empty() ? "(none)" : option.value,
                   option.choices.empty()
                       ? option.help
                       : fmt::format("{} [{}]", option.help, fmt::join(option.choices, ", "))});
    fmt::print("\n{}", table.text());
}

/// What docs/couplings/options.md has.
void print_markdown() {
    const auto cell = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
            text.insert(at, "\\");
        return text;
    };
    const auto table = [&](const auto& registry, const char* title) {
        fmt::print("\n## {}\n", title);
        for (const auto& row : registry.rows()) {
            fmt::print("\n### `{}`\n{}.\n", row.name, row.summary);
            if (!row.aliases.empty())
                fmt::print("Older name: `{}`.\n", fmt::join(row.aliases, "`, `"));
            if (row.options.empty()) continue;
            fmt::print("\n| option | default | values | meaning |\n|---|---|---|---|\n");
            for (const OptionInfo& option : row.options)
                fmt::print("| `{}` | {} | {} | {} |\n", option.name,
                           option.value.empty() ? "" : fmt::format("`{}`", cell(option.value)),
                           option.choices.empty()
                               ? ""
                               : fmt::format("`{}`", fmt::join(option.choices, "`, `")),
                           cell(option.help));
        }
    };
    fmt::print(
        "# Options\nWritten by `tandem couplings --markdown`; a test compares it. Options go "
        "under `[coupling]` and `[step_control]` of the\n[system file](../system_file.md), or "
        "behind `--option` and `--step-option`.\n");
    table(coupling::couplings(), "Couplings");
    table(stepsize::controls(), "Step controls");
}

int show_all(bool as_json) {
    if (as_json) {
        const Json all = {{"couplings", json_of(coupling::couplings())},
                          {"step_controls", json_of(stepsize::controls())},
                          {"solvers", json_of(ode::solvers())},
                          {"result_formats", json_of(results::formats())},
                          {"subsystem_types", json_of(subsystem::sources())}};
        fmt::print("{}\n", all.dump(2));
        return fine;
    }
    print_names("Couplings", coupling::couplings());
    print_names("Step controls", stepsize::controls());
    print_names("Solvers", ode::solvers());
    print_names("Result formats", results::formats());
    print_names("Types of subsystems of plug-ins", subsystem::sources());
    fmt::print("'tandem couplings NAME' shows the options of a coupling.\n");
    return fine;
}

int show(const Options& options) {
    load_plugins(options.plugins);
    if (options.markdown) {
        print_markdown();
        return fine;
    }
    if (options.name.empty()) return show_all(options.json);
    Diagnostics findings;
    const auto* row = coupling::couplings().find(options.name, "NAME", findings);
    throw_errors(findings);
    if (options.json)
        fmt::print("{}\n", json_of(*row).dump(2));
    else
        print_row(*row);
    return fine;
}

}  // namespace

void add_couplings(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand(
        "couplings", "Which couplings, step controls, solvers and formats there are");
    verb->add_option("name", options->name, "A coupling: its options and their defaults")
        ->type_name("NAME");
    verb->add_flag("--json", options->json, "As JSON");
    verb->add_flag("--markdown", options->markdown, "All options, as a page of the documentation");
    add_plugin_option(*verb, options->plugins);
    verb->footer(
        "You need not choose a coupling: 'auto', the default, does (docs/couplings/auto.md).\n\n"
        "Examples:\n"
        "  tandem couplings\n"
        "  tandem couplings iterative\n"
        "  tandem couplings --json");
    verb->callback([options, &action] { action = [options] { return show(*options); }; });
}

}  // namespace tandem::cli
