// The order that a coupling claims for a system is reached there: every row of the catalogue with
// every option that changes the order, over families of systems that cost some of them an order.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "assemble/prepare_system.hpp"
#include "coupling/catalog/catalog.hpp"
#include "run/initialise.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/options.hpp"

namespace tandem::test {
namespace {

/// Subsystems and what is between them.
struct Family {
    std::string name, subsystems, connections;
};

/// y of each feeds u of the next.
std::string connected(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text +=
            fmt::format("[[connections]]\nfrom = \"s{}.y\"\nto = \"s{}.u\"\n", i, (i + 1) % count);
    return text;
}

/// One of the test models BentDirect or BentState; see bent_piece.hpp.
std::string piece(int number, const std::string& kind, const std::string& model,
                  const std::string& parameters) {
    const std::string solver =
        kind.ends_with("_cs") ? "" : "solver = \"dopri5\"\ntolerance = 1e-12\n";
    return fmt::format("[subsystems.s{}]\n{}{}parameters = {{ {} }}\n", number,
                       source_of(model, kind, TANDEM_ODD_FMUS), solver, parameters);
}

const std::string first = "a = -0.5, b = 1.5, c = 1, x = 1";
const std::string second = "a = -0.8, b = -2, c = 1, x = 0.3";
const std::string third = "a = -1, b = 1, c = 1.5, x = -0.4";
const std::string fourth = "a = -2, b = 1.2, c = 0.8, x = 0.2";

/// Both are `model` with these parameters more.
Family pair(const std::string& name, const std::string& kind, const std::string& model,
            const std::string& more) {
    return {name, piece(0, kind, "BentState", first) + piece(1, kind, model, second + more),
            connected(2)};
}

Family with_function(const std::string& kind, const std::string& function) {
    return {"bent coupling function",
            piece(0, kind, "BentState", first) + piece(1, kind, "BentState", second),
            fmt::format("[[functions]]\ntarget = \"s0.u\"\nexpression = \"{}\"\nsignals = {{ y = "
                        "\"s1.y\" }}\n[[connections]]\nfrom = \"s0.y\"\nto = \"s1.u\"\n",
                        function)};
}

std::vector<Family> families(const std::string& kind) {
    const auto pieces = [&](const std::vector<std::pair<std::string, std::string>>& all) {
        std::string text;
        for (std::size_t i = 0; i < all.size(); ++i)
            text += piece(static_cast<int>(i), kind, all[i].first, all[i].second);
        return text;
    };
    return {
        pair("linear", kind, "BentState", ""),
        pair("feedthrough", kind, "BentDirect", ", d = 0.5"),
        pair("bent equation", kind, "BentState", ", bend = 1"),
        pair("bent output", kind, "BentState", ", curve = 0.7"),
        pair("bent feedthrough", kind, "BentDirect", ", d = 0.2, direct_curve = 0.3"),
        pair("time in the equation", kind, "BentState", ", drive = 2"),
        pair("time in the output", kind, "BentState", ", swing = 1"),
        with_function(kind, "y + 0.6*y^2"),
        {"ring of three",
         pieces({{"BentState", first}, {"BentState", second}, {"BentState", third}}), connected(3)},
        {"ring of three with feedthrough",
         pieces({{"BentState", first}, {"BentDirect", second + ", d = 0.5"}, {"BentState", third}}),
         connected(3)},
        {"ring of four with two feedthroughs",
         pieces({{"BentState", first},
                 {"BentDirect", second + ", d = 0.5"},
                 {"BentDirect", third + ", d = 0.4"},
                 {"BentState", fourth}}),
         connected(4)},
        {"ring with a gain",
         pieces({{"BentState", first},
                 {"BentState", second},
                 {"BentDirect", "a = 0, b = 0, c = 0, d = 0.8, x = 0"}}),
         connected(3)},
        {"ring with a bent gain",
         pieces({{"BentState", first},
                 {"BentState", second},
                 {"BentDirect", "a = 0, b = 0, c = 0, d = 0.8, direct_curve = 0.4, x = 0"}}),
         connected(3)},
    };
}

struct Form {
    std::string method;
    std::vector<std::string> options = {};

