#include "command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "assemble/load/plugin.hpp"
#include "base/names.hpp"
#include "base/units.hpp"
#include "base/visible.hpp"
#include "description/read/read.hpp"
#include "tandem/error.hpp"

namespace tandem::cli {
namespace {

using Names = std::vector<std::string>;

Names verbs_of(const CLI::App& app) {
    Names names;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(verb->get_name());
    return names;
}

Names options_of(const CLI::App& app) {
    Names names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            if (!option->get_group().empty()) names.push_back("--" + name);
    return names;
}

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// Of words that nothing takes: behind a verb the first option, or else the first of them.
std::string unexpected_word(const Names& words, bool has_verb) {
    const auto option = std::ranges::find_if(words, is_option);
    const std::string& word = has_verb && option != words.end() ? *option : words.front();
    return is_option(word) ? word.substr(0, word.find('=')) : word;
}

std::string unknown_verb(const CLI::App& app, const std::string& word) {
    std::error_code none;
    const Names verbs = verbs_of(app);
    return sentence(
        "tandem", fmt::format("there is no verb '{}'", word),
        std::filesystem::exists(word, none)
            ? fmt::format("write 'tandem run {}' to run it", word)
            : did_you_mean(word, verbs, fmt::format("verbs are {}", fmt::join(verbs, ", "))));
}

std::string unknown_word(const CLI::App& of, const std::string& word) {
    const std::string whose = of.get_parent() == nullptr ? "tandem" : "tandem " + of.get_name();
    const std::string help = fmt::format("'{} --help' lists what it takes", whose);
    if (!is_option(word))
        return sentence(whose, fmt::format("does not take '{}' as well", word), help);
    return sentence(whose, fmt::format("there is no option '{}'", word),
                    did_you_mean(word, options_of(of), help));
}

bool begins_as_archive(const std::string& path) {
    char bytes[2] = {};
    std::ifstream(path, std::ios::binary).read(bytes, sizeof bytes);
    return bytes[0] == 'P' && bytes[1] == 'K';
}

}  // namespace

std::string parse_complaint(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const CLI::App& of = chosen.empty() ? app : *chosen.front();
    if (const Names words = app.remaining(true); !words.empty()) {
        const std::string word = unexpected_word(words, !chosen.empty());
        return visible(chosen.empty() && !is_option(word) ? unknown_verb(app, word)
                                                          : unknown_word(of, word));
    }
    return visible(fmt::format("{}\n  hint: 'tandem {}--help' says what is expected", error.what(),
                               chosen.empty() ? "" : of.get_name() + " "));
}

CLI::Validator one_of(std::vector<std::string> words) {
    return {[words = std::move(words)](const std::string& word) {
                if (std::ranges::find(words, word) != words.end()) return std::string();
                const std::string list = fmt::format("{}", fmt::join(words, ", "));
                return fmt::format("'{}' is none of {}; {}", word, list,
                                   did_you_mean(word, words, "choose one of them"));
            },
            ""};
}

CLI::Validator within(const OptionSpec& option) {
    const bool is_whole = std::holds_alternative<int*>(option.target) ||
                          std::holds_alternative<std::optional<int>*>(option.target);
    return {[option, is_whole](std::string& text) {
                OptionSpec spec = option;
                double number = 0.0;
                int whole = 0;
                if (is_whole)
                    spec.target = &whole;
                else
                    spec.target = &number;
                const GivenOption given = parse_option(option.name + "=" + text, "");
                Diagnostics findings;
                assign_options({&spec, 1}, {&given, 1}, "the run", findings);
                if (findings.empty()) return std::string();
                const std::string& problem = findings[0].problem;  // the option is named before it
                return problem.substr(problem.find("must be"));
            },
            ""};
}

CLI::Validator as_seconds() {
    return {[](std::string& text) {
                const char* begin = text.c_str();
                char* end = nullptr;
                const double value = std::strtod(begin, &end);
                std::string unit(end);
                unit.erase(0, unit.find_first_not_of(' '));
                if (end != begin && unit.empty()) return std::string();
                try {
                    if (end == begin) throw InputError("", fmt::format("'{}' is no time", text));
                    const double factor = seconds_in(unit, "");
                    // 10us is 1e-5, not 10 times the number nearest to 1e-6.
                    text = fmt::format(
                        "{}", factor < 1.0 ? value / std::round(1.0 / factor) : value * factor);
                    return std::string();
                } catch (const InputError& error) {
                    return error.problem() +
                           "; write seconds, or a number with s, ms, us, min or h";
                }
            },
            ""};
}

void expect_model_file(const std::string& path) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none) || description::is_system_file(path)) return;
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending == ".fmu" || begins_as_archive(path)) return;
    const bool is_of_other_tool = ending == ".xml" || ending == ".msim" || ending == ".json";
    throw InputError(
        path, "is neither an FMU nor a system file",
        is_of_other_tool
            ? "'tandem import' makes a system file of what OSP, MasterSim and maestro write"
            : "FMUs end in .fmu; a system file names FMUs and how they are connected, and ends in "
              ".toml (docs/system_file.md), .ssd or .ssp");
}

void add_plugin_option(CLI::App& verb, std::vector<std::string>& plugins) {
    verb.add_option("--plugin", plugins,
                    "A shared library that adds couplings, step controls, solvers, types of "
                    "subsystems or result formats; repeatable")
        ->type_name("FILE")
        ->allow_extra_args(false);
}

void load_plugins(const std::vector<std::string>& plugins) {
    for (const std::string& plugin : plugins) assemble::load_plugin(plugin, "--plugin");
}

}  // namespace tandem::cli
