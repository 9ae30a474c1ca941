#include "fmi/sources/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "files/temporary_folder.hpp"
#include "files/whole_file.hpp"
#include "fmi/sources/headers.hpp"
#include "process/child_process.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {
namespace {

namespace fs = std::filesystem;

// Much generated code reads memory as another type than it was written.
constexpr std::array object_options = {"-c", "-O2", "-fPIC", "-fno-strict-aliasing",
                                       "-fdiagnostics-color=never"};
// A function without a declaration would be taken to return int: a wrong number without a word.
constexpr const char* c_option = "-Werror=implicit-function-declaration";
// Its own functions come before those of the program. Functions that nothing provides are found
// when the library is loaded.
constexpr std::array library_options = {"-shared", "-Wl,-Bsymbolic", "-Wl,-z,lazy"};

/// Of one call of a compiler: far more than generated files of a million lines need. What includes
/// a device or a pipe would never end, and take all memory.
constexpr double seconds_per_minute = 60.0;
constexpr ChildLimits limits{.seconds = 10 * seconds_per_minute, .bytes = std::uint64_t{8} << 30U};

/// "ccache gcc" are two words.
std::vector<std::string> command_of(const char* variable, const char* otherwise) {
    const char* const chosen = std::getenv(variable);
    std::istringstream text(chosen == nullptr ? "" : chosen);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    return words.empty() ? std::vector<std::string>{otherwise} : words;
}

bool compiles_as_cpp(const SourceSet& set, const fs::path& file) {
    return set.is_all_cpp || is_cpp(file);
}

bool contains_cpp(const BuildPlan& plan) {
    return std::ranges::any_of(plan.sets, [](const SourceSet& set) {
        return std::ranges::any_of(
            set.files, [&](const fs::path& file) { return compiles_as_cpp(set, file); });
    });
}

void remove_all(std::string& text, const std::string& part) {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at))
        text.erase(at, part.size());
}

/// The first lines that tell an error, without the folder where the FMU was unpacked.
std::string first_errors(std::string said, const fs::path& folder) {
    if (!folder.empty()) remove_all(said, folder.string() + "/");
    std::istringstream text(said);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
        if (line.find("error") != std::string::npos && !line.starts_with("collect2:"))
            lines.push_back(line);
    if (lines.empty()) return said.substr(0, said.find('\n'));
    constexpr std::size_t most = 3;
    std::string first = lines.front();
    for (std::size_t i = 1; i < std::min(most, lines.size()); ++i) first += "; " + lines[i];
    if (lines.size() > most) first += fmt::format("; and {} more", lines.size() - most);
    return first;
}

void append(std::vector<std::string>& command, const auto& words) {
    command.insert(command.end(), words.begin(), words.end());
}

}  // namespace

Compiler::Compiler(const BuildPlan& plan, std::string place)
    : place_(std::move(place)),
      c_(command_of("CC", "cc")),
      cpp_(command_of("CXX", "c++")),
      links_cpp_(contains_cpp(plan)) {
    for (const Command& compiler : {c_, links_cpp_ ? cpp_ : c_}) {
        Command command = compiler;
        command.emplace_back("--version");
        identity_ += fmt::format("{}\n{}", fmt::join(command, " "), run(command, {}));
    }
    identity_ += fmt::format("{} {} {}\n", fmt::join(object_options, " "), c_option,
                             fmt::join(library_options, " "));
    for (const InterfaceHeader& header : interface_headers()) identity_ += header.text;
}

std::string Compiler::run(const Command& command, const fs::path& folder) const {
    ChildResult result;
    try {
        result = run_program(command, limits);
    } catch (const InputError& error) {
        throw InputError(
            place_,
            fmt::format("its sources cannot be compiled: {} {}", error.place(), error.problem()),
            "install a compiler (Debian: apt install gcc g++), or name one in CC and "
            "CXX");
    }
    if (result.code == 0) return result.out;
    if (result.took_too_long)
        throw InputError(place_,
                         fmt::format("its sources cannot be compiled: {} did not end within {:g} "
                                     "minutes",
                                     command.front(), limits.seconds / seconds_per_minute),
                         "look at what its sources include; 'tandem info' shows the FMU without "
                         "compiling it");
    const std::string errors = first_errors(result.err, folder);
    throw InputError(
        place_,
        fmt::format("its sources do not compile: {}",
                    errors.empty() ? fmt::format("{} ended with {}", command.front(), result.code)
                                   : errors),
        "export the FMU with a binary for 64-bit Linux, or name another compiler in "
        "CC and CXX");
}

Compiler::Command Compiler::object_command(const SourceSet& set, const fs::path& file) const {
    const bool as_cpp = compiles_as_cpp(set, file);
    Command command = as_cpp ? cpp_ : c_;
    append(command, object_options);
    if (!as_cpp) command.emplace_back(c_option);
    for (const std::string& definition : set.definitions) command.push_back("-D" + definition);
    for (const fs::path& folder : set.include_folders) command.push_back("-I" + folder.string());
    return command;
}

void Compiler::build(const BuildPlan& plan, const fs::path& folder, const fs::path& library) const {
    const TemporaryFolder work;
    for (const InterfaceHeader& header : interface_headers())
        write_whole_file((work.path() / header.name).string(), "free some space", header.text);
    Command link = links_cpp_ ? cpp_ : c_;
    append(link, library_options);
    std::size_t count = 0;
    for (const SourceSet& set : plan.sets)
        for (const fs::path& file : set.files) {
            const std::string object = work.path() / fmt::format("{}.o", count++);
            Command command = object_command(set, file);
            // Ours come last: headers that the FMU brings are the ones its sources know.
            append(command,
                   Command{"-I" + work.path().string(),
                           fmt::format("-ffile-prefix-map={}/=", folder.string()), "-x",
                           compiles_as_cpp(set, file) ? "c++" : "c", file.string(), "-o", object});
            run(command, folder);
            link.push_back(object);
        }
    for (const std::string& name : plan.libraries) link.push_back("-l" + name);
    append(link, Command{"-lm", "-o", library.string()});
    run(link, work.path());
}

}  // namespace tandem::fmi
