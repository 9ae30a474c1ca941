#include "fmi/sources/build_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "files/archive.hpp"
#include "files/read_file.hpp"
#include "files/xml.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {
namespace {

namespace fs = std::filesystem;

constexpr const char* build_description = "buildDescription.xml";
constexpr std::string_view platform = "x86_64-linux";

bool is_one_of(const fs::path& file, std::initializer_list<std::string_view> endings) {
    return std::ranges::find(endings, file.extension().string()) != endings.end();
}

bool is_header(const fs::path& file) { return is_one_of(file, {".h", ".hpp", ".hh", ".hxx"}); }

bool is_identifier(std::string_view name) {
    const auto is_letter = [](char c) {
        return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    };
    return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9');
    });
}

/// Finds files, and refuses what leads out of the folder `sources`.
class Sources {
public:
    explicit Sources(const SourceFmu& fmu) : folder_(fmu.folder / "sources"), place_(fmu.place) {}

    const fs::path& folder() const { return folder_; }

    fs::path inside(std::string name) const {
        std::ranges::replace(name, '\\', '/');
        fs::path path = (folder_ / name).lexically_normal();
        const fs::path way = path.lexically_relative(folder_);
        if (way.empty() || *way.begin() == "..")
            refuse(fmt::format("the source '{}' lies outside of the folder sources", name),
                   "do not use this FMU unless you trust its source");
        return path;
    }

    /// Headers among the files are not compiled.
    void add_file(const std::string& name, std::vector<fs::path>& files) const {
        const fs::path file = inside(name);
        if (is_header(file)) return;
        if (!fs::is_regular_file(file))
            refuse(fmt::format("the source file sources/{} is missing", name),
                   "export the FMU again with all its sources");
        if (!is_c(file) && !is_cpp(file))
            refuse(fmt::format("sources/{} is neither C nor C++", name),
                   "export the FMU with a binary for 64-bit Linux");
        if (std::ranges::find(files, file) == files.end()) files.push_back(file);
    }

    std::vector<fs::path> unlisted() const {
        if (fs::is_regular_file(folder_ / "all.c")) return {folder_ / "all.c"};
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder_))
            if (entry.is_regular_file() && (is_c(entry.path()) || is_cpp(entry.path())))
                files.push_back(entry.path());
        std::ranges::sort(files);
        if (files.empty())
            refuse("the folder sources holds no C or C++ file, and nothing says what to compile",
                   "export the FMU again with all its sources");
        return files;
    }

    [[noreturn]] void refuse(const std::string& problem, const std::string& hint) const {
        throw InputError(place_, problem, hint);
    }

private:
    fs::path folder_;
    std::string place_;
};

/// One <BuildConfiguration> of FMI 3.0.
class Configuration {
public:
    Configuration(const Sources& sources, const XmlDocument& document)
        : sources_(sources), document_(document) {}

    BuildPlan read(XmlElement configuration) const {
        BuildPlan plan;
        for (const XmlElement element : configuration.children()) {
            if (element.name() == "SourceFileSet") plan.sets.push_back(read_set(element));
            if (element.name() == "Library") plan.libraries.push_back(library(element));
        }
        return plan;
    }

    /// The one for this platform, or else the one for any.
    XmlElement choose(const std::string& identifier) const {
        XmlElement chosen;
        for (const XmlElement element : document_.root().children()) {
            if (element.name() != "BuildConfiguration" ||
                element.attribute("modelIdentifier").value_or("") != identifier)
                continue;
            const auto wanted = element.attribute("platform");
            if (wanted == platform) return element;
            if (!wanted && !chosen) chosen = element;
        }
        if (!chosen)
            refuse(
                document_.root(),
                fmt::format("there is no build configuration of {} for {}", identifier, platform),
                "export the FMU with a binary for 64-bit Linux");
        return chosen;
    }

private:
    SourceSet read_set(XmlElement element) const {
        SourceSet set;
        const auto language = element.attribute("language").value_or("");
        set.is_all_cpp = language.starts_with("C++");
        if (!language.empty() && !language.starts_with('C'))
            refuse(element, fmt::format("the language {} is neither C nor C++", language),
                   "export the FMU with a binary for 64-bit Linux");
        if (element.attribute("compilerOptions"))
            refuse(element, "the build configuration sets options of the compiler",
                   "compile it with that compiler yourself: Tandem takes no options from a file");
        for (const XmlElement part : element.children()) {
            if (part.name() == "SourceFile") sources_.add_file(name_of(part), set.files);
            if (part.name() == "IncludeDirectory")
                set.include_folders.push_back(sources_.inside(name_of(part)));
            if (part.name() == "PreprocessorDefinition" && part.attribute("optional") != "true")
                set.definitions.push_back(definition(part));
        }
        set.include_folders.push_back(sources_.folder());
        return set;
    }

