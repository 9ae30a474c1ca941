#include "description/write/resources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/error.hpp"

namespace tandem::description {

namespace fs = std::filesystem;

std::string Resources::add(const fs::path& file) {
    std::error_code failed;
    const fs::path real = fs::weakly_canonical(file, failed);
    if (const auto known = names_.find(real); known != names_.end()) return known->second;
    if (!fs::exists(real, failed))
        throw InputError(file.string(), "does not exist, so it cannot be packed", "check the path");
    const bool is_folder = fs::is_directory(real);
    const std::string stem = real.stem().string();
    const std::string ending = is_folder ? ".fmu" : real.extension().string();
    std::string name = fmt::format("resources/{}{}", stem, ending);
    const auto is_taken = [&](const auto& entry) { return entry.second == name; };
    for (int i = 2; std::any_of(names_.begin(), names_.end(), is_taken); ++i)
        name = fmt::format("resources/{}_{}{}", stem, i, ending);
    ZipItem item;
    item.name = name;
    item.file = is_folder ? packed(real, fs::path(name).filename().string()) : real;
    items_.push_back(std::move(item));
    names_.emplace(real, name);
    return name;
}

fs::path Resources::packed(const fs::path& folder, const std::string& name) {
    std::vector<ZipItem> items;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        ZipItem item;
        item.name = entry.path().lexically_relative(folder).generic_string();
        item.file = entry.path();
        items.push_back(std::move(item));
    }
    std::sort(items.begin(), items.end(),
              [](const ZipItem& a, const ZipItem& b) { return a.name < b.name; });
    const fs::path path = folder_.path() / name;
    write_zip(path, items);
    return path;
}

}  // namespace tandem::description
