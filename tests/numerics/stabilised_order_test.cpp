// Orders that couplings with linear models claim for a system are those that they reach there.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "assemble/prepare_system.hpp"
#include "run/initialise.hpp"
#include "support/system_file.hpp"
#include "tandem/extend/options.hpp"

namespace tandem::test {
namespace {

/// Subsystems and what is between them.
struct Structure {
    std::string name, text;
    double stop, step;
};

std::string mass_text(const std::string& name, const std::string& parameters) {
    return subsystem_text(name, "TlmMass", "native", parameters) +
           "solver = \"dopri5\"\ntolerance = 1e-12\n";
}

/// Two masses on springs of their own, with a force between them that is f of their distance.
Structure pair(const std::string& name, const std::string& force) {
    std::string text = mass_text("a", "m = 1, k = 100, d = 1, x = 0.1") +
                       mass_text("b", "m = 2, k = 100, d = 1, v = 0.3");
    for (const auto& [to, from] :
         std::vector<std::pair<std::string, std::string>>{{"a", "b"}, {"b", "a"}})
        text += fmt::format(
            "[[functions]]\ntarget = \"{0}.F\"\nexpression = \"{2}\"\nsignals = {{ p = \"{1}.x\", "
            "q = \"{0}.x\", v = \"{1}.v\", w = \"{0}.v\" }}\n",
            to, from, force);
    return {name, text, 1.0, 0.01};
}

/// Three in a ring, with these gains from input to output.
Structure ring(const std::string& name, const std::array<double, 3>& direct) {
    const std::array<std::string, 3> states = {"a = -1, b = 2, c = 1.5, x = 1",
                                               "a = -2, b = -1.5, c = 1, x = 0.3",
                                               "a = -0.5, b = 1, c = 2, x = -0.4"};
    std::string text;
    for (std::size_t i = 0; i < 3; ++i)
        text += subsystem_text(fmt::format("s{}", i), "LinearOde", "native",
                               fmt::format("{}, d = {}", states[i], direct[i])) +
                "solver = \"dopri5\"\ntolerance = 1e-12\n" +
                fmt::format("[[connections]]\nfrom = \"s{}.y\"\nto = \"s{}.u\"\n", i, (i + 1) % 3);
    return {name, text, 2.0, 0.05};
}

/// Three masses, each pushed by the place of the one before.
Structure masses_in_a_ring() {
    std::string text;
    for (int i = 0; i < 3; ++i)
        text += mass_text(fmt::format("s{}", i),
                          fmt::format("m = 1, k = 60, d = 1, x = {}", 0.4 - 0.3 * i)) +
                fmt::format(
                    "[[connections]]\nfrom = \"s{}.x\"\nto = \"s{}.F\"\nfactor = "
                    "40\nsuppress_unit_conversion = true\n",
                    i, (i + 1) % 3);
    return {"ring of masses", text, 1.0, 0.02};
}

std::vector<Structure> structures() {
    return {pair("linear pair", "100*(p-q) + 2*(v-w)"),
            pair("bent spring", "100*(p-q)*(1 + 30*(p-q)^2) + 2*(v-w)"), masses_in_a_ring(),
            ring("ring", {0.0, 0.0, 0.0}), ring("ring with feedthrough", {0.0, 0.5, 0.0})};
}

run::SystemRunOptions options_of(const SystemFile& file, const std::string& method,
                                 const std::vector<std::string>& options) {
    run::SystemRunOptions run = file.options();
    run.coupling = method;
    run.options = options;
    return run;
}

/// The largest distance from the run as one equation, which is as good as its solver.
double error(const Structure& structure, const std::string& method,
             const std::vector<std::string>& options, double step) {
    SystemFile file(fmt::format("[experiment]\nstop = {}\nstep = {}\ntolerance = 1e-12\n[record]\n"
                                "variables = [\"*.x\"]\n",
                                structure.stop, step) +
                    structure.text);
    const Columns exact = numbers_of(file.run_text(options_of(file, "aggregate", {})));
    const Columns run = numbers_of(file.run_text(options_of(file, method, options)));
    double largest = 0.0;
    for (const auto& [name, values] : exact)
        for (std::size_t k = 0; k < values.size(); ++k)
            largest = std::max(largest, std::abs(values[k] - run.at(name)[k]));
    return largest;
}

/// As the coupling says of this system.
int claimed(const Structure& structure, const std::string& method,
            const std::vector<std::string>& options) {
    SystemFile file(
        fmt::format("[experiment]\nstop = {}\nstep = {}\n", structure.stop, structure.step) +
        structure.text);
    assemble::PrepareOptions preparing;
    preparing.assemble.coupling.method = method;
    for (const std::string& option : options)
        preparing.assemble.coupling.options.push_back(parse_option(option, "test"));
    assemble::PreparedSystem prepared =
        assemble::prepare_system(file.in_folder("system.toml"), preparing);
    System& system = *prepared.assembly.system;
    run::initialise(system, {0.0, structure.stop, 1e-12}, prepared.assembly.typed_links.get());
    prepared.assembly.coupling->prepare(system, 0.0);
    return prepared.assembly.coupling->traits().order;
}

// Where more is reached than claimed, as on linear systems, that is no harm: step control is on the
// safe side then.
TEST(StabilisedOrders, are_reached_by_every_form_on_every_structure) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> forms = {
        {"predictor", {}},
        {"predictor", {"inputs=mean"}},
        {"lti", {}},
        {"linear_implicit", {}},
        {"linear_implicit", {"rule=trapezoidal"}},
        {"linear_implicit", {"form=frozen"}},
        {"linear_implicit", {"form=value", "rule=trapezoidal"}},
        {"pre_step", {}},
        {"pre_step", {"error=off"}},
        {"pre_step", {"optimisation=terminal", "error=off"}},
        {"pre_step", {"optimisation=variational"}},
        {"pre_step", {"optimisation=variational", "error=off"}},
        {"pre_step", {"optimisation=variational_linear"}},
        {"pre_step", {"optimisation=variational_linear", "error=off"}}};
    for (const Structure& structure : structures())
        for (const auto& [method, options] : forms) {
            SCOPED_TRACE(structure.name + ", " + method + " " +
                         (options.empty() ? "" : options.front()));
            const double coarse = error(structure, method, options, structure.step);
            const double fine = error(structure, method, options, structure.step / 2.0);
            if (coarse < 1e-9) continue;  // exact but for the solvers
            EXPECT_GT(std::log2(coarse / fine), claimed(structure, method, options) - 0.25);
        }
}

TEST(StabilisedOrders, are_two_where_neighbours_feed_third_parties_through) {
    EXPECT_EQ(claimed(masses_in_a_ring(), "linear_implicit", {}), 3);
    EXPECT_EQ(claimed(ring("", {0.0, 0.5, 0.0}), "linear_implicit", {}), 2);
    EXPECT_EQ(claimed(ring("", {0.0, 0.5, 0.0}), "lti", {}), 3);
}

TEST(StabilisedOrders, are_two_where_coupling_functions_are_bent) {
    for (const std::string method : {"predictor", "lti", "linear_implicit", "pre_step"}) {
        EXPECT_EQ(claimed(pair("", "100*(p-q) + 2*(v-w)"), method, {}), 3) << method;
        EXPECT_EQ(claimed(pair("", "100*(p-q)^3 + 2*(v-w)"), method, {}), 2) << method;
        EXPECT_EQ(claimed(pair("", "sin(9*t) - p + v + q + w"), method, {}), 2) << method;
    }
}

// With an order too high the estimated error would be 7/3 times too small.
TEST(StabilisedOrders, keep_the_tolerance_of_step_control) {
    const Structure structure = ring("", {0.0, 0.5, 0.0});
    const std::string text = fmt::format(
        "[experiment]\nstop = {}\nstep = {}\ntolerance = 1e-12\n[record]\nvariables "
        "= [\"*.x\"]\n",
        structure.stop, structure.step);
    SystemFile whole(text + structure.text);
    const Columns exact = numbers_of(whole.run_text(options_of(whole, "aggregate", {})));
    for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
        SystemFile file(
            text +
            fmt::format("[step_control]\nmethod = \"richardson\"\ntolerance = {}\n", tolerance) +
            structure.text);
        const Columns run = numbers_of(file.run_text(options_of(file, "linear_implicit", {})));
        for (const auto& [name, values] : exact)
            for (std::size_t k = 0; k < values.size(); ++k)
                EXPECT_NEAR(run.at(name)[k], values[k], tolerance * (1.0 + std::abs(values[k])))
                    << name << tolerance;
    }
}

}  // namespace
}  // namespace tandem::test
