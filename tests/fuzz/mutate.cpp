#include "mutate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace tandem::fuzz {
namespace {

constexpr std::array odd_numbers = {
    "0",   "-1",    "1",      "2147483647", "-2147483648", "4294967296", "9223372036854775807",
    "1e9", "1e308", "-1e308", "1e-320",     "0.1",         "65536",      "-0.0"};

/// A piece of the text.
struct Piece {
    std::size_t begin = 0, end = 0;
};

bool is_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '.' ||
           c == '-' || c == '#';
}

class Mutation {
public:
    Mutation(std::string_view text, const std::vector<std::string>& words, std::mt19937& random)
        : text_(text), words_(words), random_(random) {}

    std::string once() {
        const bool is_xml = text_.starts_with('<'), is_json = text_.starts_with('{');
        const bool is_toml = text_.find(" = ") != std::string_view::npos && !is_xml;
        std::optional<std::string> result;
        const std::size_t kind = below(16);
        if (kind == 0)
            result = replace(words_of_text());
        else if (kind < 8 && (is_xml || is_json || is_toml))
            result = replace(quoted());
        else if (is_xml)
            result = change_elements();
        else if (is_json)
            result = kind < 12 ? replace_number() : change_groups();
        else if (is_toml)
            result = kind < 12 ? replace_number() : change_blocks();
        else if (kind < 6)
            result = change_lines();
        else
            result = replace(words_of_text());
        return result.value_or(std::string(text_));
    }

private:
    std::size_t below(std::size_t bound) { return random_() % std::max<std::size_t>(bound, 1); }
    template <class Item>
    const Item& any(const std::vector<Item>& items) {
        return items[below(items.size())];
    }

    std::string_view of(const Piece& piece) const {
        return text_.substr(piece.begin, piece.end - piece.begin);
    }
    std::string with(const Piece& piece, std::string_view instead) const {
        return std::string(text_.substr(0, piece.begin)) + std::string(instead) +
               std::string(text_.substr(piece.end));
    }

    std::vector<Piece> words_of_text() const {
        std::vector<Piece> found;
        for (std::size_t at = 0; at < text_.size();) {
            std::size_t end = at;
            while (end < text_.size() && is_letter(text_[end])) ++end;
            if (end > at) found.push_back({at, end});
            at = end + 1;
        }
        return found;
    }

    /// What stands between quotes, attributes of XML for example.
    std::vector<Piece> quoted() const {
        std::vector<Piece> found;
        for (auto at = text_.find('"'); at != std::string_view::npos;
             at = text_.find('"', at + 1)) {
            const auto end = text_.find_first_of("\"\n", at + 1);
            if (end == std::string_view::npos) break;
            if (text_[end] == '"') found.push_back({at + 1, end});
            at = end;
        }
        return found;
    }

    /// Another word of the format or of the same places, or a number.
    std::optional<std::string> replace(const std::vector<Piece>& places) {
        if (places.empty()) return std::nullopt;
        const Piece& piece = any(places);
        std::string instead;
        switch (below(3)) {
            case 0: instead = odd_numbers[below(odd_numbers.size())]; break;
            case 1: instead = words_.empty() ? "x" : any(words_); break;
            default: instead = of(any(places));
        }
        std::erase(instead, '"');
        return with(piece, instead);
    }

    std::optional<std::string> replace_number() {
        std::vector<Piece> numbers;
        for (const Piece& piece : words_of_text()) {
            const bool stands_alone = piece.begin > 0 && text_[piece.begin - 1] == ' ';
            if (stands_alone && std::isdigit(static_cast<unsigned char>(text_[piece.begin])) != 0)
                numbers.push_back(piece);
        }
        if (numbers.empty()) return std::nullopt;
        return with(any(numbers), odd_numbers[below(odd_numbers.size())]);
    }

