#include "fmi/import/library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <mutex>
#include <set>
#include <system_error>
#include <vector>

#include "base/log.hpp"
#include "fmi/import/undefined_functions.hpp"
#include "fmi/sources/source_build.hpp"
#include "process/freed_memory.hpp"
#include "process/process_guard.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> shared_objects(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".so") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

/// The other platforms; exporters leave empty folders behind.
std::string other_platforms(const fs::path& binaries, const fs::path& home) {
    std::string names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(binaries, error))
        if (entry.path() != home && !fs::is_empty(entry.path(), error))
            names += (names.empty() ? "" : ", ") + entry.path().filename().string();
    return names;
}

/// The library of that name, or the only one there is: exporters rename FMUs without care. Empty if
/// there is none, but sources.
fs::path locate(const fs::path& folder, Version version, const std::string& identifier,
                const std::string& place) {
    const fs::path binaries = folder / "binaries";
    const fs::path home = binaries / platform_folder(version);
    const fs::path expected = home / (identifier + ".so");
    std::error_code error;
    if (fs::is_regular_file(expected, error)) return expected;
    const auto candidates = shared_objects(home);
    if (candidates.size() == 1) return candidates.front();
    if (!candidates.empty())
        throw InputError(
            place,
            fmt::format("none of the libraries in binaries/{} is called {}.so",
                        platform_folder(version), identifier),
            "the library must have the name given by modelIdentifier in modelDescription.xml");
    if (has_sources(folder)) return {};
    const std::string offered = other_platforms(binaries, home);
    throw InputError(place,
                     fmt::format("no binary for this platform (binaries/{}/{}.so)",
                                 platform_folder(version), identifier),
                     offered.empty() ? "export the FMU with a binary for 64-bit Linux"
                                     : "the FMU has binaries only for: " + offered);
}

void check_architecture(const fs::path& library, const std::string& place) {
    std::array<char, sizeof(Elf64_Ehdr)> bytes{};
    std::ifstream file(library, std::ios::binary);
    file.read(bytes.data(), bytes.size());
    Elf64_Ehdr header;
    std::copy_n(bytes.data(), sizeof header, reinterpret_cast<char*>(&header));
    const std::string name = library.filename().string();
    if (!std::equal(ELFMAG, ELFMAG + SELFMAG, bytes.data()))
        throw InputError(place, name + " is not a Linux shared library",
                         "export the FMU again with a binary for 64-bit Linux");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
        throw InputError(place, name + " is built for another processor than x86_64",
                         "export the FMU again with a binary for 64-bit x86 Linux");
    if (header.e_type != ET_DYN)
        throw InputError(place, name + " is not a shared library",
                         "export the FMU again with a binary for 64-bit Linux");
}

/// Some FMUs use sin() and never say that they need libm.
void offer_libm() {
    static void* const libm = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
    static_cast<void>(libm);
}

/// Libraries that lie beside the FMU's own, for FMUs that need them but do not say where they are.
void preload_siblings(const fs::path& library) {
    for (const auto& sibling : shared_objects(library.parent_path()))
        if (sibling != library) dlopen(sibling.c_str(), RTLD_LAZY | RTLD_LOCAL);
}

/// RTLD_LOCAL keeps two FMUs with the same symbols apart. RTLD_DEEPBIND keeps an FMU apart from the
/// host: without it, an FMU that brings its own copy of a library the host has, too (a solver of
/// another version, say), calls half of the host's and crashes. Memory crosses the border only
/// through callbacks of the host, so a second allocator does no harm. The sanitizers, which must
/// see every allocation, refuse it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int apart = RTLD_LOCAL;
#else
constexpr int apart = RTLD_LOCAL | RTLD_DEEPBIND;
#endif

/// Some address inside a loaded library.
const void* address_of(void* handle) {
    link_map* map = nullptr;
    return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_ld : nullptr;
}

using Names = std::vector<const char*>;

/// Functions without which nothing can run. All others are missed only when they are needed.
Names required_functions(Version version, Kind kind) {
    const bool step = kind == Kind::co_simulation;
    switch (version) {
        case Version::v1:
            return step ? Names{"fmiInstantiateSlave", "fmiInitializeSlave", "fmiFreeSlaveInstance",
                                "fmiDoStep"}
                        : Names{"fmiInstantiateModel", "fmiInitialize", "fmiFreeModelInstance",
                                "fmiSetTime", "fmiEventUpdate"};
        case Version::v2: {
            Names names{"fmi2Instantiate", "fmi2FreeInstance", "fmi2EnterInitializationMode",
                        "fmi2ExitInitializationMode"};
            const Names more =
                step ? Names{"fmi2DoStep"}
                     : Names{"fmi2SetTime", "fmi2NewDiscreteStates", "fmi2EnterContinuousTimeMode"};
            names.insert(names.end(), more.begin(), more.end());
            return names;
        }
        case Version::v3: {
            Names names{"fmi3FreeInstance", "fmi3EnterInitializationMode",
                        "fmi3ExitInitializationMode"};
            const Names more =
                step ? Names{"fmi3InstantiateCoSimulation", "fmi3DoStep"}
                     : Names{"fmi3InstantiateModelExchange", "fmi3SetTime",
                             "fmi3UpdateDiscreteStates", "fmi3EnterContinuousTimeMode"};
            names.insert(names.end(), more.begin(), more.end());
            return names;
        }
    }
    return {};
}

