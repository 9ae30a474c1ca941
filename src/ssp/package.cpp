#include "ssp/package.hpp"

#include <utility>

#include "base/archive.hpp"
#include "ssp/ssd.hpp"

namespace tandem::ssp {

SystemDescription read_package(const SourceFile& source, const std::string& shown,
                               ReadContext& context) {
    ArchiveLimits limits;
    limits.noun = "SSP";
    const Archive archive(source.path, limits);
    const std::string name = source.fragment.empty() ? "SystemStructure.ssd" : source.fragment;
    if (!archive.contains(name))
        throw InputError(shown, "contains no " + name, "is this really a system package?");
    auto folder = std::make_shared<TemporaryFolder>();
    archive.unpack(folder->path());
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

}  // namespace tandem::ssp
