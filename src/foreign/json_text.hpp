#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foreign/system.hpp"

namespace tandem::foreign {

using Json = nlohmann::json;

/// A JSON file that remembers on which line a key stands, and the order of keys.
class JsonText {
public:
    /// Throws InputError for what is not JSON, is nested too deep, or has a key twice in an object.
    JsonText(std::string text, std::string file);

    const Json& root() const { return root_; }
    const std::string& file() const { return file_; }
    /// "file:line" of the first such key, or the file.
    Place place_of(const std::string& key) const;
    /// The entries of an object as they stand in the file.
    std::vector<std::pair<std::string, const Json*>> entries(const Json& object) const;

private:
    void find_keys();
    void parse();
    std::size_t line_of(std::size_t offset) const;

    std::string text_;
    std::string file_;
    Json root_;
    std::vector<std::size_t> line_starts_ = {0};
    std::unordered_map<std::string, std::size_t> keys_;  ///< where they stand first
};

}  // namespace tandem::foreign
