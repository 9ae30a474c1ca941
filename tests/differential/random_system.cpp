#include "differential/random_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem::test {
namespace {

class Draw {
public:
    explicit Draw(std::uint32_t seed) : engine_(seed) {}
    /// Uniform; by the engine's own numbers, so that every library draws the same.
    double between(double low, double high) {
        return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
    }
    int below(int count) { return static_cast<int>(between(0.0, count)); }
    bool chance(double probability) { return between(0.0, 1.0) < probability; }

private:
    std::mt19937 engine_;
};

/// Time constants of 0.2 to 5 s, some of them oscillating with up to 4 rad/s.
Square dynamics(Draw& draw) {
    const double damping = draw.between(0.2, 5.0);
    if (draw.chance(0.5)) {
        const double frequency = draw.between(0.5, 4.0);
        return {{{-0.2 * damping, frequency}, {-frequency, -0.2 * damping}}};
    }
    return {{{-damping, draw.between(-1.0, 1.0)}, {0.0, -draw.between(0.2, 5.0)}}};
}

Square square(Draw& draw, double size) {
    return {{{draw.between(-size, size), draw.between(-size, size)},
             {draw.between(-size, size), draw.between(-size, size)}}};
}

void add_rule(Draw& draw, Piece& piece) {
    piece.rule = static_cast<Rule>(draw.below(4));
    // Odd numbers, so that no two events of a system fall together.
    piece.first = draw.between(0.1, 1.5);
    piece.period = draw.between(0.05, 0.3);
    piece.height = draw.between(-1.0, 1.0);
    piece.f = {draw.between(-3.0, 3.0), draw.between(-3.0, 3.0)};
    piece.g = {draw.between(-1.0, 1.0), draw.between(-1.0, 1.0)};
    const double middle = draw.between(-0.5, 0.5);
    piece.high = (middle + 0.2) * piece.scale;
    piece.low = (middle - 0.2) * piece.scale;
    if (piece.rule == Rule::sampled) return;
    // s has the size of the piece; sampled inputs have it already.
    piece.height *= piece.scale;
}

Piece random_piece(Draw& draw, int number, const Ingredients& ingredients) {
    Piece piece;
    piece.name = fmt::format("p{}", number);
    piece.kind =
        all_kinds[static_cast<std::size_t>(draw.below(static_cast<int>(all_kinds.size())))];
    piece.direct = ingredients.loops && draw.chance(0.4);
    if (ingredients.scales && draw.chance(0.3)) piece.scale = std::pow(10.0, draw.between(-6, 6));
    piece.a = dynamics(draw);
    piece.b = square(draw, 1.5);
    piece.c = square(draw, 1.0);
    if (piece.direct) piece.d = square(draw, draw.chance(0.2) ? 2.0 : 0.5);
    piece.start = {draw.between(-1, 1) * piece.scale, draw.between(-1, 1) * piece.scale};
    if (ingredients.events && draw.chance(0.6)) add_rule(draw, piece);
    return piece;
}

/// Rows from 0 to beyond the end; one in three has a triangular pulse of 1 ms.
std::vector<Pair> random_rows(Draw& draw, double scale) {
    std::vector<Pair> rows = {{0.0, 0.0}};
    while (rows.back()[0] < 2.5)
        rows.push_back({rows.back()[0] + draw.between(0.05, 0.8), draw.between(-1, 1) * scale});
    if (draw.chance(0.33)) {
        const double at = draw.between(0.2, 1.5);
        const double height = draw.between(100.0, 300.0) * scale;
        std::erase_if(rows, [&](const Pair& row) { return std::abs(row[0] - at) < 0.01; });
        for (const Pair row : {Pair{at - 0.5e-3, 0.0}, Pair{at, height}, Pair{at + 0.5e-3, 0.0}})
            rows.push_back(row);
        std::ranges::sort(rows);
    }
    return rows;
}

Feed random_feed(Draw& draw, const RandomSystem& system, std::size_t input,
                 const Ingredients& ingredients) {
    Feed feed;
    const double scale = system.pieces[input / 2].scale;
    const double kind = draw.between(0.0, 1.0);
    feed.output = draw.below(2 * static_cast<int>(system.pieces.size()));
    feed.unit = system.pieces[static_cast<std::size_t>(feed.output) / 2].scale;
    feed.gain = draw.between(-1.0, 1.0) * scale;
    if (kind < 0.65) {
        feed.source = Feed::Source::link;
        feed.gain /= feed.unit;
    } else if (kind < 0.75 && ingredients.functions) {
        feed.source = Feed::Source::function;
    } else if (kind < 0.85 && ingredients.tables) {
        feed.source = Feed::Source::table;
        feed.held = draw.chance(0.5);
        feed.rows = random_rows(draw, scale);
    } else if (kind < 0.92 && ingredients.functions) {
        feed.source = Feed::Source::condition;
        feed.at = draw.between(0.1, 1.8);
    }
    return feed;
}

std::string parameters_of(const Piece& piece) {
    std::string text;
    const auto add = [&](const std::string& name, double value) {
        text += fmt::format("{}{} = {:#}", text.empty() ? "" : ", ", name, value);
    };
    const auto add_square = [&](const std::string& name, const Square& m) {
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 2; ++j)
                add(fmt::format("{}{}{}", name, i + 1, j + 1), m[i][j]);
    };
    add_square("a", piece.a);
    add_square("b", piece.b);
    add_square("c", piece.c);
    add_square("d", piece.d);
    for (std::size_t i = 0; i < 2; ++i) {
        add(fmt::format("f{}", i + 1), piece.f[i]);
        add(fmt::format("g{}", i + 1), piece.g[i]);
        add(fmt::format("x{}", i + 1), piece.start[i]);
    }
    text += fmt::format(", rule = {}", static_cast<int>(piece.rule));
    add("first", piece.first);
    add("period", piece.period);
    add("height", piece.height);
    add("high", piece.high);
    add("low", piece.low);
    return text;
}

