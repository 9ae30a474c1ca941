#include "fmi/description/parse_parts.hpp"

namespace tandem::fmi {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a name from the left; each member takes off what it recognizes and says whether it did.
///   name       = identifier {"." identifier} | "der(" name ["," digits] ")"
///   identifier = (letter {letter | digit} | quoted) ["[" digits {"," digits} "]"]
class NameReader {
public:
    explicit NameReader(std::string_view text) : rest_(text) {}

    bool whole_name() { return name(0) && rest_.empty(); }

private:
    bool name(int depth) {
        if (depth > 100) return false;
        if (!rest_.starts_with("der(")) return path();
        rest_.remove_prefix(4);
        if (!name(depth + 1)) return false;
        if (take(',') && !number()) return false;
        return take(')');
    }

    bool path() {
        do {
            if (!identifier()) return false;
        } while (take('.'));
        return true;
    }

    bool identifier() {
        if (!(rest_.starts_with('\'') ? quoted_name() : plain_name())) return false;
        if (!take('[')) return true;
        do {
            while (take(' ')) continue;
            if (!number()) return false;
        } while (take(','));
        return take(']');
    }

    bool plain_name() {
        if (rest_.empty() || !is_letter(rest_.front())) return false;
        while (!rest_.empty() && (is_letter(rest_.front()) || is_digit(rest_.front())))
            rest_.remove_prefix(1);
        return true;
    }

    bool quoted_name() {
        for (std::size_t i = 1; i < rest_.size(); ++i) {
            if (rest_[i] == '\\') {
                ++i;
            } else if (rest_[i] == '\'') {
                rest_.remove_prefix(i + 1);
                return i > 1;
            }
        }
        return false;
    }

    bool number() {
        if (rest_.empty() || !is_digit(rest_.front())) return false;
        while (!rest_.empty() && is_digit(rest_.front())) rest_.remove_prefix(1);
        return true;
    }

    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    std::string_view rest_;
};

}  // namespace

bool is_structured_name(std::string_view name) { return NameReader(name).whole_name(); }

}  // namespace tandem::fmi
