#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "files/temporary_folder.hpp"
#include "support/zip_surgery.hpp"

namespace tandem::test {

struct Said {
    int code = -1;
    std::string out, err;
};

/// A folder in which the real binary runs; the FMUs of the build are in `fmus`.
class CommandFolder {
public:
    CommandFolder() {
        std::filesystem::create_directory_symlink(TANDEM_FMU_DIR, folder_.path() / "fmus");
    }

    std::filesystem::path operator/(const std::string& name) const { return folder_.path() / name; }
    void write(const std::string& name, const std::string& content) const {
        write_bytes(folder_.path() / name, content);
    }
    Said tandem(const std::string& arguments) const {
        const TemporaryFolder answers;
        const std::string out = (answers.path() / "out").string();
        const std::string err = (answers.path() / "err").string();
        const int status = std::system(("cd '" + folder_.path().string() + "' && " TANDEM_EXE " " +
                                        arguments + " >" + out + " 2>" + err)
                                           .c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_bytes(out), read_bytes(err)};
    }
    std::set<std::string> content() const {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
            names.insert(entry.path().filename().string());
        return names;
    }

private:
    TemporaryFolder folder_;
};

}  // namespace tandem::test