    std::string name() const { return fmt::format("{} {}", method, fmt::join(options, " ")); }
};

const std::vector<Form>& forms() {
    static const std::vector<Form> all = {
        {"jacobi"},
        {"jacobi", {"order=1"}},
        {"jacobi", {"order=2"}},
        {"jacobi", {"order=1", "slopes=output_derivatives"}},
        {"jacobi", {"order=0", "smooth=true"}},
        {"jacobi", {"order=1", "smooth=true"}},
        {"jacobi", {"order=2", "smooth=true"}},
        {"gauss_seidel"},
        {"gauss_seidel", {"order=1"}},
        {"gauss_seidel", {"order=2"}},
        {"gauss_seidel", {"order=1", "slopes=output_derivatives"}},
        {"gauss_seidel", {"order=2", "smooth=true"}},
        {"nepce"},
        {"nepce", {"order=1"}},
        {"nepce", {"anti_aliasing=true"}},
        {"nepce", {"order=1", "anti_aliasing=true"}},
        {"iterative"},
        {"iterative", {"inputs=constant"}},
        {"predictor"},
        {"predictor", {"inputs=mean"}},
        {"predictor", {"inputs=interpolated"}},
        {"predictor", {"inputs=hermite"}},
        {"predictor", {"refresh=50"}},
        {"lti"},
        {"lti", {"refresh=50"}},
        {"linear_implicit"},
        {"linear_implicit", {"rule=trapezoidal"}},
        {"linear_implicit", {"form=frozen"}},
        {"linear_implicit", {"form=frozen", "rule=trapezoidal"}},
        {"linear_implicit", {"form=value"}},
        {"linear_implicit", {"form=value", "rule=trapezoidal"}},
        {"linear_implicit", {"refresh=50"}},
        {"pre_step"},
        {"pre_step", {"error=off"}},
        {"pre_step", {"error=on"}},
        {"pre_step", {"traces=straight"}},
        {"pre_step", {"extrapolation=trapezoidal"}},
        {"pre_step", {"extrapolation=micro_steps"}},
        {"pre_step", {"optimisation=mean"}},
        {"pre_step", {"optimisation=interpolated"}},
        {"pre_step", {"optimisation=terminal"}},
        {"pre_step", {"optimisation=terminal", "error=off"}},
        {"pre_step", {"optimisation=variational"}},
        {"pre_step", {"optimisation=variational", "error=off"}},
        {"pre_step", {"optimisation=variational_linear"}},
        {"pre_step", {"optimisation=variational_linear", "error=off"}},
        {"pre_step", {"refresh=50"}},
    };
    return all;
}

constexpr double stop = 2.0, longest_step = 0.125;

std::string text_of(const Family& family, double step) {
    return fmt::format(
               "[experiment]\nstop = {}\nstep = {}\ntolerance = 1e-12\n[record]\nvariables = "
               "[\"*.x\"]\n",
               stop, step) +
           family.subsystems + family.connections;
}

Columns run_of(const Family& family, const Form& form, double step) {
    SystemFile file(text_of(family, step));
    run::SystemRunOptions options = file.options();
    options.coupling = form.method;
    options.options = form.options;
    return numbers_of(file.run_text(options));
}

/// At the rows of the longest step.
double distance(const Columns& exact, const Columns& run) {
    const std::size_t every = (run.at("time").size() - 1) / (exact.at("time").size() - 1);
    double largest = 0.0;
    for (const auto& [name, values] : exact)
        for (std::size_t k = 0; k < values.size(); ++k)
            largest = std::max(largest, std::abs(values[k] - run.at(name)[k * every]));
    return largest;
}

/// As the coupling says of this system.
int claimed(const Family& family, const Form& form) {
    SystemFile file(text_of(family, longest_step));
    assemble::PrepareOptions preparing;
    preparing.assemble.coupling.method = form.method;
    for (const std::string& option : form.options)
        preparing.assemble.coupling.options.push_back(parse_option(option, "test"));
    assemble::PreparedSystem prepared =
        assemble::prepare_system(file.in_folder("system.toml"), preparing);
    if (!prepared.assembly.system) throw InputError("", "refused", "");
    System& system = *prepared.assembly.system;
    run::initialise(system, {0.0, stop, 1e-12}, prepared.assembly.typed_links.get());
    prepared.assembly.coupling->prepare(system, 0.0);
    return prepared.assembly.coupling->traits().order;
}

/// Errors of the solvers inside, and of the reference.
double floor_of(const std::string& kind) {
    if (kind == "fmi1_cs") return 2e-7;  // cannot be told a tolerance
    return kind.ends_with("_cs") ? 5e-9 : 1e-10;
}

/// By the two shortest steps whose errors are those of the coupling.
struct Measured {
    double order = std::numeric_limits<double>::infinity();
    std::string errors;
};
Measured measured(const Family& family, const Form& form, const Columns& exact, double floor) {
    Measured result;
    double before = 0.0;
    for (double step = longest_step / 4.0; step > longest_step / 100.0; step /= 2.0) {
        const double error = distance(exact, run_of(family, form, step));
        result.errors += fmt::format(" {:.2e}", error);
        if (error < floor) break;
        if (before > 0.0) result.order = std::log2(before / error);
        before = error;
    }
    return result;
}

/// Of Co-Simulation FMUs every third family: what is known of them is little, whatever they are.
std::size_t families_apart(const std::string& kind) { return kind == "native" ? 1 : 3; }

class ClaimedOrders : public ::testing::TestWithParam<std::string> {};

// A form that a kind cannot do is refused. Where more is reached than claimed, as on linear
// systems, that is no harm: step control is on the safe side then.
TEST_P(ClaimedOrders, are_reached_by_every_form_on_every_family) {
    const std::vector<Family> native = families("native"), own = families(GetParam());
    int reached = 0;
    for (std::size_t f = 0; f < own.size(); f += families_apart(GetParam())) {
        const Columns exact = run_of(native[f], {"aggregate"}, longest_step);
        for (const Form& form : forms()) {
            SCOPED_TRACE(own[f].name + ", " + form.name());
            try {
                const int claim = claimed(own[f], form);
                const Measured m = measured(own[f], form, exact, floor_of(GetParam()));
                EXPECT_GT(m.order, claim - 0.2) << m.errors;
                ++reached;
            } catch (const InputError& error) {
                EXPECT_NE(GetParam(), "native") << error.what();
            }
        }
    }
    EXPECT_GT(reached, 50);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ClaimedOrders,
                         ::testing::Values("native", "fmi1_cs", "fmi2_cs", "fmi3_cs"),
                         [](const auto& kind) { return kind.param; });

TEST(ClaimedOrders, know_every_coupling_that_samples) {
    std::set<std::string> known = {"aggregate", "asynchronous"};
    for (const Form& form : forms()) known.insert(form.method);
    for (const coupling::CouplingRow& entry : coupling::couplings().rows())
        EXPECT_TRUE(known.contains(entry.name)) << entry.name;
}

TEST(ClaimedOrders, are_lower_where_outputs_are_bent_or_not_known) {
    const auto family = [](const std::string& kind, std::size_t i) { return families(kind)[i]; };
    for (const std::string method : {"predictor", "lti", "linear_implicit", "pre_step"}) {
        EXPECT_EQ(claimed(family("native", 0), {method}), 3) << method;
        EXPECT_EQ(claimed(family("native", 2), {method}), 3) << method;
        for (const std::size_t bent : {3U, 4U, 6U, 7U})
            EXPECT_EQ(claimed(family("native", bent), {method}), 2) << method << bent;
        EXPECT_EQ(claimed(family("fmi2_cs", 0), {method}), 2) << method;
    }
}

}  // namespace
}  // namespace tandem::test
