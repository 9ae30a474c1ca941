#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "expression/tree.hpp"

namespace tandem::expression {
namespace {

constexpr int deepest = 200;
/// Operands and operations. Longer ones belong into a table or a model.
constexpr std::size_t most_nodes = 20'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_name(std::string_view text) {
    return !text.empty() && is_letter(text[0]) &&
           std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

/// Builds nodes; relations, min, max, abs, sign and rint become what can be held.
class Builder {
public:
    int constant(double value) {
        const int node = add({.op = Op::constant});
        tree.nodes.back().value = value;
        return node;
    }
    int time() {
        const int node = add({.op = Op::time});
        tree.nodes.back().has_time = true;
        return node;
    }
    int signal(int index, const description::LinearMap& map) {
        const int node = add({.op = Op::signal});
        tree.nodes.back().index = index;
        tree.nodes.back().has_signals = true;
        return mapped(node, map);
    }
    int call(const NamedFunction& function, int a) {
        const int node = make(Op::call, a);
        tree.nodes.back().function = &function;
        return node;
    }
    int mapped(int node, const description::LinearMap& map) {
        if (map.gain != 1.0) node = make(Op::multiply, constant(map.gain), node);
        return map.offset == 0.0 ? node : make(Op::add, node, constant(map.offset));
    }

    int make(Op op, int a, int b = -1, int c = -1) {
        ExpressionNode node{.op = op, .a = a, .b = b, .c = c};
        for (const int operand : {a, b, c}) {
            if (operand < 0) continue;
            node.has_time = node.has_time || at(operand).has_time;
            node.has_signals = node.has_signals || at(operand).has_signals;
        }
        return add(node);
    }

    int relation(std::string_view sign, int a, int b) {
        if (sign == "<") return held(Op::is_positive, make(Op::subtract, b, a));
        if (sign == ">") return held(Op::is_positive, make(Op::subtract, a, b));
        if (sign == "<=") return held(Op::is_not_negative, make(Op::subtract, b, a));
        if (sign == ">=") return held(Op::is_not_negative, make(Op::subtract, a, b));
        const Op each = sign == "==" ? Op::is_not_negative : Op::is_positive;
        const int above = held(each, make(Op::subtract, a, b));
        const int below = held(each, make(Op::subtract, b, a));
        return make(sign == "==" ? Op::both : Op::either, above, below);
    }
    /// What is asked for its truth is a relation, or differs from zero: 0 or 1.
    int truth(int node) {
        const Op op = at(node).op;
        if (op == Op::constant) return constant(at(node).value != 0.0 ? 1.0 : 0.0);
        const bool is_boolean = op == Op::is_positive || op == Op::is_not_negative ||
                                op == Op::both || op == Op::either;
        return is_boolean ? node : relation("!=", node, constant(0.0));
    }
    int smaller(int a, int b) { return with_kink(Op::minimum, a, b); }
    int larger(int a, int b) { return with_kink(Op::maximum, a, b); }
    int absolute(int a) {
        add_kink(a);
        return make(Op::absolute, a);
    }
    int sign(int a) {
        const int above = held(Op::is_positive, a);
        return make(Op::subtract, above, held(Op::is_positive, make(Op::negate, a)));
    }
    int rounded(int a) { return held(Op::floor, make(Op::add, a, constant(0.5))); }

