#include "description/read/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "description/read/package.hpp"
#include "description/read/read_context.hpp"
#include "description/read/ssd.hpp"
#include "description/read/toml.hpp"
#include "description/table_reader.hpp"
#include "files/read_file.hpp"

namespace tandem::description {
namespace {

namespace fs = std::filesystem;

std::string ending_of(const fs::path& path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

bool is_file(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed);
}

bool is_inside(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

/// "%20" becomes a blank.
std::string decoded(std::string_view uri) {
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    std::string text;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        const bool coded =
            uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0;
        text += coded ? static_cast<char>(digit(uri[i + 1]) * 16 + digit(uri[i + 2])) : uri[i];
        if (coded) i += 2;
    }
    return text;
}

/// The scheme of "http://..."; empty for a path.
std::string_view scheme_of(std::string_view source) {
    const auto colon = source.find("://");
    return colon == std::string_view::npos ? std::string_view{} : source.substr(0, colon);
}

SystemDescription read_source(const SourceFile& source, const std::string& shown,
                              ReadContext& context) {
    const std::string ending = ending_of(source.path);
    if (fs::is_directory(source.path)) {
        const std::string name = source.fragment.empty() ? "SystemStructure.ssd" : source.fragment;
        return read_ssd(source.path / name, shown + "/" + name, context);
    }
    if (ending == ".ssp") {
        context.note(source.path);
        return read_package(source, shown, context);
    }
    if (ending == ".ssd") return read_ssd(source.path, shown, context);
    if (ending != ".toml")
        throw InputError(shown, "is not a system file", "systems end in .toml, .ssd or .ssp");
    auto file = read_text(source.path, shown, context);
    if (!file) return {};
    file->shown = shown;
    return read_toml(*file, context);
}

/// A system that was read before is used again, perhaps deeper inside than the first time.
std::shared_ptr<const SystemDescription> known_system(const ReadSystem& known, const Place& place,
                                                      ReadContext& context) {
    const std::size_t deepest = context.depth + 1 + known.height;
    if (deepest > deepest_nesting) {
        report_nesting(place, context.findings);
        return nullptr;
    }
    context.height = std::max(context.height, deepest);
    return known.description;
}

std::string identity_of(const SourceFile& source) {
    std::error_code failed;
    const fs::path real = fs::weakly_canonical(source.path, failed);
    return real.string() + "#" + source.fragment;
}

}  // namespace

std::string ReadContext::shown(const fs::path& file) const {
    if (!package.empty() && is_inside(file, package))
        return package_name + "/" + file.lexically_relative(package).string();
    std::error_code failed;
    const fs::path here = fs::current_path(failed);
    if (!failed && is_inside(file, here)) return file.lexically_relative(here).string();
    return file.string();
}

DeeperSystem::DeeperSystem(const Place& place, ReadContext& context) : context_(context) {
    context.height = std::max(context.height, ++context.depth);
    if (!*this) report_nesting(place, context.findings);
}

void report_nesting(const Place& place, Diagnostics& findings) {
    report(findings, place,
           fmt::format("nests systems deeper than {} levels, the limit here", deepest_nesting),
           "no real system does that; put subsystems side by side");
}

void ReadContext::note(const fs::path& file) {
    if (std::ranges::find(files, file, &DescriptionFile::path) == files.end())
        files.push_back({file, shown(file)});
}

std::optional<SourceFile> resolve_source(std::string_view source, const fs::path& folder,
                                         const Place& place, ReadContext& context) {
    const std::string original(source);
    const std::string_view scheme = scheme_of(source);
    if (!scheme.empty() && scheme != "file") {
        report(context.findings, place,
               fmt::format("'{}' cannot be opened: only files can", original),
               "download it and give the path of the copy");
        return std::nullopt;
    }
    if (!scheme.empty()) source.remove_prefix(scheme.size() + 3);
    SourceFile result;
    const auto hash = source.find('#');
    const bool is_fragment =
        hash == 0 || (hash != std::string_view::npos && source.substr(0, hash).ends_with(".ssp"));
    if (is_fragment) {
        result.fragment = decoded(source.substr(hash + 1));
        source = source.substr(0, hash);
    }
    if (source.empty()) return result;
    fs::path path = (folder / fs::path(source)).lexically_normal();
    std::error_code failed;
    if (!fs::exists(path, failed) && source.find('%') != std::string_view::npos)
        path = (folder / fs::path(decoded(source))).lexically_normal();
    result.path = fs::absolute(path);
    if (!context.package.empty() && !is_inside(result.path, context.package)) {
        report(context.findings, place, fmt::format("'{}' leads out of the package", original),
               "put the file into the package");
        return std::nullopt;
    }
    return result;
}

std::optional<SourceType> source_type_of(const fs::path& path) {
    const std::string ending = ending_of(path);
    if (ending == ".fmu") return SourceType::fmu;
    if (ending == ".so") return SourceType::library;
    if (ending == ".csv") return SourceType::table;
    if (is_system_file(path)) return SourceType::system;
    if (is_file(path / "modelDescription.xml")) return SourceType::fmu;
    return std::nullopt;
}

std::optional<TextFile> read_text(const fs::path& path, const Place& place, ReadContext& context) {
    const std::string shown = context.shown(path);
    const std::string subject = shown == place ? "" : fmt::format("'{}' ", shown);
    if (!is_file(path)) {
        report(context.findings, place, subject + "cannot be read", "there is no such file");
        return std::nullopt;
    }
    try {
        std::string text = read_file(path, largest_description);
        context.note(path);
        return TextFile{path, shown, std::move(text)};
    } catch (const InputError& error) {
        report(context.findings, place, subject + error.problem(), error.hint());
        return std::nullopt;
    }
}

std::shared_ptr<const SystemDescription> read_nested(const SourceFile& source, const Place& place,
                                                     ReadContext& context) {
    if (source.path.empty()) return nullptr;
    const std::string identity = identity_of(source);
    if (const auto known = context.systems.find(identity); known != context.systems.end())
        return known_system(known->second, place, context);
    const std::string shown = context.shown(source.path);
    const bool recursive =
        std::find(context.chain.begin(), context.chain.end(), identity) != context.chain.end();
    if (recursive) {
        report(context.findings, place, fmt::format("'{}' contains itself", shown),
               "break the circle: a system cannot be a part of itself");
        return nullptr;
    }
    const DeeperSystem deeper(place, context);
    if (!deeper) return nullptr;
    context.chain.push_back(identity);
    const std::size_t outer_height = std::exchange(context.height, context.depth);
    ReadSystem result;
    try {
        if (!fs::exists(source.path))
            throw InputError(place, fmt::format("'{}' does not exist", shown), "check the path");
        result.description =
            std::make_shared<SystemDescription>(read_source(source, shown, context));
    } catch (const InputError& error) {
        report(context.findings, error.place(), error.problem(), error.hint());
    }
    context.chain.pop_back();
    result.height = context.height - context.depth;
    context.height = std::max(outer_height, context.height);
    context.systems.emplace(identity, result);
    return result.description;
}

SystemDescription read_system(const fs::path& file, Diagnostics& findings) {
    ReadContext context;
    SystemDescription result;
    try {
        if (!fs::exists(file)) throw InputError(file.string(), "does not exist", "check the path");
        const SourceFile source{fs::absolute(file).lexically_normal(), {}};
        context.chain.push_back(identity_of(source));
        result = read_source(source, file.string(), context);
    } catch (const InputError& error) {
        report(context.findings, error.place(), error.problem(), error.hint());
    }
    result.files = std::move(context.files);
    result.plugins = std::move(context.plugins);
    for (const Diagnostic& finding : context.findings)
        if (finding.severity == Severity::warning) result.findings.push_back(finding);
    findings.insert(findings.end(), context.findings.begin(), context.findings.end());
    return result;
}

SystemDescription read_system(const fs::path& file) {
    Diagnostics findings;
    SystemDescription result = read_system(file, findings);
    throw_errors(findings);
    return result;
}

bool is_system_file(const fs::path& file) {
    const std::string ending = ending_of(file);
    return ending == ".toml" || ending == ".ssd" || ending == ".ssp" ||
           is_file(file / "SystemStructure.ssd");
}

}  // namespace tandem::description
