#include "fmi/import/compile_fmu.hpp"

#include <algorithm>
#include <set>

#include "files/temporary_folder.hpp"
#include "files/zip.hpp"
#include "fmi/import/library.hpp"
#include "fmi/sources/source_build.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {
namespace {

namespace fs = std::filesystem;

/// Several kinds may share one library.
std::set<std::string> identifiers_of(const ModelDescription& description) {
    std::set<std::string> identifiers;
    for (const Kind kind : {Kind::co_simulation, Kind::model_exchange})
        if (const KindInfo* info = description.kind(kind))
            identifiers.insert(info->model_identifier);
    return identifiers;
}

/// The files of the FMU but those in `replaced`, by name.
std::vector<ZipItem> items_of(const fs::path& folder, const std::vector<std::string>& replaced) {
    std::vector<ZipItem> items;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().lexically_relative(folder).generic_string();
        if (!entry.is_regular_file() || std::ranges::find(replaced, name) != replaced.end())
            continue;
        const bool executable =
            (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
        items.push_back({name, {}, entry.path(), executable});
    }
    std::ranges::sort(items, {}, &ZipItem::name);
    return items;
}

}  // namespace

std::vector<std::string> compile_fmu(const Fmu& fmu, const fs::path& output) {
    const std::string place = fmu.path().string();
    if (!has_sources(fmu.folder()))
        throw InputError(place, "the FMU has no sources", "export it with source code");
    const TemporaryFolder made;
    std::vector<std::string> names;
    std::vector<ZipItem> libraries;
    for (const std::string& identifier : identifiers_of(fmu.description())) {
        const std::string file = identifier + ".so";
        SourceBuild({fmu.folder(), fmu.description(), identifier, place}).write(made.path() / file);
        names.push_back(std::string("binaries/") + platform_folder(fmu.description().version) +
                        "/" + file);
        libraries.push_back({names.back(), {}, made.path() / file, true});
    }
    std::vector<ZipItem> items = items_of(fmu.folder(), names);
    items.insert(items.end(), libraries.begin(), libraries.end());
    write_zip(output, items);
    return names;
}

}  // namespace tandem::fmi