    std::string definition(XmlElement element) const {
        const std::string name = name_of(element);
        if (!is_identifier(name))
            refuse(element, fmt::format("'{}' is no name of a macro", name), "correct it");
        const auto value = element.attribute("value");
        return value ? fmt::format("{}={}", name, *value) : name;
    }

    std::string library(XmlElement element) const {
        const std::string name = name_of(element);
        const bool is_plain = std::ranges::all_of(name, [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '+' ||
                   c == '-' || c == '.';
        });
        if (!is_plain)
            refuse(element, fmt::format("'{}' is no name of a library", name),
                   "it must be a name as the linker knows it, without a folder");
        return name;
    }

    std::string name_of(XmlElement element) const {
        const std::string name(element.attribute("name").value_or(""));
        if (name.empty())
            refuse(element, fmt::format("<{}> has no name", element.name()), "add one");
        return name;
    }

    [[noreturn]] void refuse(XmlElement element, const std::string& problem,
                             const std::string& hint) const {
        throw InputError(fmt::format("{}:{}", document_.place(), element.line()), problem, hint);
    }

    const Sources& sources_;
    const XmlDocument& document_;
};

BuildPlan described_plan(const SourceFmu& fmu, const Sources& sources) {
    const XmlDocument document(read_file(sources.folder() / build_description, largest_text),
                               (fs::path(fmu.place) / "sources" / build_description).string());
    const Configuration configuration(sources, document);
    return configuration.read(configuration.choose(fmu.identifier));
}

/// Kinds that share the library share the list.
std::vector<fs::path> listed_files(const SourceFmu& fmu, const Sources& sources) {
    std::vector<fs::path> files;
    for (const Kind kind : {Kind::model_exchange, Kind::co_simulation}) {
        const KindInfo* info = fmu.description.kind(kind);
        if (info == nullptr || info->model_identifier != fmu.identifier) continue;
        for (const std::string& name : info->source_files) sources.add_file(name, files);
    }
    return files.empty() ? sources.unlisted() : files;
}

/// FMI 1.0 cannot say what must be defined. By convention: the prefix of all functions, which
/// counts unless the sources define it themselves, and the kind, where they know both.
std::vector<std::string> fmi1_definitions(const SourceFmu& fmu) {
    std::vector<std::string> definitions;
    if (is_identifier(fmu.identifier)) definitions.push_back("MODEL_IDENTIFIER=" + fmu.identifier);
    if (fmu.description.co_simulation) definitions.emplace_back("FMI_COSIMULATION");
    return definitions;
}

}  // namespace

bool has_sources(const fs::path& folder) {
    std::error_code failed;
    return fs::is_directory(folder / "sources", failed);
}

bool is_c(const fs::path& file) { return is_one_of(file, {".c", ".C"}); }
bool is_cpp(const fs::path& file) { return is_one_of(file, {".cpp", ".cc", ".cxx", ".c++"}); }

BuildPlan plan_build(const SourceFmu& fmu) {
    const Sources sources(fmu);
    if (fmu.description.version == Version::v3 &&
        fs::is_regular_file(sources.folder() / build_description))
        return described_plan(fmu, sources);
    SourceSet set;
    set.files = listed_files(fmu, sources);
    set.include_folders = {sources.folder()};
    if (fmu.description.version == Version::v1) set.definitions = fmi1_definitions(fmu);
    return {{set}, {}};
}

}  // namespace tandem::fmi
