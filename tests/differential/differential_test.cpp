#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "differential/random_system.hpp"
#include "differential/reference.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

constexpr double coarse = 0.01;
constexpr double finest = 1e-4;

struct Choice {
    std::string coupling;
    std::vector<std::string> options = {};
    bool says_kinds = true;  ///< false: of FMUs that offer both, which is left to Tandem
};
const std::vector<Choice> choices = {
    {"auto"},         {"auto", {}, false},     {"aggregate"},
    {"jacobi"},       {"jacobi", {"order=1"}}, {"jacobi", {"order=2"}},
    {"gauss_seidel"}, {"iterative"},           {"nepce"},
    {"predictor"},    {"linear_implicit"},     {"lti"},
    {"pre_step"},
};

std::string name_of(const Choice& choice) {
    return choice.coupling + (choice.options.empty() ? "" : " " + choice.options.front()) +
           (choice.says_kinds ? "" : " of kinds");
}

/// What one coupling made of one system with one step.
struct Attempt {
    std::string refusal;  ///< empty: it ran to its end
    std::vector<std::string> warnings;
    /// Mean over time of the distance to the reference by its range, of the worst output: an event
    /// that is seen a step late counts with the length of the step.
    double error = 0.0;
};

/// The last row at each multiple of the coarse step.
std::vector<std::size_t> rows_on_grid(const std::vector<double>& times) {
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < times.size(); ++k) {
        const double place = times[k] / coarse;
        if (std::abs(place - std::round(place)) > 1e-7) continue;
        const auto index = static_cast<std::size_t>(std::lround(place));
        if (index >= rows.size()) rows.resize(index + 1, k);
        rows[index] = k;
    }
    return rows;
}