    ExpressionTree tree;

private:
    const ExpressionNode& at(int node) const { return tree.at(node); }
    int add(const ExpressionNode& node) {
        if (tree.nodes.size() == most_nodes)
            throw std::invalid_argument(
                fmt::format("it has more than {} operands and operations", most_nodes));
        tree.nodes.push_back(node);
        const int added = static_cast<int>(tree.nodes.size()) - 1;
        tree.nodes.back().first = added;
        for (const int operand : {node.a, node.b, node.c})
            if (operand >= 0)
                tree.nodes.back().first = std::min(tree.nodes.back().first, at(operand).first);
        return added;
    }
    int held(Op op, int a) {
        const int node = make(op, a);
        if (!at(node).has_time && !at(node).has_signals) return node;
        tree.nodes.back().index = static_cast<int>(tree.switches.size());
        tree.switches.push_back(node);
        if (!at(node).has_signals) tree.timed_switches.push_back(node);
        return node;
    }
    int with_kink(Op op, int a, int b) {
        add_kink(make(Op::subtract, a, b));
        return make(op, a, b);
    }
    void add_kink(int node) {
        if (at(node).has_signals)
            tree.signal_kinks.push_back(node);
        else if (at(node).has_time)
            tree.kinks.push_back(make(Op::is_positive, node));
    }
};

/// By recursive descent. From loose to tight: ?:, ||, &&, relations, + -, * /, signs, ^.
class Parser {
public:
    Parser(std::string_view text, const std::vector<std::string>& signals,
           const ExpressionUnits& units)
        : text_(text), signals_(signals), units_(units) {}

    ExpressionTree parse() {
        skip_spaces();
        if (at_ == text_.size()) fail("it is empty");
        const int root = choice();
        if (at_ < text_.size() && text_[at_] == ',') fail("it gives several values, one is needed");
        if (at_ < text_.size()) unexpected();
        build_.tree.root = build_.mapped(root, units_.value);
        return std::move(build_.tree);
    }

private:
    /// Counts how deep the text is nested as long as it lives.
    class Level {
    public:
        explicit Level(Parser& parser) : parser_(parser) {
            if (++parser_.depth_ > deepest) parser_.fail("it is nested too deeply");
        }
        ~Level() { --parser_.depth_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        Parser& parser_;
    };

    [[noreturn]] static void fail(const std::string& problem) {
        throw std::invalid_argument(problem);
    }
    [[noreturn]] void unexpected() const {
        if (at_ >= text_.size()) fail("it ends too early");
        if (text_[at_] == '=' && text_.substr(at_, 2) != "==")
            fail("'=' would change a signal; to compare write '=='");
        fail(fmt::format("unexpected '{}' at position {}", text_.substr(at_, 12), at_ + 1));
    }

    void skip_spaces() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }
    bool take(std::string_view token) {
        if (text_.substr(at_, token.size()) != token) return false;
        at_ += token.size();
        skip_spaces();
        return true;
    }
    void expect(std::string_view token) {
        if (!take(token)) unexpected();
    }