    /// An element of XML from its first bracket to its last.
    std::optional<Piece> element_at(std::size_t begin) const {
        std::size_t at = begin;
        int depth = 0;
        while (at < text_.size()) {
            const auto open = text_.find('<', at), close = text_.find('>', open);
            if (close == std::string_view::npos) return std::nullopt;
            const bool ends = text_[open + 1] == '/', is_empty = text_[close - 1] == '/';
            depth += ends ? -1 : is_empty ? 0 : 1;
            at = close + 1;
            if (depth <= 0)
                return ends && open == begin ? std::nullopt : std::optional(Piece{begin, at});
        }
        return std::nullopt;
    }

    std::vector<Piece> elements() const {
        std::vector<Piece> found;
        std::size_t at = text_.find("?>") == std::string_view::npos ? 0 : text_.find("?>") + 2;
        for (at = text_.find('<', at); at != std::string_view::npos; at = text_.find('<', at + 1))
            if (const auto element = element_at(at)) found.push_back(*element);
        return found;
    }

    /// An element is doubled, left out, or copied behind another; the root stays alone.
    std::optional<std::string> change_elements() {
        std::vector<Piece> found = elements();
        if (found.size() < 3) return std::nullopt;
        found.erase(found.begin());
        const Piece& one = any(found);
        const std::size_t behind = any(found).end;
        switch (below(3)) {
            case 0: return with(one, "");
            case 1: return with({one.end, one.end}, of(one));
            default: return with({behind, behind}, of(one));
        }
    }

    /// A thing in brackets is doubled with a comma between, or becomes another.
    std::optional<std::string> change_groups() {
        std::vector<Piece> groups;
        std::vector<std::size_t> open;
        for (std::size_t at = 0; at < text_.size(); ++at) {
            const char c = text_[at];
            if (c == '{' || c == '[') open.push_back(at);
            if ((c == '}' || c == ']') && !open.empty()) {
                groups.push_back({open.back(), at + 1});
                open.pop_back();
            }
        }
        if (groups.size() < 2) return std::nullopt;
        groups.pop_back();
        const Piece& group = any(groups);
        if (below(2) == 0) return with(group, of(any(groups)));
        const bool in_list =
            group.begin > 0 && (text_[group.begin - 1] == '[' || text_[group.begin - 1] == '\n');
        if (!in_list) return with(group, below(2) == 0 ? "null" : "[]");
        return with(group, std::string(of(group)) + ", " + std::string(of(group)));
    }

    std::vector<Piece> lines() const {
        std::vector<Piece> found;
        for (std::size_t at = 0; at < text_.size();) {
            const std::size_t end = std::min(text_.find('\n', at), text_.size() - 1) + 1;
            found.push_back({at, end});
            at = end;
        }
        return found;
    }

    std::optional<std::string> change_lines() {
        const std::vector<Piece> found = lines();
        if (found.empty()) return std::nullopt;
        const Piece& one = any(found);
        if (below(2) == 0) return with(one, "");
        return with({one.end, one.end}, of(any(found)));
    }

    /// Lines of TOML are left out, and [[lists]] of tables get longer.
    std::optional<std::string> change_blocks() {
        const std::vector<Piece> found = lines();
        if (found.empty()) return std::nullopt;
        const std::size_t first = below(found.size());
        if (!of(found[first]).starts_with("[[")) return with(found[first], "");
        std::size_t last = first + 1;
        while (last < found.size() && !of(found[last]).starts_with("[")) ++last;
        const Piece block{found[first].begin, found[last - 1].end};
        return with({block.end, block.end}, of(block));
    }

    std::string_view text_;
    const std::vector<std::string>& words_;
    std::mt19937& random_;
};

}  // namespace

std::string mutated(std::string_view text, const std::vector<std::string>& words,
                    std::mt19937& random) {
    std::string result(text);
    for (std::size_t k = 1 + random() % 3; k > 0; --k)
        result = Mutation(result, words, random).once();
    return result;
}

}  // namespace tandem::fuzz
