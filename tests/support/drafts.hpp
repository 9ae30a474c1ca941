#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem::test {

/// Files in the folder that were begun aside and not finished.
inline std::vector<std::string> drafts_in(const std::filesystem::path& folder) {
    std::vector<std::string> drafts;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".part") drafts.push_back(entry.path().string());
    return drafts;
}

}  // namespace tandem::test
