#include "check_rollback.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

#include "base/listed.hpp"
#include "description/read/read.hpp"
#include "fmi/import/fmu.hpp"
#include "process/child_process.hpp"
#include "run/rollback_trial.hpp"
#include "run/system_run.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

constexpr int steps_before = 5;  ///< what is special at the start is over then
constexpr int steps_in_all = steps_before + 2;
/// Where a solver starts afresh, it errs by about its tolerance; more is a fault.
constexpr double largest_restart_error = 1e-3;

description::SystemDescription system_of(const std::string& fmu) {
    description::SystemDescription description;
    description.system.name = std::filesystem::path(fmu).stem().string();
    description::SubsystemDescription& subsystem = description.system.subsystems.emplace_back();
    subsystem.name = description.system.name;
    subsystem.source = std::filesystem::absolute(fmu);
    subsystem.place = fmu;
    return description;
}

/// Steps of the size that the FMU itself says.
void choose_times(const std::string& file, run::SystemRunOptions& options) {
    const fmi::DefaultExperiment experiment = fmi::Fmu::open(file)->description().experiment;
    const double start = experiment.start_time.value_or(0.0);
    const double stop = experiment.stop_time.value_or(start + 1.0);
    const double step =
        experiment.step_size.value_or(default_step(start, stop > start ? stop : start + 1.0));
    options.start = start;
    options.step = step;
    options.stop = start + steps_in_all * step;
}

std::unique_ptr<run::SystemRun> started(const std::string& file) {
    run::SystemRunOptions options;
    options.file = file;
    options.coupling = "jacobi";
    options.only_looks = true;
    options.step_control = "fixed";
    options.results = false;
    options.ports = assemble::KeptPorts::all;
    std::unique_ptr<run::SystemRun> run;
    if (description::is_system_file(file)) {
        run = std::make_unique<run::SystemRun>(std::move(options));
    } else {
        choose_times(file, options);
        run = std::make_unique<run::SystemRun>(system_of(file), std::move(options));
    }
    run->initialise();
    return run;
}

/// Step k of one subsystem, from the start of the run.
Interval interval(const run::SystemRun& run, int k) {
    const TimeGrid& grid = run.grid();
    const double step = std::min(grid.step(), (grid.stop() - grid.start()) / steps_in_all);
    return {grid.start() + k * step, grid.start() + (k + 1) * step};
}

bool advance(run::SystemRun& run, int s, int count) {
    System& system = run.system();
    for (int k = 0; k < count; ++k)
        if (!system.at(s).exchange_step({system.inputs_of(s)}, interval(run, k),
                                        system.outputs_of(s)))
            return false;
    return true;
}

/// What the subsystem comes to if it never goes back; empty if it does not.
std::vector<double> values_without_rollback(const std::string& file, int s) {
    const auto run = started(file);
    std::vector<double> values;
    if (advance(*run, s, steps_before + 1))
        run::RealValues(run->system().at(s), run::Compared::all).read(values);
    return values;
}

/// On a line of its own, whatever the FMU prints.
void print_line(const char* kind, const std::string& sentence) {
    fmt::print("\n{}\t{}\n", kind, sentence);
    std::fflush(stdout);
}

void judge(const run::RollbackTrial& trial, const std::string& name,
           const std::optional<run::ReplayDifference>& after_restart) {
    if (trial.difference) {
        print_line("error", trial.difference->sentence(name));
    } else if (!trial.has_moved) {
        print_line("summary", fmt::format("{}: no verdict, because nothing moved in the steps that "
                                          "were repeated ({})",
                                          name, counted(trial.names.size(), "value")));
    } else if (after_restart) {
        const bool is_fault = after_restart->size > largest_restart_error;
        print_line(is_fault ? "error" : "warning", after_restart->sentence(name));
    } else {
        print_line("summary", fmt::format("{} repeats steps exactly ({})", name,
                                          counted(trial.names.size(), "value")));
    }
}

struct Tried {
    std::string name;
    bool is_our_solver = false;
    std::optional<run::RollbackTrial> trial;  ///< none: it has been said why
};

Tried try_one(const std::string& file, int s) {
    const auto run = started(file);
    System& system = run->system();
    print_line("count", std::to_string(system.size()));
    Tried tried{system.at(s).name(), dynamic_cast<ode::HostedOde*>(&system.at(s)) != nullptr, {}};
    if (!system.at(s).interface().capabilities.rollback)
        print_line("summary", tried.name + " cannot go back");
    else if (!advance(*run, s, steps_before))
        print_line("summary", tried.name + ": no verdict, because it does not do its first steps");
    else
        tried.trial = run::try_rollback(
            system, s, {interval(*run, steps_before), interval(*run, steps_before + 1)});
    return tried;
}

struct Reading {
    int count = 0;  ///< of subsystems
    bool is_complete = false;
};

/// What the process of one subsystem printed.
Reading take(const ChildResult& child, const std::string& file, Diagnostics& findings,
             std::vector<std::string>& summary) {
    const std::string hint =
        "couplings and step controls that repeat steps cannot use it; tell its maker";
    Reading reading;
    std::istringstream lines(child.out);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos) continue;
        const std::string kind = line.substr(0, tab), text = line.substr(tab + 1);
        if (kind == "count") std::from_chars(text.data(), text.data() + text.size(), reading.count);
        if (kind == "error") findings.push_back({Severity::error, file, text, hint});
        if (kind == "warning")
            findings.push_back({Severity::warning, file, text,
                                "its solver starts afresh where it goes back to: small steps that "
                                "are repeated cost accuracy"});
        if (kind == "summary") summary.push_back("rollback         " + text);
        reading.is_complete =
            reading.is_complete || kind == "error" || kind == "warning" || kind == "summary";
    }
    return reading;
}

/// The first error or crash that the process told of.
std::string reason(const ChildResult& child) {
    for (const std::string mark : {"error: ", "tandem: "})
        if (const std::size_t begin = child.err.find(mark); begin != std::string::npos) {
            const std::size_t text = begin + mark.size();
            return child.err.substr(text, child.err.find('\n', text) - text);
        }
    return fmt::format("the trial ended with code {}", child.code);
}

}  // namespace

/// An FMU may allow one instance only: the one that goes back is gone before the other one comes.
int try_rollback_of(const std::string& file, int subsystem) {
    const Tried tried = try_one(file, subsystem);
    if (!tried.trial) return fine;
    const run::RollbackTrial& trial = *tried.trial;
    std::optional<run::ReplayDifference> after_restart;
    if (!tried.is_our_solver && !trial.after_step.empty()) {
        const std::vector<double> expected = values_without_rollback(file, subsystem);
        if (expected.size() == trial.after_step.size())
            after_restart = run::difference(trial.names, expected, trial.after_step);
        if (after_restart) after_restart->what = "a step after going back, the first time,";
    }
    judge(trial, tried.name, after_restart);
    return fine;
}

void check_rollback(const std::string& file, Diagnostics& findings,
                    std::vector<std::string>& summary) {
    int count = 1;
    for (int s = 0; s < count; ++s) {
        const ChildResult child =
            run_program({"/proc/self/exe", "check", file, "--rollback-of", std::to_string(s)});
        const Reading reading = take(child, file, findings, summary);
        if (reading.count > 0) count = reading.count;
        if (!reading.is_complete || child.code != fine)
            findings.push_back({Severity::error, file,
                                fmt::format("going back was tried and failed: {}", reason(child)),
                                "couplings and step controls that repeat steps cannot use it; "
                                "tell its maker"});
    }
}

}  // namespace tandem::cli
