#include "run/run_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "assemble/choose.hpp"
#include "description/description.hpp"
#include "description/read/lines.hpp"
#include "tandem/extend/solver.hpp"
#include "tandem/extend/step_control.hpp"

namespace tandem::run {
namespace {

using For = RunOption::For;

constexpr double largest = std::numeric_limits<double>::infinity();
constexpr double positive = std::numeric_limits<double>::min();

template <class Names>
std::vector<std::string> texts(const Names& names) {
    return {names.begin(), names.end()};
}

void add_times(RunOptions& o, std::vector<RunOption>& all) {
    const char* group = "What to run";
    all.push_back({{"kind", &o.kind, "cs: Co-Simulation, me: Model Exchange (default: cs)"},
                   For::one_fmu,
                   "KIND",
                   group});
    all.back().spec.choices = {"cs", "me"};
    all.push_back({{"start", &o.start,
                    "Start time in seconds, or with a unit: 1ms (default: the FMU's, or 0)"},
                   For::all,
                   "TIME",
                   group});
    all.push_back({{"stop", &o.stop, "Stop time (default: the FMU's, or start + 1)"},
                   For::all,
                   "TIME",
                   group});
    all.push_back(
        {{"step", &o.step,
          "Communication step size, also the output interval (default: the FMU's, or a 500th)"},
         For::all,
         "TIME",
         group});
    all.push_back({{"tolerance", &o.tolerance, "Relative tolerance (default: the FMU's)"},
                   For::all,
                   "NUMBER",
                   group});
    all.push_back(
        {{"retry", &o.retry,
          "Save before each step, so that a discarded one can be repeated in halves (slower)"},
         For::all,
         "",
         group});
    all.push_back({{"solver", &o.solver,
                    fmt::format("Solver of Model Exchange: {} (default: cvode)",
                                fmt::join(ode::solvers().names(), ", "))},
                   For::one_fmu,
                   "NAME",
                   group});
    all.push_back(
        {{"solver_step", &o.solver_step,
          "Step of rk4 and euler (default: a 100th of --step); the longest of the others"},
         For::one_fmu,
         "TIME",
         group});
}

void add_solver(RunOptions& o, std::vector<RunOption>& all) {
    const char* group = "Solver of Model Exchange";
    all.push_back(
        {{"absolute_tolerance", &o.absolute_tolerance,
          "Absolute tolerance of all states, or NAME=NUMBER of one; repeatable (default: the "
          "relative one times the nominal value of the state)"},
         For::one_fmu,
         "NUMBER|NAME=NUMBER",
         group});
    all.push_back({{"nominal", &o.nominal,
                    "Nominal value of all real variables, or NAME=NUMBER of one; repeatable "
                    "(default: the FMU's)"},
                   For::one_fmu,
                   "NUMBER|NAME=NUMBER",
                   group});
    all.push_back(
        {{"max_order", &o.max_order, "Highest order of cvode (1 to 5) and cvode_adams (1 to 12)"},
         For::one_fmu,
         "NUMBER",
         group});
    all.push_back(
        {{"first_step", &o.first_step, "First step at the start (default: the solver's own guess)"},
         For::one_fmu,
         "TIME",
         group});
    all.push_back(
        {{"max_steps", &o.max_steps,
          "Most internal steps in one communication step; more end the run (default: no limit but "
          "500000 between two stops)"},
         For::one_fmu,
         "NUMBER",
         group});
}

void add_data(RunOptions& o, std::vector<RunOption>& all) {
    const char* group = "Values and results";
    all.push_back(
        {{"input", &o.input,
          "CSV file: time first, then columns named after inputs and tunable parameters, in a "
          "system SUBSYSTEM.NAME; continuous reals are interpolated, others held; two rows with "
          "one time are a jump"},
         For::all,
         "FILE",
         group});
    all.push_back({{"set", &o.set,
                    "Start value NAME=VALUE of a parameter, input or state, in a system "
                    "SUBSYSTEM.NAME=VALUE; arrays as x=1,2,3; repeatable"},
                   For::all,
                   "NAME=VALUE",
                   group});
    all.push_back({{"record", &o.record,
                    "Variables to record, with * and ?; repeatable (default: the outputs)"},
                   For::all,
                   "PATTERN",
                   group});
    all.push_back({{"output", &o.outputs,
                    "File for the results: .csv, .mat, .h5, or - for CSV on standard output; "
                    "repeatable (default: <model>.csv here)"},
                   For::all,
                   "FILE",
                   group});
    all.push_back(
        {{"units", &o.units, "Write 'name [unit]' into the header"}, For::all, "", group});
}

void add_couplings(RunOptions& o, std::vector<RunOption>& all) {
    const char* group = "Systems";
    all.push_back(
        {{"coupling", &o.coupling,
          fmt::format("The coupling algorithm: {}, or auto (default: the file's, or auto)",
                      fmt::join(assemble::coupling_names(), ", "))},
         For::systems,
         "NAME",
         group});
    all.push_back({{"option", &o.options, "NAME=VALUE of the coupling; repeatable"},
                   For::systems,
                   "NAME=VALUE",
                   group});
    all.push_back({{"step_control", &o.step_control,
                    fmt::format("How long steps are: {} (default: the file's, or fixed)",
                                fmt::join(stepsize::controls().names(), ", "))},
                   For::systems,
                   "NAME",
                   group});
    all.push_back({{"step_option", &o.step_options,
                    "NAME=VALUE of the step control, e.g. tolerance=1e-5; repeatable"},
                   For::systems,
                   "NAME=VALUE",
                   group});
    all.push_back({{"plugin", &o.plugins,
                    "A shared library that adds couplings, step controls, solvers, types of "
                    "subsystems or result formats; repeatable"},
                   For::all,
                   "FILE",
                   group});
    all.push_back({{"exchange", &o.exchange,
                    "How waves come to the ends of all transmission lines (default: the file's)"},
                   For::systems,
                   "NAME",
                   group});
    all.back().spec.choices = texts(description::tlm_exchanges);
}

void add_pace(RunOptions& o, std::vector<RunOption>& all) {
    const char* group = "Systems";
    all.push_back({{"realtime", &o.realtime,
                    "Simulated seconds per second of the clock, e.g. 1.0 (default: no limit)",
                    positive, largest},
                   For::systems,
                   "FACTOR",
                   group});
    all.push_back(
        {{"threads", &o.threads,
          "Maximum number of threads that step subsystems at the same time; 1: one after the "
          "other, 0: as many as the machine has (default: the file's, or 0)",
          0.0, static_cast<double>(description::most_threads)},
         For::systems,
         "NUMBER",
         group});
    all.push_back(
        {{"stop_on_instability", &o.stop_on_instability,
          "End the run when a cycle of its connections becomes unstable, with exit code 3"},
         For::systems,
         "",
         group});
}

}  // namespace

std::vector<RunOption> describe(RunOptions& options) {
    std::vector<RunOption> all;
    add_times(options, all);
    add_solver(options, all);
    add_data(options, all);
    add_couplings(options, all);
    add_pace(options, all);
    return all;
}

std::string flag_of(const RunOption& option) {
    std::string name = option.spec.name;
    std::ranges::replace(name, '_', '-');
    return "--" + name;
}

std::vector<GivenOption> chosen_options(const RunOptions& options) {
    RunOptions chosen = options, defaults;
    const std::vector<RunOption> values = describe(chosen), begin = describe(defaults);
    std::vector<GivenOption> given;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (value_text(values[i].spec) == value_text(begin[i].spec)) continue;
        const std::string name = flag_of(values[i]).substr(2);
        const auto* list = std::get_if<std::vector<std::string>*>(&values[i].spec.target);
        if (list == nullptr)
            given.push_back({name, value_text(values[i].spec), ""});
        else
            given.push_back({name, **list, ""});
    }
    return given;
}

std::vector<std::string> chosen_names(const RunOptions& options, RunOption::For model) {
    RunOptions copy = options;
    std::vector<std::string> names;
    for (const GivenOption& given : chosen_options(options))
        for (const RunOption& option : describe(copy))
            if (option.model == model && flag_of(option) == "--" + given.name)
                names.push_back("--" + given.name);
    return names;
}

}  // namespace tandem::run
