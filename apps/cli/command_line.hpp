#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tandem/extend/options.hpp"

namespace tandem::cli {

/// What is wrong with a command line that `app` could not parse, and what to do.
std::string parse_complaint(const CLI::App& app, const CLI::ParseError& error);

/// Accepts one of the words.
CLI::Validator one_of(std::vector<std::string> words);

/// Accepts a number between the limits of the option.
CLI::Validator within(const OptionSpec& option);

/// Accepts a number of seconds, or a number with a unit of time (1ms, 2min), which becomes one of
/// seconds.
CLI::Validator as_seconds();

/// `--plugin FILE`, repeatable.
void add_plugin_option(CLI::App& verb, std::vector<std::string>& plugins);
void load_plugins(const std::vector<std::string>& plugins);

/// Throws InputError if a file is there and is neither an FMU nor a system, by its name and its
/// first bytes.
void expect_model_file(const std::string& path);

}  // namespace tandem::cli
