#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>

#include "assemble/choose.hpp"
#include "base/log.hpp"
#include "command_line.hpp"
#include "description/description.hpp"
#include "description/read/lines.hpp"
#include "description/read/read.hpp"
#include "files/output_error.hpp"
#include "process/emergency.hpp"
#include "progress.hpp"
#include "run/fmu_run.hpp"
#include "run_system.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/step_control.hpp"
#include "terminal.hpp"
#include "verbs.hpp"
#include "watchdog.hpp"

namespace tandem::cli {
namespace {

struct Options {
    run::FmuRunOptions run;
    std::string kind, solver, log_fmi;
    std::string log_level = "warning";
    std::optional<double> call_timeout;
    bool quiet = false;
    // Systems only
    std::string coupling, step_control, exchange, report;
    std::vector<std::string> coupling_options, step_options;
    double realtime = 0.0;
    std::optional<int> threads;
    bool stop_on_instability = false;
    std::vector<std::string> plugins, command_line;
};

class CallLog {
public:
    explicit CallLog(const std::string& path)
        : file_(path == "-" ? stderr : std::fopen(path.c_str(), "w")) {
        if (file_ == nullptr) throw InputError("--log-fmi=" + path, "the file cannot be written");
    }
    ~CallLog() {
        if (file_ != stderr) std::fclose(file_);
    }
    CallLog(const CallLog&) = delete;
    CallLog& operator=(const CallLog&) = delete;
    void write(const std::string& line) {
        std::fprintf(file_, "%s\n", line.c_str());
        std::fflush(file_);
    }

private:
    std::FILE* file_;
};

LogLevel level_from(const std::string& name) {
    if (name == "debug") return LogLevel::debug;
    if (name == "info") return LogLevel::info;
    if (name == "error") return LogLevel::error;
    return name == "off" ? LogLevel::off : LogLevel::warning;
}

/// "3 state events, 1 early return"
std::string event_list(const run::FmuRun& run) {
    std::vector<std::string> parts;
    const auto add = [&parts](long count, const char* noun) {
        if (count > 0) parts.push_back(counted(count, noun));
    };
    if (const auto statistics = run.solver_statistics()) {
        add(statistics->state_events, "state event");
        add(statistics->time_events, "time event");
        add(statistics->step_events, "step event");
    } else {
        add(run.report().events, "event");
    }
    add(run.report().input_jumps, "input jump");
    add(run.report().early_returns, "early return");
    add(run.report().retried, "discarded step");
    return parts.empty() ? "no events" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string how_it_ended(const run::RunReport& report, double stop) {
    switch (report.end) {
        case run::End::complete:
        case run::End::unstable: return {};
        case run::End::terminated:
            return fmt::format("  note      the FMU ended the run at {}, before {}\n",
                               report.reached, stop);
        case run::End::interrupted: break;
    }
    return fmt::format("  note      interrupted at {}; the results so far are kept\n",
                       report.reached);
}

void print_summary(const run::FmuRun& run) {
    const run::RunReport& report = run.report();
    const double busy = report.step_seconds + report.record_seconds;
    say("{} ({}): {} to {} in {}, {}\n", printable(run.fmu().description().model_name),
        to_string(run.kind()), run.grid().start(), report.reached, counted(report.steps, "step"),
        event_list(run));
    std::fputs(how_it_ended(report, run.grid().stop()).c_str(), stderr);
    say("  results   {}: {}, {}\n", run.output() == "-" ? "standard output" : run.output(),
        counted(run.rows(), "row"), counted(static_cast<long>(run.columns()), "column"));
    if (const auto statistics = run.solver_statistics()) {
        const ode::SolverStatistics& solver = statistics->solver;
        say("  solver    {}: {}, {} rejected, {}, {}, {}\n", to_string(run.solver()),
            counted(solver.steps, "step"), solver.rejected,
            counted(solver.derivative_calls, "derivative call"),
            counted(solver.jacobian_calls, "Jacobian"), counted(solver.restarts, "restart"));
    }
    say("  time      load {:.3g} s, initialise {:.3g} s, steps {:.3g} s, record {:.3g} s\n",
        run.load_seconds(), report.initialise_seconds, report.step_seconds, report.record_seconds);
    if (report.steps > 0)
        say("  speed     {:.3g}x real time\n", (report.reached - run.grid().start()) / busy);
}

void understand(Options& options) {
    set_log_level(level_from(options.log_level));
    options.run.fmu_logging = options.log_level == "debug";
    if (options.kind == "cs") options.run.kind = fmi::Kind::co_simulation;
    if (options.kind == "me") options.run.kind = fmi::Kind::model_exchange;
    if (!options.solver.empty()) options.run.solver = ode::method_from(options.solver);
    if (options.call_timeout && !(*options.call_timeout > 0.0))
        throw InputError("--call-timeout", "the time-out must be positive");
}

SystemRequest system_request(const Options& options) {
    const run::FmuRunOptions& given = options.run;
    const bool has_scales = !given.absolute_tolerance.empty() || !given.nominal.empty();
    if (given.kind || given.solver || given.solver_step || given.first_step || given.max_order ||
        given.max_steps || has_scales)
        throw InputError(given.fmu,
                         "this is a system: what concerns one subsystem stands in its file",
                         "set kind, solver, its options and nominals there");
    SystemRequest request;
    request.run.file = given.fmu;
    request.run.start = given.start;
    request.run.stop = given.stop;
    request.run.step = given.step;
    request.run.tolerance = given.tolerance;
    request.run.input = given.input;
    request.run.coupling = options.coupling;
    request.run.options = options.coupling_options;
    request.run.step_control = options.step_control;
    request.run.step_options = options.step_options;
    request.run.exchange = options.exchange;
    request.run.plugins = options.plugins;
    request.run.set = given.set;
    request.run.record = given.record;
    if (!given.output.empty()) request.run.outputs = {given.output};
    if (given.retry) request.run.retry = run::Retry::always;
    request.run.units = given.units;
    request.run.fmu_logging = given.fmu_logging;
    request.run.realtime = options.realtime;
    request.run.threads = options.threads;
    request.run.stop_on_instability = options.stop_on_instability;
    if (given.on_call)
        request.run.on_call = [log = given.on_call](const std::string& instance,
                                                    const std::string& call) {
            log(instance + ": " + call);
        };
    request.report = options.report;
    request.command_line = options.command_line;
    request.quiet = options.quiet;
    request.shows_progress = options.log_fmi != "-";
    return request;
}

void refuse_system_options(const Options& options) {
    if (options.coupling.empty() && options.coupling_options.empty() && options.report.empty() &&
        options.step_control.empty() && options.step_options.empty() && options.exchange.empty() &&
        options.realtime == 0.0 && !options.threads && !options.stop_on_instability)
        return;
    throw InputError(options.run.fmu,
                     "--coupling, --option, --step-control, --step-option, --exchange, --realtime, "
                     "--threads, --stop-on-instability and --report are for systems",
                     "write a system file that names the FMU");
}

/// What ended the run is what counts.
void close_failed(run::FmuRun& run) {
    try {
        run.close_results();
    } catch (const OutputError&) {
    }
}

int perform(Options options) {
    if (!description::is_system_file(options.run.fmu)) load_plugins(options.plugins);
    understand(options);
    std::unique_ptr<CallLog> calls;
    if (!options.log_fmi.empty()) {
        calls = std::make_unique<CallLog>(options.log_fmi);
        options.run.on_call = [&calls](const std::string& line) { calls->write(line); };
    }
    std::unique_ptr<Progress> progress;
    options.run.go_on = [&progress](double t) {
        if (progress) progress->show(t);
        return !interrupt_requested();
    };
    const Watchdog watchdog(options.call_timeout);
    if (description::is_system_file(options.run.fmu))
        return perform_system(system_request(options));
    expect_model_file(options.run.fmu);
    refuse_system_options(options);
    run::FmuRun run(options.run);
    const bool wants_bar = !options.quiet && options.log_fmi != "-";
    progress = std::make_unique<Progress>(run.grid().start(), run.grid().stop(), wants_bar);
    const GracefulInterrupt graceful;
    try {
        run.perform();
    } catch (...) {
        progress->clear();
        close_failed(run);
        if (!options.quiet)
            say("stopped at {}; {} so far in {}\n", run.report().reached,
                counted(run.rows(), "row"), run.output());
        throw;
    }
    progress->clear();
    if (!options.quiet) print_summary(run);
    return run.report().end == run::End::interrupted ? interrupted : fine;
}

void add_time_options(CLI::App& verb, Options& options) {
    run::FmuRunOptions& run = options.run;
    const char* group = "What to run";
    verb.add_option("model", run.fmu,
                    "An FMU (archive or unpacked folder) or a system (.toml, .ssd, .ssp)")
        ->required()
        ->type_name("FILE");
    verb.add_option("--kind", options.kind, "cs: Co-Simulation, me: Model Exchange (default: cs)")
        ->check(one_of({"cs", "me"}))
        ->type_name("KIND")
        ->group(group);
    verb.add_option("--start", run.start,
                    "Start time in seconds, or with a unit: 1ms (default: the FMU's, or 0)")
        ->type_name("TIME")
        ->transform(as_seconds())
        ->group(group);
    verb.add_option("--stop", run.stop, "Stop time (default: the FMU's, or start + 1)")
        ->type_name("TIME")
        ->transform(as_seconds())
        ->group(group);
    verb.add_option("--step", run.step,
                    "Communication step and distance of rows (default: the FMU's, or a 500th)")
        ->type_name("TIME")
        ->transform(as_seconds())
        ->group(group);
    verb.add_option("--tolerance", run.tolerance, "Relative tolerance (default: the FMU's)")
        ->type_name("NUMBER")
        ->group(group);
    verb.add_flag(
            "--retry", run.retry,
            "Save before each step, so that a discarded one can be repeated in halves (slower)")
        ->group(group);
    verb.add_option("--solver", options.solver,
                    "Solver of Model Exchange: cvode, cvode_adams, dopri5, rk4, euler (default: "
                    "cvode)")
        ->type_name("NAME")
        ->group(group);
    verb.add_option("--solver-step", run.solver_step,
                    "Step of rk4 and euler (default: a 100th of --step); the longest of the others")
        ->type_name("TIME")
        ->transform(as_seconds())
        ->group(group);
}

void add_solver_options(CLI::App& verb, Options& options) {
    run::FmuRunOptions& run = options.run;
    const char* group = "Solver of Model Exchange";
    verb.add_option("--absolute-tolerance", run.absolute_tolerance,
                    "Absolute tolerance of all states, or NAME=NUMBER of one; repeatable (default: "
                    "the relative one times the nominal value of the state)")
        ->type_name("NUMBER|NAME=NUMBER")
        ->allow_extra_args(false)
        ->group(group);
    verb.add_option("--nominal", run.nominal,
                    "Nominal value of all real variables, or NAME=NUMBER of one; repeatable "
                    "(default: the FMU's)")
        ->type_name("NUMBER|NAME=NUMBER")
        ->allow_extra_args(false)
        ->group(group);
    verb.add_option("--max-order", run.max_order,
                    "Highest order of cvode (1 to 5) and cvode_adams (1 to 12)")
        ->type_name("NUMBER")
        ->group(group);
    verb.add_option("--first-step", run.first_step,
                    "First step at the start (default: the solver's own guess)")
        ->type_name("TIME")
        ->transform(as_seconds())
        ->group(group);
    verb.add_option("--max-steps", run.max_steps,
                    "Most internal steps in one communication step; more end the run (default: no "
                    "limit but 500000 between two stops)")
        ->type_name("NUMBER")
        ->group(group);
}

void add_data_options(CLI::App& verb, Options& options) {
    run::FmuRunOptions& run = options.run;
    const char* group = "Values and results";
    verb.add_option("--input", run.input,
                    "CSV file: time first, then columns named after inputs and tunable "
                    "parameters, in a system SUBSYSTEM.NAME; continuous reals are interpolated, "
                    "others held; two rows with one time are a jump")
        ->type_name("FILE")
        ->group(group);
    verb.add_option("--set", run.set,
                    "Start value NAME=VALUE of a parameter, input or state, in a system "
                    "SUBSYSTEM.NAME=VALUE; arrays as x=1,2,3; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->group(group);
    verb.add_option("--record", run.record,
                    "Variables to record, with * and ?; repeatable (default: the outputs)")
        ->type_name("PATTERN")
        ->allow_extra_args(false)
        ->group(group);
    verb.add_option("--output", run.output,
                    "File for the results: .csv, .mat, .h5, or - for CSV on standard output "
                    "(default: <model>.csv "
                    "here)")
        ->type_name("FILE")
        ->group(group);
    verb.add_flag("--units", run.units, "Write 'name [unit]' into the header")->group(group);
}

void add_system_options(CLI::App& verb, Options& options) {
    const char* group = "Systems";
    verb.add_option(
            "--coupling", options.coupling,
            fmt::format("The coupling algorithm: {}, or auto (default: the file's, or auto)",
                        fmt::join(assemble::coupling_names(), ", ")))
        ->type_name("NAME")
        ->group(group);
    verb.add_option("--option", options.coupling_options, "NAME=VALUE of the coupling; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->group(group);
    verb.add_option("--step-control", options.step_control,
                    fmt::format("How long steps are: {} (default: the file's, or fixed)",
                                fmt::join(stepsize::controls().names(), ", ")))
        ->type_name("NAME")
        ->group(group);
    verb.add_option("--step-option", options.step_options,
                    "NAME=VALUE of the step control, e.g. tolerance=1e-5; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->group(group);
    add_plugin_option(verb, options.plugins);
    verb.add_option("--exchange", options.exchange,
                    "How waves come to the ends of all transmission lines (default: the file's)")
        ->type_name("NAME")
        ->check(one_of({description::tlm_exchanges.begin(), description::tlm_exchanges.end()}))
        ->group(group);
    verb.add_option("--realtime", options.realtime,
                    "Simulated seconds per second of the clock, e.g. 1.0 (default: no limit)")
        ->type_name("FACTOR")
        ->check([](const std::string& text) {
            double factor = 0.0;
            const bool reads = CLI::detail::lexical_cast(text, factor);
            return reads && factor > 0.0 ? std::string()
                                         : fmt::format("the factor must be positive, not {}", text);
        })
        ->group(group);
    verb.add_option("--threads", options.threads,
                    "Subsystems may step together on so many threads; 1: one after the other, 0: "
                    "as many as the machine has (default: the file's, or 0)")
        ->type_name("NUMBER")
        ->check(CLI::Range(0, static_cast<int>(description::most_threads)))
        ->group(group);
    verb.add_flag("--stop-on-instability", options.stop_on_instability,
                  "End the run when a cycle of its connections becomes unstable, with exit code 3")
        ->group(group);
    verb.add_option("--report", options.report, "Also write a web page of the run")
        ->type_name("FILE")
        ->group(group);
}

void add_message_options(CLI::App& verb, Options& options) {
    const char* group = "Messages";
    verb.add_option("--log-level", options.log_level,
                    "debug, info, warning, error or off (default: warning); debug asks the FMU for "
                    "its log")
        ->check(one_of({"debug", "info", "warning", "error", "off"}))
        ->type_name("LEVEL")
        ->group(group);
    verb.add_flag("--log-fmi{-}", options.log_fmi,
                  "Log each FMI call, to stderr or with --log-fmi=FILE to a file")
        ->group(group);
    verb.add_option("--call-timeout", options.call_timeout,
                    "End the run when the FMU does not return from one call for this long")
        ->type_name("SECONDS")
        ->group(group);
    verb.add_flag("--quiet", options.quiet, "No progress and no summary")->group(group);
}

}  // namespace

void add_run(CLI::App& app, Action& action, std::vector<std::string> words) {
    auto options = std::make_shared<Options>();
    options->command_line = std::move(words);
    CLI::App* verb = app.add_subcommand("run", "Run an FMU or a system and record the results");
    add_time_options(*verb, *options);
    add_solver_options(*verb, *options);
    add_data_options(*verb, *options);
    add_system_options(*verb, *options);
    add_message_options(*verb, *options);
    verb->footer(
        "Both sides of an event are recorded as two rows with the same time.\n"
        "Rows written so far are kept whatever ends the run.\n\n"
        "Examples:\n"
        "  tandem run ball.fmu\n"
        "  tandem run ball.fmu --stop 3 --step 0.01 --set e=0.8 --output ball.csv\n"
        "  tandem run ball.fmu --kind me --solver dopri5 --tolerance 1e-8 --record '*'\n"
        "  tandem run system.toml --step 0.001 --coupling gauss_seidel --report report.html\n"
        "  tandem run car.fmu --input road.csv --record 'body.*' --output - | head");
    verb->callback([options, &action] { action = [options] { return perform(*options); }; });
}

}  // namespace tandem::cli
