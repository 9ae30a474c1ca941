#include "description/read/package.hpp"

#include <memory>
#include <utility>

#include "base/unpacked.hpp"
#include "description/read/ssd.hpp"
#include "files/archive.hpp"

namespace tandem::description {

namespace {

/// Runs `action`; what is wrong with the archive is said of `shown`.
template <class Action>
auto of_package(const std::filesystem::path& path, const std::string& shown, Action action) {
    try {
        return action();
    } catch (const InputError& error) {
        std::string place = error.place();
        if (place.starts_with(path.string())) place.replace(0, path.string().size(), shown);
        throw InputError(place, error.problem(), error.hint());
    }
}

}  // namespace

SystemDescription read_package(const SourceFile& source, const std::string& shown,
                               ReadContext& context) {
    ArchiveLimits limits;
    limits.noun = "SSP";
    const auto archive_of = [&] { return std::make_unique<Archive>(source.path, limits); };
    const std::unique_ptr<Archive> opened = of_package(source.path, shown, archive_of);
    const Archive& archive = *opened;
    const std::string name = source.fragment.empty() ? "SystemStructure.ssd" : source.fragment;
    if (!archive.contains(name))
        throw InputError(shown, "contains no " + name, "is this really a system package?");
    auto folder = std::make_shared<TemporaryFolder>();
    note_unpacked(folder->path(), shown);
    of_package(source.path, shown, [&] { archive.unpack(folder->path()); });
    context.findings.insert(context.findings.end(), archive.findings().begin(),
                            archive.findings().end());
    auto outer_package = std::exchange(context.package, folder->path());
    auto outer_name = std::exchange(context.package_name, shown);
    const auto restore = [&] {
        context.package = std::move(outer_package);
        context.package_name = std::move(outer_name);
    };
    SystemDescription result;
    try {
        result = read_ssd(folder->path() / name, shown + "/" + name, context);
    } catch (...) {
        restore();
        throw;
    }
    restore();
    result.file = source.path;
    result.folder = std::move(folder);
    return result;
}

}  // namespace tandem::description
