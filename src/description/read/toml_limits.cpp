#include "description/read/toml_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tandem/error.hpp"

namespace tandem::description {
namespace {

/// Goes through the text once. A key of n parts leads n tables deep until its value ends; each open
/// bracket leads one deeper. Keys of headers, [a.b] and [[a.b]], hold until the next header.
class NestingScan {
public:
    NestingScan(std::string_view text, const TextPlace& where) : text_(text), where_(where) {}

    void run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"' || c == '\'')
                skip_string(c);
            else if (c == '#')
                at_ = std::min(text_.find('\n', at_), text_.size());
            else
                take(text_[at_++]);
        }
    }

private:
    void take(char c) {
        switch (c) {
            case '.': deepen(++dots_); break;
            case '=': begin_value(); break;
            case '[':
            case '{': open(); break;
            case ']':
            case '}': close(); break;
            case ',': end_value(); break;
            case '\n': end_line(); break;
            default: break;
        }
    }

    void deepen(int more) const {
        if (header_ + depth_ + more <= deepest_table) return;
        throw InputError(place(),
                         fmt::format("nests tables and lists deeper than {} levels", deepest_table),
                         "no real system does that; write fewer parts into the key");
    }

    void count_value() {
        if (++values_ <= most_values) return;
        throw InputError(place(), fmt::format("holds more than {} values", most_values),
                         "put tables of numbers into a .csv or .ssv file");
    }

    void begin_value() {
        const int key = dots_ + 1;
        count_value();
        deepen(key);
        dots_ = 0;
        depth_ += key;
        (levels_.empty() ? line_key_ : levels_.back()) += key;
    }

    /// A value of a list or an inline table ends; the bracket itself stays open.
    void end_value() {
        count_value();
        dots_ = 0;
        if (levels_.empty()) return;
        depth_ -= levels_.back() - 1;
        levels_.back() = 1;
    }

    void open() {
        if (levels_.empty() && line_key_ == 0) is_header_ = true, header_ = 0;
        if (!is_header_) dots_ = 0;
        levels_.push_back(1);
        ++depth_;
        deepen(0);
    }

    void close() {
        if (levels_.empty()) return;
        depth_ -= levels_.back();
        levels_.pop_back();
        if (is_header_ && !levels_.empty()) return;
        if (is_header_) header_ = dots_ + 1;
        is_header_ = false;
        dots_ = 0;
    }

    void end_line() {
        ++line_;
        if (!levels_.empty()) return;
        dots_ = 0;
        depth_ -= line_key_;
        line_key_ = 0;
    }

    /// From one quote, or three, to the same again; double quotes know escapes.
    void skip_string(char quote) {
        const std::string triple(3, quote);
        const bool is_long = text_.substr(at_).starts_with(triple);
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n' && !is_long) return;
            if (c == '\n') ++line_;
            if (c == quote && (!is_long || text_.substr(at_).starts_with(triple))) {
                at_ += is_long ? 3 : 1;
                // Two quotes may stand right before the closing three.
                for (int k = 0; is_long && k < 2 && at_ < text_.size() && text_[at_] == quote; ++k)
                    ++at_;
                return;
            }
            at_ += c == '\\' && quote == '"' ? 2 : 1;
        }
    }

    std::string place() const {
        return fmt::format("{}:{}", where_.file, line_ + where_.first_line - 1);
    }

    std::string_view text_;
    const TextPlace& where_;
    std::size_t at_ = 0;
    int line_ = 1;
    long values_ = 0;
    bool is_header_ = false;   // the open brackets are those of a header
    int header_ = 0;           // tables that the last header leads into
    int dots_ = 0;             // of the key that is being read
    int line_key_ = 0;         // parts of the key of this line, outside of brackets
    int depth_ = 0;            // of all that is open, without the header
    std::vector<int> levels_;  // of each open bracket: itself and the key inside it
};

}  // namespace

void check_toml_limits(std::string_view text, const TextPlace& where) {
    NestingScan(text, where).run();
}

}  // namespace tandem::description
