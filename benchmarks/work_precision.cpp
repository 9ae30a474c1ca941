// Work against precision: two hydraulic lines that exchange power, by coupling and macro step.
// Writes work_precision.csv and .svg into the folder given.
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "coupling/explicit/explicit.hpp"
#include "coupling/explicit/nepce.hpp"
#include "coupling/iterative/iterative.hpp"
#include "coupling/network/pre_step.hpp"
#include "coupling/network/stabilised.hpp"
#include "figure.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::Coupling;
using report::Column;
using test::CoupledRun;
using test::Samples;

constexpr double us = 1e-6;
constexpr double stop = 0.2;
constexpr double grid = 1.0 * us;  // all macro steps are multiples of it
/// Beyond this the run is lost: the swing of the pressure itself is some 30 bar.
constexpr double worst_error = 10.0;

struct Method {
    std::string name;
    std::vector<double> steps;  ///< in microseconds
    std::function<std::unique_ptr<Coupling>()> make;
};

template <class Kind, class Options>
std::function<std::unique_ptr<Coupling>()> maker(Options options) {
    return [options] { return std::make_unique<Kind>(options); };
}

std::vector<Method> methods() {
    using coupling::Explicit;
    using coupling::ExplicitOptions;
    using coupling::Stabilised;
    const std::vector<double> long_steps = {25, 50, 100, 200, 400};
    coupling::StabilisedOptions derivative, value, lti, mean;
    derivative.law = value.law = coupling::StabilisedLaw::neighbours;
    value.neighbours = {coupling::NeighbourForm::value, 0.5};
    lti.law = coupling::StabilisedLaw::network;
    mean.inputs = coupling::PredictedForm::mean;
    coupling::IterativeOptions iterative;
    iterative.cycles.solver.tolerance = 1e-6;
    return {
        {"jacobi", {1, 2, 5}, maker<Explicit>(ExplicitOptions{})},
        {"jacobi, order 1", {5, 10, 20, 25, 40, 50}, maker<Explicit>(ExplicitOptions{.order = 1})},
        {"gauss_seidel",
         {10, 25, 50, 100, 200},
         maker<Explicit>(ExplicitOptions{.sweep = coupling::Sweep::gauss_seidel})},
        {"nepce", {5, 10, 20, 25, 40}, maker<coupling::Nepce>(coupling::NepceOptions{})},
        {"iterative", {10, 25, 50, 100, 200}, maker<coupling::Iterative>(iterative)},
        {"linear_implicit, deriv", {10, 25, 50, 100, 125}, maker<Stabilised>(derivative)},
        {"linear_implicit, value trapezoidal", {10, 25, 50, 100, 125}, maker<Stabilised>(value)},
        {"lti", long_steps, maker<Stabilised>(lti)},
        {"predictor, mean", long_steps, maker<Stabilised>(mean)},
        {"predictor", long_steps, maker<Stabilised>(coupling::StabilisedOptions{})},
        {"pre_step", long_steps, maker<coupling::PreStep>(coupling::PreStepOptions{})}};
}

struct Point {
    double seconds = 0.0;  ///< of the machine for one simulated
    double error = 0.0;    ///< root mean square of p1 in bar
};

Point measure(const Method& method, double h, const Samples& exact) {
    CoupledRun run(test::viel_hydraulic(), method.make());
    const long steps = std::lround(stop / (h * us));
    const auto begin = std::chrono::steady_clock::now();
    const Samples samples = test::sample(run, h * us, steps);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    double sum = 0.0;
    for (long k = 0; k <= steps; ++k)
        sum += std::pow(samples(0, k) - exact(0, k * std::lround(h * us / grid)), 2);
    return {seconds / stop, std::sqrt(sum / static_cast<double>(steps + 1))};
}

}  // namespace

void draw(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto whole = test::aggregated(test::viel_hydraulic().solve(ode::Method::dopri5, 1e-10));
    const Samples exact = test::sample(*whole, grid, std::lround(stop / grid));
    const std::vector<Method> all = methods();
    std::vector<Column> columns = {{"lg of seconds for one simulated", "", {}}};
    for (const Method& method : all) columns.push_back({method.name, "lg bar", {}});
    for (std::size_t m = 0; m < all.size(); ++m)
        for (const double h : all[m].steps) {
            Point best = measure(all[m], h, exact);
            for (int repeat = 0; repeat < 2; ++repeat)
                best.seconds = std::min(best.seconds, measure(all[m], h, exact).seconds);
            fmt::print("{:36} {:5g} us  {:10.4g} bar  {:8.4f} s\n", all[m].name, h, best.error,
                       best.seconds);
            if (!(best.error < worst_error)) continue;
            columns[0].values.push_back(std::log10(best.seconds));
            for (std::size_t i = 0; i < all.size(); ++i)
                columns[i + 1].values.push_back(i == m ? std::log10(best.error) : none);
        }
    report::ChartOptions options;
    options.title = "Two hydraulic lines: lg of the error of the pressure against work";
    options.x_label = "lg of seconds for one simulated second";
    options.panel_height = 560.0;
    write_figure(folder / "work_precision", columns, options);
}

}  // namespace tandem

int main(int count, char** arguments) { tandem::draw(count > 1 ? arguments[1] : "."); }
