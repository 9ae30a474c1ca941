#include "base/unpacked.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace tandem {
namespace {

/// Messages may be read when the folder is gone, so entries stay.
struct Unpacked {
    std::mutex mutex;
    std::vector<std::pair<std::string, std::string>> sources;  ///< of each folder
};

Unpacked& unpacked() {
    static Unpacked instance;
    return instance;
}

}  // namespace

void note_unpacked(const std::filesystem::path& folder, const std::string& source) {
    std::string shown = without_temporary_folders(source);
    const std::lock_guard lock(unpacked().mutex);
    unpacked().sources.emplace_back(folder.string(), std::move(shown));
}

std::string without_temporary_folders(std::string text) {
    if (text.find("/tandem-") == std::string::npos) return text;
    const std::lock_guard lock(unpacked().mutex);
    for (const auto& [folder, source] : unpacked().sources)
        for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;
             at += source.size())
            text.replace(at, folder.size(), source);
    return text;
}

}  // namespace tandem