double error_of(const RandomSystem& system, const Reference& reference, const Columns& columns) {
    const std::vector<std::size_t> rows = rows_on_grid(columns.at("time"));
    if (rows.size() < reference.rows.size()) return std::numeric_limits<double>::infinity();
    double worst = 0.0;
    for (std::size_t i = 0; i < reference.ranges.size(); ++i) {
        const Piece& piece = system.pieces[i / 2];
        const auto& values = columns.at(fmt::format("{}.y{}", piece.name, i % 2 + 1));
        double sum = 0.0;
        for (std::size_t k = 0; k < reference.rows.size(); ++k)
            sum += std::abs(values[rows[k]] - reference.rows[k][i]);
        const double range = std::max(reference.ranges[i], 1e-3 * piece.scale);
        worst = std::max(worst, sum / static_cast<double>(reference.rows.size()) / range);
    }
    return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

/// A person with values of 1e-6 and models without nominals asks for that: absolute tolerances are
/// the tolerance times a nominal of 1, and 1e-8 would be an error of 1 % in outputs of that size.
double tolerance_for(const RandomSystem& system) {
    const double smallest = std::ranges::min(system.pieces, {}, &Piece::scale).scale;
    return 1e-8 * std::clamp(smallest, 1e-4, 1.0);
}

std::string text_of(const RandomSystem& system, bool says_kinds) {
    std::string text = system.text();
    for (const std::string line : {"kind = \"cs\"\n", "kind = \"me\"\n"})
        for (std::size_t at = text.find(line); !says_kinds && at != std::string::npos;
             at = text.find(line))
            text.erase(at, line.size());
    return text;
}

Attempt attempt(const RandomSystem& system, const Reference& reference, const Choice& choice,
                double step) {
    SystemFile file(fmt::format("[experiment]\nstop = {}\nstep = {}\ntolerance = {}\n{}",
                                system.stop, step, tolerance_for(system),
                                text_of(system, choice.says_kinds)));
    for (std::size_t i = 0; i < system.feeds.size(); ++i)
        if (system.feeds[i].source == Feed::Source::table)
            file.add(fmt::format("table{}.csv", i), system.table_text(static_cast<int>(i)));
    run::SystemRunOptions options = file.options();
    options.coupling = choice.coupling;
    options.options = choice.options;
    options.record = {"*.y1", "*.y2"};
    options.threads = 1;
    Attempt result;
    try {
        result.error = error_of(system, reference, numbers_of(file.run_text(options)));
    } catch (const std::runtime_error& error) {
        result.refusal = error.what();
    }
    result.warnings = file.warnings;
    return result;
}

/// Nothing between models of one equation is sampled: what is left is the solver's error of 1e-8,
/// which events and loops amplify. Elsewhere a quarter of the step must leave less than half of the
/// error, as every order from 1 on does with room for events that fall differently into steps,
/// unless it is smaller than such events make it; if not yet, then once steps are short enough for
/// pulses of 1 ms. `errors`: with each a quarter of the step before.
bool is_right(const RandomSystem& system, const Choice& choice, std::span<const double> errors) {
    if (choice.coupling == "aggregate" && system.all_models())
        return std::ranges::max(errors) <= 1e-5;
    const double before = errors[errors.size() - 2];
    return errors.back() <= std::max(2e-4, std::min(0.5 * before, 0.05));
}

/// What excuses a wrong result: a warning that names the cause, and the cause is there.
bool is_told(const RandomSystem& system, const Attempt& attempt) {
    const bool has_events = std::ranges::any_of(
        system.pieces, [](const Piece& piece) { return piece.rule != Rule::none; });
    return std::ranges::any_of(attempt.warnings, [&](const std::string& warning) {
        const auto says = [&](const char* words) {
            return warning.find(words) != std::string::npos;
        };
        return (system.has_loop() && says("algebraic loop")) ||
               (has_events && (says("steps are not cut at events") || says("tells nobody of")));
    });
}

enum class Verdict { right, told, refused, wrong };

struct Judgement {
    Verdict verdict = Verdict::wrong;
    std::vector<double> errors = {};
};

/// Shorter and shorter steps, until it is clear.
Judgement judge(const RandomSystem& system, const Reference& reference, const Choice& choice) {
    Judgement result;
    for (double step = coarse; step > finest; step /= 4.0) {
        const Attempt one = attempt(system, reference, choice, step);
        if (!one.refusal.empty()) return {Verdict::refused, result.errors};
        result.errors.push_back(one.error);
        if (result.errors.size() < 2) continue;
        if (is_right(system, choice, result.errors)) return {Verdict::right, result.errors};
        if (is_told(system, one)) return {Verdict::told, result.errors};
    }
    return result;
}

/// What was run, for the end of ./test differential.
class Tally final : public ::testing::Environment {
public:
    void count(const std::string& coupling, Verdict verdict) {
        ++counts_[coupling][static_cast<std::size_t>(verdict)];
    }
    void count_system(bool solvable) { ++(solvable ? systems_ : without_solution_); }
    void TearDown() override {
        if (systems_ < 2) return;
        fmt::print("\n{} systems, and {} without a solution to compare with\n", systems_,
                   without_solution_);
        fmt::print("{:17}{:>7}{:>7}{:>9}{:>7}\n", "coupling", "right", "told", "refused", "wrong");
        Counts sum{};
        for (const auto& [coupling, counts] : counts_) {
            print(coupling, counts);
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
        }
        print("all", sum);
    }

private:
    using Counts = std::array<int, 4>;
    static void print(const std::string& name, const Counts& counts) {
        fmt::print("{:17}{:7}{:7}{:9}{:7}\n", name, counts[0], counts[1], counts[2], counts[3]);
    }
    int systems_ = 0, without_solution_ = 0;
    std::map<std::string, Counts> counts_;
};
/// Freed by the framework.
Tally& tally() {
    static auto* environment = static_cast<Tally*>(::testing::AddGlobalTestEnvironment(new Tally));
    return *environment;
}
[[maybe_unused]] const Tally& registered = tally();

class RandomSystems : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomSystems, are_right_with_every_coupling_or_it_says_so) {
    const RandomSystem system = random_system(GetParam());
    const Reference reference = reference_solution(system, coarse);
    tally().count_system(reference.solvable);
    if (!reference.solvable) return;
    for (const Choice& choice : choices) {
        const Judgement judgement = judge(system, reference, choice);
        tally().count(name_of(choice), judgement.verdict);
        EXPECT_NE(judgement.verdict, Verdict::wrong)
            << "seed " << GetParam() << ", " << name_of(choice) << ": errors "
            << fmt::format("{:.3g}", fmt::join(judgement.errors, ", "))
            << ", each with a quarter of the step before; " << system.summary();
    }
}

/// ./test runs the first few, ./test differential as many as TANDEM_SYSTEMS says.
std::vector<std::uint32_t> seeds() {
    const char* text = std::getenv("TANDEM_SYSTEMS");
    std::vector<std::uint32_t> all(static_cast<std::size_t>(text ? std::atoi(text) : 20));
    std::iota(all.begin(), all.end(), 1U);
    return all;
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomSystems, ::testing::ValuesIn(seeds()));

TEST(Reference, agrees_with_a_closed_form_across_events) {
    // dx1/dt = -x1 + s, s from 0 to 1 at 0.5: x1(1) = e^-1 + 1 - e^-0.5.
    RandomSystem system;
    Piece piece{.name = "p0", .kind = "native"};
    piece.a = {{{-1.0, 0.0}, {0.0, -1.0}}};
    piece.c = {{{1.0, 0.0}, {0.0, 1.0}}};
    piece.f = {1.0, 0.0};
    piece.start = {1.0, 0.0};
    piece.rule = Rule::time;
    piece.first = 0.5;
    piece.height = 1.0;
    system.pieces = {piece};
    system.feeds.resize(2);
    const Reference reference = reference_solution(system, 0.1);
    EXPECT_NEAR(reference.rows[10][0], std::exp(-1.0) + 1.0 - std::exp(-0.5), 1e-12);
}

}  // namespace
}  // namespace tandem::test
