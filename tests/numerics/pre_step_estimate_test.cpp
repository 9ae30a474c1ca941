// The estimate of pre_step's own error, asked for or by default, does no harm: over random systems
// of every shape that the pieces can have, the error is about that without the estimate, or less.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/system_file.hpp"

namespace tandem::test {
namespace {

constexpr double stop = 4.0, step = 0.05;

/// Members of a ring. The first one has no feed-through, so that there is no algebraic loop.
class RandomRing {
public:
    explicit RandomRing(unsigned seed) : random_(seed) {
        const int count = 2 + static_cast<int>(random_() % 3);
        for (int i = 0; i < count; ++i) add_member(i);
        for (int i = 0; i < count; ++i)
            connections_ += fmt::format("[[connections]]\nfrom = \"s{}.y\"\nto = \"s{}.u\"\n", i,
                                        (i + 1) % count);
    }
    std::string text(const std::string& kind) const {
        std::string text = fmt::format(
            "[experiment]\nstop = {}\nstep = {}\ntolerance = 1e-11\n[record]\nvariables = "
            "[\"*.x\"]\n",
            stop, step);
        const std::string solver =
            kind == "native" ? "solver = \"dopri5\"\ntolerance = 1e-11\n" : "";
        for (std::size_t i = 0; i < models_.size(); ++i)
            text +=
                fmt::format("[subsystems.s{}]\n{}{}parameters = {{ {} }}\n", i,
                            source_of(models_[i], kind, TANDEM_ODD_FMUS), solver, parameters_[i]);
        return text + connections_;
    }

private:
    double between(double low, double high) {
        return low + (high - low) * static_cast<double>(random_()) / 4294967295.0;
    }
    bool chance(double part) { return between(0.0, 1.0) < part; }

    void add_member(int number) {
        std::string p = fmt::format("a = {}, b = {}, c = {}, x = {}", -between(0.2, 2.0),
                                    (chance(0.5) ? 1.0 : -1.0) * between(0.5, 2.0),
                                    between(0.5, 1.5), between(-1.0, 1.0));
        const auto bend = [&](const char* name, double most) {
            if (chance(0.4)) p += fmt::format(", {} = {}", name, between(0.0, most));
        };
        bend("bend", 1.0);
        bend("curve", 0.5);
        bend("drive", 2.0);
        bend("swing", 1.0);
        const bool is_direct = number > 0 && chance(0.5);
        if (is_direct) p += fmt::format(", d = {}", between(-0.5, 0.5));
        if (is_direct) bend("direct_curve", 0.3);
        models_.push_back(is_direct ? "BentDirect" : "BentState");
        parameters_.push_back(p);
    }

    std::mt19937 random_;
    std::vector<std::string> models_, parameters_;
    std::string connections_;
};

Columns run_of(const std::string& text, const std::string& coupling,
               const std::vector<std::string>& chosen) {
    SystemFile file(text);
    run::SystemRunOptions options = file.options();
    options.coupling = coupling;
    options.options = chosen;
    return numbers_of(file.run_text(options));
}

double distance(const Columns& exact, const Columns& run) {
    double largest = 0.0;
    for (const auto& [name, values] : exact)
        for (std::size_t k = 0; k < values.size(); ++k)
            largest = std::max(largest, std::abs(values[k] - run.at(name)[k]));
    return largest;
}

class PreStepEstimate : public ::testing::TestWithParam<std::string> {};

// Where both are of one order their constants differ: twice the error, and that of the solvers.
TEST_P(PreStepEstimate, does_no_harm_to_random_systems) {
    const double noise = GetParam() == "native" ? 1e-9 : 1e-7;
    for (unsigned seed = 0; seed < 12; ++seed) {
        const RandomRing ring(seed);
        const Columns exact = run_of(ring.text("native"), "aggregate", {});
        for (const std::string form :
             {"linear", "mean", "interpolated", "terminal", "variational", "variational_linear"}) {
            const std::string inputs = "optimisation=" + form;
            const auto error = [&](const std::string& estimate) {
                const Columns run =
                    run_of(ring.text(GetParam()), "pre_step", {inputs, "error=" + estimate});
                return distance(exact, run);
            };
            const double without = error("off");
            for (const std::string estimate : {"automatic", "on"})
                EXPECT_LT(error(estimate), 2.0 * without + noise)
                    << seed << " " << form << " " << estimate;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PreStepEstimate, ::testing::Values("native", "fmi2_cs"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace tandem::test
