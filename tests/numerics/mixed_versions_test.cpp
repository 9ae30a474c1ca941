#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::SystemFile;

// A ring of all kinds: x_i' = -x_i + y_(i-1) / 2, y_i = x_i.
constexpr double stop = 3.0;
const std::vector<double> starts = {1.0, -2.0, 3.0, 0.5, -1.5, 2.5, -3.0};

/// The ring is circulant: with the discrete Fourier transform X_k of the start values,
///   x_j(t) = 1/n sum over k of X_k exp(lambda_k t + 2 pi i j k / n),
///   lambda_k = -1 + exp(-2 pi i k / n) / 2.
double exact(std::size_t j, double t) {
    using Complex = std::complex<double>;
    const auto n = static_cast<double>(starts.size());
    const auto root = [&](double power) {
        return std::exp(Complex(0.0, 2.0 * std::numbers::pi * power / n));
    };
    Complex sum = 0.0;
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const auto wave = static_cast<double>(k);
        Complex transformed = 0.0;
        for (std::size_t l = 0; l < starts.size(); ++l)
            transformed += starts[l] * root(-wave * static_cast<double>(l));
        sum += transformed * std::exp((-1.0 + 0.5 * root(-wave)) * t) *
               root(wave * static_cast<double>(j));
    }
    return sum.real() / n;
}

std::string ring() {
    const std::size_t n = starts.size();
    std::string connections, subsystems;
    for (std::size_t i = 0; i < n; ++i) {
        connections += fmt::format("\"s{}.y -> s{}.u\", ", i, (i + 1) % n);
        subsystems += test::subsystem_text(fmt::format("s{}", i), "LinearOde", test::all_kinds[i],
                                           fmt::format("b = 0.5, x = {}", starts[i]));
    }
    return "connections = [" + connections + "]\n" +
           fmt::format("[experiment]\nstop = {}\nstep = 0.01\ntolerance = 1e-9\n", stop) +
           subsystems;
}

double largest_error(const std::string& coupling, int order, double step) {
    SystemFile file(ring());
    run::SystemRunOptions options = file.options();
    options.coupling = coupling;
    options.step = step;
    options.options = {fmt::format("order={}", order)};
    const Columns columns = test::numbers_of(file.run_text(std::move(options)));
    double largest = 0.0;
    for (std::size_t j = 0; j < starts.size(); ++j)
        for (std::size_t k = 0; k < columns.at("time").size(); ++k)
            largest = std::max(largest, std::abs(columns.at(fmt::format("s{}.y", j))[k] -
                                                 exact(j, columns.at("time")[k])));
    return largest;
}

// In the maximum norm the matrix of the ring has the size 3/2 and the solution never grows beyond
// |x(0)|, so the n-th derivative is at most M_n = (3/2)^n |x(0)|. An input that is wrong by e all
// the time makes the solution wrong by at most (e/2) / (1 - 1/2) = e.
const double largest_start = 3.0;
double derivative_bound(int n) { return std::pow(1.5, n) * largest_start; }

class MixedVersions : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Couplings, MixedVersions, ::testing::Values("jacobi", "gauss_seidel"),
                         [](const auto& coupling) { return coupling.param; });

TEST_P(MixedVersions, held_inputs_agree_with_the_formula_within_the_error_of_the_step) {
    // Held for a step, an input is wrong by at most h M_1.
    const double step = 0.01;
    EXPECT_LT(largest_error(GetParam(), 0, step), step * derivative_bound(1));
}

TEST_P(MixedVersions, linear_inputs_agree_with_the_formula_within_the_error_of_the_step) {
    // The line through two points runs away by at most h^2 M_2. Where there is one point yet, or no
    // slope is taken, the mean of the input is right within h^2 M_1 in that step.
    const double step = 0.01;
    EXPECT_LT(largest_error(GetParam(), 1, step),
              step * step * (derivative_bound(1) + derivative_bound(2)));
}

TEST_P(MixedVersions, half_the_step_is_a_quarter_of_the_error_of_linear_inputs) {
    // The next term of the error is of the relative size h, 2 %; solvers add up to 1e-9 / 1e-5.
    EXPECT_NEAR(largest_error(GetParam(), 1, 0.02) / largest_error(GetParam(), 1, 0.01), 4.0, 0.3);
}

}  // namespace
}  // namespace tandem