    /// A chain a ? b : c ? d : e is not nested, however long.
    int choice() {
        const Level level(*this);
        std::vector<std::pair<int, int>> chosen;
        int last = either();
        while (take("?")) {
            const int truth = build_.truth(last);
            chosen.emplace_back(truth, choice());
            expect(":");
            last = either();
        }
        for (; !chosen.empty(); chosen.pop_back())
            last = build_.make(Op::select, chosen.back().first, chosen.back().second, last);
        return last;
    }
    int either() {
        int left = both();
        while (take("||")) {
            left = build_.truth(left);
            left = build_.make(Op::either, left, build_.truth(both()));
        }
        return left;
    }
    int both() {
        int left = relation();
        while (take("&&")) {
            left = build_.truth(left);
            left = build_.make(Op::both, left, build_.truth(relation()));
        }
        return left;
    }
    int relation() {
        int left = sum();
        for (;;) {
            std::string_view found;
            for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"})
                if (found.empty() && take(sign)) found = sign;
            if (found.empty()) return left;
            left = build_.relation(found, left, sum());
        }
    }
    int sum() {
        int left = product();
        for (;;) {
            if (take("+"))
                left = build_.make(Op::add, left, product());
            else if (take("-"))
                left = build_.make(Op::subtract, left, product());
            else
                return left;
        }
    }
    int product() {
        int left = with_sign();
        for (;;) {
            if (take("*"))
                left = build_.make(Op::multiply, left, with_sign());
            else if (take("/"))
                left = build_.make(Op::divide, left, with_sign());
            else
                return left;
        }
    }
    int with_sign() {
        const Level level(*this);
        if (take("-")) return build_.make(Op::negate, with_sign());
        if (take("+")) return with_sign();
        return power();
    }
    int power() {
        const int base = operand();
        return take("^") ? build_.make(Op::power, base, with_sign()) : base;
    }
    int operand() {
        if (take("(")) {
            const int inner = choice();
            expect(")");
            return inner;
        }
        if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return number();
        if (at_ < text_.size() && is_letter(text_[at_])) return named();
        unexpected();
    }
    int number() {
        double value = 0.0;
        const auto [end, error] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        const bool is_followed =
            end != text_.data() + text_.size() && (is_letter(*end) || is_digit(*end));
        if (error != std::errc{} || is_followed) unexpected();
        at_ = static_cast<std::size_t>(end - text_.data());
        skip_spaces();
        return build_.constant(value);
    }
    int named() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        skip_spaces();
        if (take("(")) return call(name);
        for (std::size_t i = 0; i < signals_.size(); ++i)
            if (signals_[i] == name)
                return build_.signal(static_cast<int>(i), units_.signals.empty()
                                                              ? description::LinearMap{}
                                                              : units_.signals[i]);
        if (name == "t") return build_.time();
        if (name == "_pi") return build_.constant(std::numbers::pi);
        if (name == "_e") return build_.constant(std::numbers::e);
        fail(fmt::format("there is no '{}', at position {}", name, begin + 1));
    }

    std::vector<int> arguments() {
        std::vector<int> all;
        if (take(")")) return all;
        do {
            all.push_back(choice());
        } while (take(","));
        expect(")");
        return all;
    }
    int call(std::string_view name) {
        const std::vector<int> given = arguments();
        const auto takes = [&](std::size_t count) {
            if (given.size() != count)
                fail(fmt::format("{}() takes {}, not {}", name,
                                 count == 1 ? "one number" : "two numbers", given.size()));
        };
        if (given.empty()) fail(fmt::format("{}() is given nothing", name));
        if (name == "min") return folded(given, [&](int a, int b) { return build_.smaller(a, b); });
        if (name == "max") return folded(given, [&](int a, int b) { return build_.larger(a, b); });
        if (name == "sum" || name == "avg") {
            const int total =
                folded(given, [&](int a, int b) { return build_.make(Op::add, a, b); });
            const auto count = static_cast<double>(given.size());
            return name == "sum" ? total : build_.make(Op::divide, total, build_.constant(count));
        }
        takes(name == "atan2" ? 2 : 1);
        if (name == "atan2") return build_.make(Op::angle, given[0], given[1]);
        if (name == "abs") return build_.absolute(given[0]);
        if (name == "sign") return build_.sign(given[0]);
        if (name == "rint") return build_.rounded(given[0]);
        const NamedFunction* const known = find_function(name);
        if (known == nullptr) fail(fmt::format("there is no function '{}'", name));
        return build_.call(*known, given[0]);
    }
    template <class Join>
    static int folded(const std::vector<int>& given, Join join) {
        int all = given[0];
        for (std::size_t i = 1; i < given.size(); ++i) all = join(all, given[i]);
        return all;
    }

    std::string_view text_;
    const std::vector<std::string>& signals_;
    const ExpressionUnits& units_;
    Builder build_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

ExpressionTree parse_expression(std::string_view text, const std::vector<std::string>& signals,
                                const ExpressionUnits& units) {
    for (const std::string& name : signals) {
        if (name == "t")
            throw std::invalid_argument("a signal cannot be called t, which is the time");
        if (!is_name(name))
            throw std::invalid_argument(fmt::format(
                "'{}' cannot be the name of a signal: use letters, digits and _", name));
    }
    return Parser(text, signals, units).parse();
}

}  // namespace tandem::expression
