#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// A ring y_i = x_i + d_i y_(i-1), x' = 0, with its solution and the condition of that.
struct Ring {
    std::vector<double> x, d;
    std::vector<long double> y;
    double gain = 0.0;       ///< the product of all d
    double condition = 1.0;  ///< the largest |M^-1| (|y| + |D L y|) / |y|

    std::size_t before(std::size_t i) const { return (i + x.size() - 1) % x.size(); }
};

/// Around the ring once, y_i = c + p y_i, so y_i = c / (1 - p): each for itself, since an error of
/// one would be multiplied by gains on its way to the next.
void solve(Ring& ring) {
    const std::size_t n = ring.x.size();
    long double p = 1.0L;
    for (const double d : ring.d) p *= d;
    for (std::size_t i = 0; i < n; ++i) {
        long double c = 0.0L;
        for (std::size_t k = i + 1; k <= i + n; ++k) c = ring.x[k % n] + ring.d[k % n] * c;
        ring.y.push_back(c / (1.0L - p));
    }
    for (std::size_t i = 0; i < n; ++i) {
        long double sum = 0.0L;
        for (std::size_t j = 0; j < n; ++j) {
            long double way = 1.0L;  // (M^-1)_ij is the gain from j to i by 1 - p
            for (std::size_t k = j; k != i;) way *= ring.d[k = (k + 1) % n];
            sum += std::abs(way / (1.0L - p)) *
                   (std::abs(ring.y[j]) + std::abs(ring.d[j] * ring.y[ring.before(j)]));
        }
        ring.condition = std::max(ring.condition, static_cast<double>(sum / std::abs(ring.y[i])));
    }
}

/// Gains of 1e-6 to 1e8, values of 1e-10 to 1e10 that differ by up to six powers inside the ring.
Ring random_ring(unsigned seed) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
        return std::uniform_real_distribution(low, high)(random);
    };
    const auto sign = [&] { return between(-1.0, 1.0) < 0.0 ? -1.0 : 1.0; };
    Ring ring;
    ring.gain = std::pow(10.0, between(-6.0, 8.0)) * sign();
    if (std::abs(ring.gain - 1.0) < 0.2) ring.gain = 2.0;
    const auto n = static_cast<std::size_t>(between(2.0, 4.999));
    const double scale = std::pow(10.0, between(-10.0, 10.0));
    std::vector<double> sizes;
    for (std::size_t i = 0; i < n; ++i) sizes.push_back(scale * std::pow(10.0, between(-3.0, 3.0)));
    ring.x.resize(n);
    double product = 1.0;
    for (std::size_t i = 0; i < n; ++i) {
        ring.d.push_back(std::pow(10.0, between(-1.0, 1.0)) * sizes[i] / sizes[ring.before(i)]);
        product *= ring.d[i];
    }
    ring.d[seed % n] *= ring.gain / product;
    std::vector<double> y;
    for (const double size : sizes) y.push_back(size * between(0.5, 1.5) * sign());
    for (std::size_t i = 0; i < n; ++i) ring.x[i] = y[i] - ring.d[i] * y[ring.before(i)];
    solve(ring);
    return ring;
}

std::string text_of(const Ring& ring, const std::string& kind, const std::string& coupling) {
    std::string connections, subsystems;
    for (std::size_t i = 0; i < ring.x.size(); ++i) {
        connections += fmt::format("\"s{}.y -> s{}.u\", ", ring.before(i), i);
        subsystems +=
            subsystem_text(fmt::format("s{}", i), "LinearOde", kind,
                           fmt::format("a = 0.0, b = 0.0, c = 1.0, x = {:.17e}, d = {:.17e}",
                                       ring.x[i], ring.d[i]));
    }
    return fmt::format(
        "connections = [{}]\n[experiment]\nstop = 0.2\nstep = 0.1\n[coupling]\nmethod = \"{}\"\n{}",
        connections, coupling, subsystems);
}

/// In all rows, in units of what rounding errors may do: condition times epsilon.
double largest_error(const Ring& ring, const Columns& columns) {
    long double largest = 0.0L;
    for (std::size_t i = 0; i < ring.x.size(); ++i)
        for (const double y : columns.at(fmt::format("s{}.y", i)))
            largest = std::max(largest, std::abs((y - ring.y[i]) / ring.y[i]));
    return static_cast<double>(largest) / (ring.condition * epsilon);
}

