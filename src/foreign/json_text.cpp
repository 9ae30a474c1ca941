#include "foreign/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tandem::foreign {

JsonText::JsonText(std::string text, std::string file)
    : text_(std::move(text)), file_(std::move(file)) {
    find_keys();
    parse();
}

Place JsonText::place_of(const std::string& key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? file_ : fmt::format("{}:{}", file_, line_of(found->second));
}

std::vector<std::pair<std::string, const Json*>> JsonText::entries(const Json& object) const {
    std::vector<std::pair<std::size_t, std::pair<std::string, const Json*>>> sorted;
    for (const auto& [key, value] : object.items()) {
        const auto found = keys_.find(key);
        sorted.push_back({found == keys_.end() ? text_.size() : found->second, {key, &value}});
    }
    std::ranges::stable_sort(sorted, {}, [](const auto& entry) { return entry.first; });
    std::vector<std::pair<std::string, const Json*>> result;
    for (auto& [offset, entry] : sorted) result.push_back(std::move(entry));
    return result;
}

/// Strings with a colon behind them. Those with escapes have no place.
void JsonText::find_keys() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (text_[i] == '\n') line_starts_.push_back(i + 1);
        if (text_[i] != '"') continue;
        const std::size_t begin = i + 1;
        for (++i; i < text_.size() && text_[i] != '"' && text_[i] != '\n'; ++i)
            if (text_[i] == '\\') ++i;
        if (i >= text_.size()) return;
        const std::size_t next = text_.find_first_not_of(" \t\r\n", i + 1);
        if (next != std::string::npos && text_[next] == ':')
            keys_.try_emplace(text_.substr(begin, i - begin), begin);
        if (text_[i] == '\n') --i;
    }
}

void JsonText::parse() {
    constexpr int deepest = 256;
    std::vector<std::set<std::string>> seen;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth > deepest)
            throw InputError(file_,
                             fmt::format("nests deeper than {} levels, the limit here", deepest));
        if (event == Json::parse_event_t::object_start) seen.emplace_back();
        if (event == Json::parse_event_t::object_end) seen.pop_back();
        if (event == Json::parse_event_t::key &&
            !seen.back().insert(parsed.get<std::string>()).second) {
            const auto key = parsed.get<std::string>();
            throw InputError(place_of(key),
                             fmt::format("the key '{}' stands twice in an object", key),
                             "JSON readers keep only one of them: unite them");
        }
        return true;
    };
    try {
        root_ = Json::parse(text_, watch);
    } catch (const Json::parse_error& error) {
        const std::size_t line = line_of(std::min(error.byte, text_.size()));
        throw InputError(fmt::format("{}:{}", file_, line), "is not JSON",
                         "check commas, quotes and brackets there");
    } catch (const Json::exception&) {
        throw InputError(file_, "holds a number that no double can hold", "correct it");
    }
}

std::size_t JsonText::line_of(std::size_t offset) const {
    const auto after = std::ranges::upper_bound(line_starts_, offset);
    return static_cast<std::size_t>(after - line_starts_.begin());
}

}  // namespace tandem::foreign
