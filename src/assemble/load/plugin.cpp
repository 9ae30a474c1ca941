#include "assemble/load/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <map>

#include "tandem/extend/plugin.hpp"

namespace tandem::assemble {
namespace {

/// Plug-ins take functions of Tandem from the object that this code is in, which programs may have
/// loaded for themselves only.
void show_own_symbols() {
    Dl_info own;
    if (dladdr(reinterpret_cast<const void*>(&show_own_symbols), &own) != 0)
        dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

}  // namespace

void load_plugin(const std::filesystem::path& path, const std::string& place) {
    static std::map<std::filesystem::path, void*> loaded;
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(path, error);
    if (error || !std::filesystem::is_regular_file(file, error))
        throw InputError(place, fmt::format("there is no plug-in '{}'", path.string()),
                         "check the path; that in a system file is relative to its folder");
    if (loaded.contains(file)) return;
    show_own_symbols();
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw InputError(
            place, fmt::format("the plug-in '{}' cannot be loaded: {}", path.string(), dlerror()),
            "build it with the headers of this version of Tandem, see docs/plugins.md");
    const auto entry = reinterpret_cast<const Plugin* (*)()>(dlsym(library, "tandem_plugin"));
    if (entry == nullptr)
        throw InputError(place, fmt::format("'{}' is not a plug-in of Tandem", path.string()),
                         "its source needs TANDEM_PLUGIN(function), see docs/plugins.md");
    const Plugin* said = entry();
    if (said == nullptr || said->tandem_version == nullptr)
        throw InputError(place, fmt::format("'{}' is not a plug-in of Tandem", path.string()),
                         "its source needs TANDEM_PLUGIN(function), see docs/plugins.md");
    const Plugin& plugin = *said;
    if (std::strcmp(plugin.tandem_version, TANDEM_VERSION) != 0)
        throw InputError(place,
                         fmt::format("the plug-in '{}' was built for Tandem {}, this is {}",
                                     path.string(), plugin.tandem_version, TANDEM_VERSION),
                         "build it again with the headers of this version");
    if (plugin.compiler_interface != compiler_interface)
        throw InputError(place,
                         fmt::format("the plug-in '{}' was built by another compiler, whose "
                                     "classes are laid out in another way",
                                     path.string()),
                         "build it with the compiler that Tandem was built with");
    PluginRows rows(path.string());
    plugin.add(rows);
    loaded.emplace(file, library);
}

}  // namespace tandem::assemble
