#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tandem::test {

using Pair = std::array<double, 2>;
using Square = std::array<Pair, 2>;

/// When the discrete variable of a part changes; see models/hybrid_piece.hpp.
enum class Rule { none, time, state, sampled };

/// One subsystem of the family dx/dt = A x + B u + f s, y = C x + D u + g s.
struct Piece {
    std::string name;
    std::string kind;  ///< as in all_kinds
    bool direct = false;
    Square a{}, b{}, c{}, d{};
    Pair f{}, g{}, start{};
    Rule rule = Rule::none;
    double first = 0.0, period = 1.0, height = 0.0, high = 0.0, low = 0.0;
    double scale = 1.0;  ///< size of its states, inputs and outputs
};

/// Input `input` of piece `piece`, counted over the system: 2 piece + input.
struct Feed {
    enum class Source { nothing, link, function, table, condition };
    Source source = Source::nothing;
    int output = 0;  ///< of a link or function, counted likewise
    double gain = 0.0;
    double unit = 1.0;  ///< of a function: size of its signal
    // A table: rows of time and value, held or joined by lines. A condition: t >= at ? gain : 0.
    std::vector<Pair> rows = {};
    bool held = false;
    double at = 0.0;
};

/// A random system of a family whose solution can be had without Tandem.
struct RandomSystem {
    std::vector<Piece> pieces;
    std::vector<Feed> feeds;  ///< of each input
    double stop = 2.0;

    bool has_loop() const;    ///< algebraic, by structure
    bool all_models() const;  ///< no piece is a Co-Simulation FMU
    /// In a line: kinds, rules, sources of inputs.
    std::string summary() const;
    /// The system file without [experiment] and [coupling]; tables are named table<input>.csv.
    std::string text() const;
    std::string table_text(int input) const;
};

/// What a system of the family may contain.
struct Ingredients {
    bool events = true, loops = true, tables = true, functions = true, scales = true;
};

RandomSystem random_system(std::uint32_t seed, const Ingredients& ingredients = {});

}  // namespace tandem::test