struct Case {
    std::string coupling, kind;
};

class RandomLoops : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Kinds, RandomLoops,
    ::testing::Values(Case{"aggregate", "native"}, Case{"aggregate", "fmi1_me"},
                      Case{"aggregate", "fmi2_me"}, Case{"aggregate", "fmi3_me"},
                      Case{"iterative", "native"}, Case{"iterative", "fmi2_me"},
                      Case{"iterative", "fmi2_cs"}, Case{"iterative", "fmi3_cs"}),
    [](const auto& of) { return of.param.coupling + "_" + of.param.kind; });

// Nothing in these files says how large values are. A few dozen operations on each value, and the
// rounding of the printed figures, stay below a hundred units.
TEST_P(RandomLoops,
       are_exact_up_to_their_condition_whatever_their_gain_and_the_size_of_their_values) {
    for (unsigned seed = 0; seed < 25; ++seed) {
        const Ring ring = random_ring(seed);
        SystemFile file(text_of(ring, GetParam().kind, GetParam().coupling));
        EXPECT_LT(largest_error(ring, file.run()), 100.0)
            << "seed " << seed << ", gain " << ring.gain << ", condition " << ring.condition;
    }
}

class FirstRowOfRandomLoops : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, FirstRowOfRandomLoops, ::testing::ValuesIn(all_kinds),
                         [](const auto& of) { return of.param; });

TEST_P(FirstRowOfRandomLoops, is_exact_up_to_their_condition) {
    for (unsigned seed = 100; seed < 115; ++seed) {
        const Ring ring = random_ring(seed);
        SystemFile file(text_of(ring, GetParam(), "jacobi"));
        Columns columns = file.run();
        for (auto& [name, values] : columns) values.resize(1);
        EXPECT_LT(largest_error(ring, columns), 100.0)
            << "seed " << seed << ", gain " << ring.gain << ", condition " << ring.condition;
    }
}

/// u and y of an amplifier whose output is fed back: y = gain (u - y).
TEST_P(FirstRowOfRandomLoops, of_a_follower_with_a_gain_of_a_hundred_million_shows_its_input) {
    const double gain = 1e8;
    Ring ring;
    ring.x = {0.7 * (1.0 + gain), 0.0};
    ring.d = {-gain, 1.0};
    solve(ring);
    SystemFile file(text_of(ring, GetParam(), "jacobi"));
    EXPECT_NEAR(file.run().at("s0.y").front(), 0.7, 1e-15);
}

class UndeterminedLoops : public ::testing::TestWithParam<Case> {};
std::vector<Case> couplings_that_solve_loops() {
    std::vector<Case> cases;
    for (const std::string& kind : all_kinds)
        for (const std::string coupling :
             {"aggregate", "iterative", "predictor", "linear_implicit"}) {
            const bool can_roll_back = !kind.starts_with("fmi1");
            const bool is_model = !kind.ends_with("_cs");
            if (coupling == "iterative" ? can_roll_back : is_model)
                cases.push_back({coupling, kind});
        }
    return cases;
}
INSTANTIATE_TEST_SUITE_P(Kinds, UndeterminedLoops,
                         ::testing::ValuesIn(couplings_that_solve_loops()),
                         [](const auto& of) { return of.param.coupling + "_" + of.param.kind; });

std::string refusal_of(SystemFile& file) {
    try {
        file.run();
    } catch (const NumericsError& error) {
        return error.what();
    }
    return {};
}

// y_0 = y_1 and y_1 = y_0; also with a state beside them that adds rounding errors.
TEST_P(UndeterminedLoops, are_refused_with_their_variables) {
    for (const double x : {0.0, 0.3}) {
        Ring ring;
        ring.x = {x, -x / 7.0};
        ring.d = {7.0, 1.0 / 7.0};
        SystemFile file(text_of(ring, GetParam().kind, GetParam().coupling));
        const std::string refusal = refusal_of(file);
        EXPECT_THAT(refusal, HasSubstr("is singular")) << x;
        EXPECT_THAT(refusal, HasSubstr("s0.")) << x;
        EXPECT_THAT(refusal, HasSubstr("s1.")) << x;
    }
}

}  // namespace
}  // namespace tandem::test
