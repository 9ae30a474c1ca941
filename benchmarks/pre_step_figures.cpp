// The figures of pre-step stabilisation: a pendulum and a mass with a stiff spring between them,
// linear, solved by Euler's method. Writes tables and pictures into the folder given:
//   error_1e-4, error_5e-5   the error over the macro step, with solver steps of 0.1 and 0.05 ms
//   speed_5ms, speed_60ms    the pendulum's angular velocity over time
#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "coupling/explicit/explicit.hpp"
#include "coupling/explicit/nepce.hpp"
#include "coupling/network/pre_step.hpp"
#include "figure.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using report::Column;
using test::CoupledRun;
using test::Samples;
using test::Scenario;

constexpr double stop = 1.0;
constexpr double longest = 0.2;
constexpr int steps_per_decade = 16;
/// What is worse is off the chart.
constexpr double worst_error = 100.0;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Method {
    std::string name;
    std::function<std::unique_ptr<coupling::Coupling>()> make;
};

std::unique_ptr<coupling::Coupling> pre_step(coupling::PreStepInputs inputs) {
    coupling::PreStepOptions options;
    options.optimisation = inputs;
    return std::make_unique<coupling::PreStep>(options);
}

std::vector<Method> methods() {
    using coupling::Nepce;
    using coupling::NepceOptions;
    return {
        {"held (jacobi)",
         [] { return std::make_unique<coupling::Explicit>(coupling::ExplicitOptions{}); }},
        {"nepce", [] { return std::make_unique<Nepce>(NepceOptions{}); }},
        {"nepce anti_aliasing",
         [] { return std::make_unique<Nepce>(NepceOptions{.order = 0, .anti_aliasing = true}); }},
        {"pre_step terminal", [] { return pre_step(coupling::PreStepInputs::terminal); }},
        {"pre_step linear", [] { return pre_step(coupling::PreStepInputs::linear); }}};
}

Scenario scenario_with(double micro) {
    return test::pendulum_oscillator(true).solve(ode::Method::euler, micro);
}

/// All outputs after each step of the solvers; empty if the run broke down.
Samples micro_run(const Method& method, double micro, double h) {
    try {
        CoupledRun run(scenario_with(micro), method.make());
        const Eigen::VectorXd start = run.outputs();
        test::sample(run, h, static_cast<long>(std::ceil(stop / h - 1e-6)));
        return test::micro_samples(run, start).leftCols(std::lround(stop / micro) + 1);
    } catch (const std::exception&) {
        return {};
    }
}

Samples reference(double micro) {
    CoupledRun run(scenario_with(micro), methods().front().make());
    return test::exact_samples(test::linear_network(run), micro, std::lround(stop / micro));
}

void draw_errors(const std::filesystem::path& folder, double micro) {
    const Samples exact = reference(micro);
    std::vector<Column> columns = {{"log10 of the macro step", "", {}}};
    for (const Method& method : methods()) columns.push_back({method.name, "log10", {}});
    double last = 0.0;
    for (int k = 0;; ++k) {
        const double wanted = micro * std::pow(10.0, static_cast<double>(k) / steps_per_decade);
        const double h = micro * std::round(wanted / micro);
        if (h > longest) break;
        if (h == last) continue;
        last = h;
        columns[0].values.push_back(std::log10(h));
        for (std::size_t m = 0; m < methods().size(); ++m) {
            const Samples run = micro_run(methods()[m], micro, h);
            const double error = run.size() > 0 ? test::largest_error(run, exact) : none;
            columns[m + 1].values.push_back(error < worst_error ? std::log10(error) : none);
        }
    }
    report::ChartOptions options;
    options.title =
        fmt::format("log10 of the largest error until 1 s, Euler steps of {:g} ms", micro * 1e3);
    options.x_label = "log10 of the macro step in s";
    options.panel_height = 480.0;
    write_figure(folder / fmt::format("error_{}", micro == 1e-4 ? "1e-4" : "5e-5"), columns,
                 options);
}

/// With steps of 60 ms only what stays on the chart is drawn.
void draw_speeds(const std::filesystem::path& folder, double h) {
    constexpr double micro = 1e-4;
    const Samples exact = reference(micro);
    const auto row = [](const Samples& samples) {
        const Eigen::VectorXd values = samples.row(1);
        return std::vector<double>(values.begin(), values.end());
    };
    std::vector<Column> columns = {{"time", "s", {}}, {"exact", "rad/s", row(exact)}};
    for (Eigen::Index k = 0; k < exact.cols(); ++k)
        columns[0].values.push_back(micro * static_cast<double>(k));
    const double largest = exact.row(1).cwiseAbs().maxCoeff();
    for (const Method& method : methods()) {
        const Samples run = micro_run(method, micro, h);
        if (run.size() > 0 && run.row(1).cwiseAbs().maxCoeff() < 4.0 * largest)
            columns.push_back({method.name, "rad/s", row(run)});
    }
    report::ChartOptions options;
    options.title = fmt::format("Angular velocity of the pendulum, steps of {:g} ms", h * 1e3);
    options.panel_height = 420.0;
    write_figure(folder / fmt::format("speed_{:g}ms", h * 1e3), columns, options);
}

}  // namespace

void draw_all(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    for (const double micro : {1e-4, 5e-5}) draw_errors(folder, micro);
    for (const double h : {5e-3, 6e-2}) draw_speeds(folder, h);
    fmt::print("{}: error_1e-4, error_5e-5, speed_5ms, speed_60ms as .csv and .svg\n",
               folder.string());
}

}  // namespace tandem

int main(int count, char** arguments) { tandem::draw_all(count > 1 ? arguments[1] : "."); }
