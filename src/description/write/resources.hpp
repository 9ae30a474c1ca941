#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "files/temporary_folder.hpp"
#include "files/zip.hpp"

namespace tandem::description {

/// The files that go below resources/ of a package, each once.
class Resources {
public:
    /// The place of a file in the package: "resources/wheel.fmu". A folder (an unpacked FMU) is
    /// packed. Throws InputError if there is no such file.
    std::string add(const std::filesystem::path& file);
    const std::vector<ZipItem>& items() const { return items_; }

private:
    std::filesystem::path packed(const std::filesystem::path& folder, const std::string& name);

    std::map<std::filesystem::path, std::string> names_;
    std::vector<ZipItem> items_;
    TemporaryFolder folder_;
};

}  // namespace tandem::description