std::string output_name(const RandomSystem& system, int output) {
    return fmt::format("{}.y{}", system.pieces[static_cast<std::size_t>(output) / 2].name,
                       output % 2 + 1);
}

std::string feed_text(const RandomSystem& system, std::size_t i) {
    const Feed& feed = system.feeds[i];
    const std::string target = fmt::format("{}.u{}", system.pieces[i / 2].name, i % 2 + 1);
    switch (feed.source) {
        case Feed::Source::nothing: return {};
        case Feed::Source::link:
            return fmt::format("[[connections]]\nfrom = \"{}\"\nto = \"{}\"\nfactor = {}\n",
                               output_name(system, feed.output), target, feed.gain);
        case Feed::Source::function:
            return fmt::format(
                "[[functions]]\ntarget = \"{}\"\nexpression = \"{}*sin(a/({}))\"\n"
                "signals = {{ a = \"{}\" }}\n",
                target, feed.gain, feed.unit, output_name(system, feed.output));
        case Feed::Source::table:
            return fmt::format(
                "[[connections]]\nfrom = \"t{}.v\"\nto = \"{}\"\n[subsystems.t{}]\n"
                "source = \"table{}.csv\"\ninterpolation = \"{}\"\n",
                i, target, i, i, feed.held ? "hold" : "linear");
        case Feed::Source::condition:
            return fmt::format("[[sources]]\ntarget = \"{}\"\nexpression = \"t >= {} ? {} : 0\"\n",
                               target, feed.at, feed.gain);
    }
    return {};
}

}  // namespace

bool RandomSystem::has_loop() const {
    const std::size_t count = pieces.size();
    // piece -> piece, where a direct output feeds a direct piece
    std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count, false));
    for (std::size_t i = 0; i < feeds.size(); ++i) {
        const bool carries =
            feeds[i].source == Feed::Source::link || feeds[i].source == Feed::Source::function;
        const std::size_t from = static_cast<std::size_t>(feeds[i].output) / 2;
        if (carries && pieces[from].direct && pieces[i / 2].direct) reaches[from][i / 2] = true;
    }
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < count; ++j)
                if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
    for (std::size_t i = 0; i < count; ++i)
        if (reaches[i][i]) return true;
    return false;
}

bool RandomSystem::all_models() const {
    return std::ranges::none_of(pieces,
                                [](const Piece& piece) { return piece.kind.ends_with("_cs"); });
}

std::string RandomSystem::summary() const {
    constexpr std::array rules = {"", "/time", "/state", "/sampled"};
    constexpr std::array sources = {"nothing", "link", "function", "table", "condition"};
    std::string text;
    for (const Piece& piece : pieces)
        text += fmt::format(" {}{}{}", piece.kind, piece.direct ? "/direct" : "",
                            rules[static_cast<std::size_t>(piece.rule)]);
    for (std::size_t source = 1; source < sources.size(); ++source)
        if (std::ranges::any_of(feeds, [&](const Feed& feed) {
                return feed.source == static_cast<Feed::Source>(source);
            }))
            text += fmt::format(" +{}", sources[source]);
    return text + (has_loop() ? " algebraic loop" : "");
}

std::string RandomSystem::text() const {
    std::string text;
    for (const Piece& piece : pieces)
        text += fmt::format(
            "[subsystems.{}]\n{}parameters = {{ {} }}\n", piece.name,
            source_of(piece.direct ? "HybridDirect" : "HybridStates", piece.kind, TANDEM_ODD_FMUS),
            parameters_of(piece));
    for (std::size_t i = 0; i < feeds.size(); ++i) text += feed_text(*this, i);
    return text;
}

std::string RandomSystem::table_text(int input) const {
    std::string text = "time,v\n";
    for (const Pair& row : feeds[static_cast<std::size_t>(input)].rows)
        text += fmt::format("{},{}\n", row[0], row[1]);
    return text;
}

RandomSystem random_system(std::uint32_t seed, const Ingredients& ingredients) {
    Draw draw(seed);
    RandomSystem system;
    const int count = 2 + draw.below(4);
    const bool models = draw.chance(0.4);
    for (int i = 0; i < count; ++i) {
        system.pieces.push_back(random_piece(draw, i, ingredients));
        if (std::string& kind = system.pieces.back().kind; models && kind.ends_with("_cs"))
            kind = kind.substr(0, 5) + "me";
    }
    for (std::size_t i = 0; i < 2 * system.pieces.size(); ++i)
        system.feeds.push_back(random_feed(draw, system, i, ingredients));
    return system;
}

}  // namespace tandem::test