/// `place` lies in a SharedBlock.
void unload(void* handle, const char* place) {
    const std::string name = place;
    {
        const ForeignCall mark(place, "dlclose");
        const ArithmeticGuard guard(name, "dlclose");
        dlclose(handle);
        look_at_freed_memory();
    }
    check_process(name, "dlclose");
}

std::mutex claims_mutex;
std::set<fs::path> claims;

/// Both kinds of an FMU have a library, and an FMU may be opened more than once.
bool is_first_of(const std::string& place) {
    static std::mutex mutex;
    static std::set<std::string> places;
    const std::lock_guard lock(mutex);
    return places.insert(place).second;
}

}  // namespace

const char* platform_folder(Version version) {
    return version == Version::v3 ? "x86_64-linux" : "linux64";
}

Library::Library(const fs::path& folder, const ModelDescription& description, Kind kind,
                 const std::string& place)
    : place_(place), shared_place_(place.c_str()) {
    const KindInfo* info = description.kind(kind);
    if (!info)
        throw InputError(place, fmt::format("the FMU does not offer {}", to_string(kind)),
                         "choose the other kind");
    prefix_ = info->model_identifier + '_';
    only_once_ = info->only_once_per_process;
    path_ = locate(folder, description.version, info->model_identifier, place);
    if (path_.empty()) compile({folder, description, info->model_identifier, place});
    check_architecture(path_, place);
    {
        const ForeignCall mark(shared_place_.data(), "dlopen");
        const ArithmeticGuard guard(place_, "dlopen");
        load();
    }
    check_process(place_, "dlopen");
    code_.emplace(address_of(handle_), place_.c_str());
    try {
        check_required(description.version, kind);
    } catch (...) {
        code_.reset();
        unload(handle_, shared_place_.data());
        throw;
    }
}

/// Into a folder of its own: a library that two FMUs load from one place shares its static data.
void Library::compile(const SourceFmu& fmu) {
    const SourceBuild build(fmu);
    if (is_first_of(place_))
        log(LogLevel::warning, fmt::format("{}: no binary for this platform: uses one {}{}", place_,
                                           build.is_kept() ? "" : "to be ", build.origin()));
    compiled_.emplace();
    path_ = compiled_->path() / (fmu.identifier + ".so");
    build.write(path_);
}

Library::~Library() {
    if (leave_loaded_) return;
    code_.reset();
    unload(handle_, shared_place_.data());
}

/// RTLD_LAZY is the second try, for FMUs with undefined functions that they never call.
void Library::load() {
    offer_libm();
    handle_ = dlopen(path_.c_str(), RTLD_NOW | apart);
    if (handle_ != nullptr) return;
    handle_ = dlopen(path_.c_str(), RTLD_LAZY | apart);
    if (handle_ == nullptr) {
        preload_siblings(path_);
        handle_ = dlopen(path_.c_str(), RTLD_LAZY | apart);
    }
    if (handle_ == nullptr) {
        const char* reason = dlerror();
        throw InputError(place_,
                         fmt::format("{} cannot be loaded: {}", path_.filename().string(),
                                     reason ? reason : "no reason given"),
                         "install what it needs, or export the FMU self-contained");
    }
    undefined_ = catch_undefined_functions(handle_);
}

void* Library::find(const char* function) const {
    if (void* address = dlsym(handle_, function)) return address;
    return dlsym(handle_, (prefix_ + function).c_str());
}

std::shared_ptr<void> Library::claim() {
    if (!only_once_) return nullptr;
    const std::lock_guard lock(claims_mutex);
    if (!claims.insert(path_).second)
        throw InputError(place_, "the FMU can be instantiated only once per process",
                         "use it once in the system, or run the second one in another process");
    return std::shared_ptr<void>(nullptr, [path = path_](void*) {
        const std::lock_guard release(claims_mutex);
        claims.erase(path);
    });
}

void Library::check_required(Version version, Kind kind) const {
    std::string missing;
    for (const char* name : required_functions(version, kind))
        if (!find(name)) missing += (missing.empty() ? "" : ", ") + std::string(name);
    if (!missing.empty())
        throw InputError(
            place_, fmt::format("{} lacks the functions {}", path_.filename().string(), missing),
            fmt::format("the binary is not a {} FMU of FMI {}", to_string(kind),
                        to_string(version)));
}

}  // namespace tandem::fmi
