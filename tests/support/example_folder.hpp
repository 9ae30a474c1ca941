#pragma once

#include <filesystem>
#include <string>

#include "files/temporary_folder.hpp"

namespace tandem::test {

/// The examples as in the repository, in a folder where `../../build/release/fmus` are the FMUs of
/// the build under test.
class ExampleFolder {
public:
    ExampleFolder() {
        namespace fs = std::filesystem;
        fs::copy(TANDEM_SOURCE_DIR "/examples", folder_.path() / "examples",
                 fs::copy_options::recursive);
        fs::create_directories(folder_.path() / "build/release");
        fs::create_directory_symlink(TANDEM_FMU_DIR, folder_.path() / "build/release/fmus");
    }
    std::string in_folder(const std::string& name) const { return folder_.path() / name; }

private:
    TemporaryFolder folder_;
};

}  // namespace tandem::test
