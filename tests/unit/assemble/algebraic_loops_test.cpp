#include "assemble/algebraic_loops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "coupling/explicit/explicit.hpp"
#include "run/watch/delayed_loops.hpp"
#include "support/mock_subsystem.hpp"

namespace tandem::assemble {
namespace {

/// y_i = 0.1 u_{i-1} + 0.3 u_i + 0.1 u_{i+1}
class Band final : public test::StubSubsystem {
public:
    explicit Band(std::size_t size)
        : StubSubsystem("band", size, size, {.variable_step = true}), u_(size) {
        for (int i = 0; i < static_cast<int>(size); ++i)
            for (const int j : {i - 1, i, i + 1})
                if (j >= 0 && j < static_cast<int>(size)) interface_.feed_through.push_back({i, j});
    }
    void set_inputs(const InputCourse& course) override {
        std::ranges::copy(course.values, u_.begin());
    }
    StepResult step(Interval interval) override { return {Outcome::complete, interval.end}; }
    void get_outputs(std::span<double> y) override {
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] = 0.3 * u_[i] +
                   0.1 * ((i > 0 ? u_[i - 1] : 0.0) + (i + 1 < y.size() ? u_[i + 1] : 0.0));
    }

private:
    std::vector<double> u_;
};

System band_with_feedback(std::size_t size) {
    std::vector<std::unique_ptr<Subsystem>> parts;
    parts.push_back(std::make_unique<Band>(size));
    std::vector<Link> links;
    for (int i = 0; i < static_cast<int>(size); ++i) links.push_back({.output = i, .input = i});
    return {std::move(parts), std::move(links)};
}

// 0.3 + 0.2 cos(k pi / (n + 1)), k = 1 .. n
double exact_radius(std::size_t size) {
    return 0.3 + 0.2 * std::cos(std::numbers::pi / (static_cast<double>(size) + 1.0));
}

TEST(AlgebraicLoops, have_the_spectral_radius_of_their_jacobian) {
    for (const std::size_t size : {1U, 2U, 7U, 60U}) {
        System system = band_with_feedback(size);
        const std::vector<AlgebraicLoop> loops = linearise_loops(system, 0.0);
        ASSERT_EQ(loops.size(), 1U);
        EXPECT_NEAR(loops[0].spectral_radius(), exact_radius(size), 1e-7) << size;
    }
}

// All eigenvalues of a dense matrix of that size take 1e12 operations.
TEST(AlgebraicLoops, of_thousands_of_variables_are_sparse) {
    System system = band_with_feedback(5000);
    const std::vector<AlgebraicLoop> loops = linearise_loops(system, 0.0);
    ASSERT_EQ(loops.size(), 1U);
    EXPECT_EQ(loops[0].feed_through.size(), 3U * 5000U - 2U);
    EXPECT_EQ(loops[0].links.size(), 5000U);
    // The largest eigenvalues are 1e-7 apart: an estimate.
    EXPECT_NEAR(loops[0].gain, exact_radius(5000), 1e-3);
    coupling::Explicit jacobi({});
    const std::vector<double> growths = run::growth_per_step(system, loops, jacobi);
    EXPECT_NEAR(growths.at(0), exact_radius(5000), 1e-2);
}

}  // namespace
}  // namespace tandem::assemble
