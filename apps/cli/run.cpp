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
    std::string model;
    run::RunOptions run;
    std::string log_fmi, report;
    std::string log_level = "warning";
    std::optional<double> call_timeout;
    bool quiet = false;
    std::vector<std::string> command_line;
    std::function<void(const std::string&)> on_call = {};
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
    for (std::size_t k = 0; k < run.outputs().size(); ++k)
        say("  results   {}: {}, {}\n",
            run.outputs()[k] == "-" ? "standard output" : run.outputs()[k],
            counted(run.rows(k), "row"), counted(run.columns(), "column"));
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

void understand(const Options& options) {
    set_log_level(level_from(options.log_level));
    if (options.call_timeout && !(*options.call_timeout > 0.0))
        throw InputError("--call-timeout", "the time-out must be positive");
}

/// "--threads is", "--coupling, --threads are": those that are chosen for other models only.
std::string misplaced(const Options& options, run::RunOption::For others) {
    std::vector<std::string> names = run::chosen_names(options.run, others);
    if (others == run::RunOption::For::systems && !options.report.empty())
        names.push_back("--report");
    if (names.empty()) return {};
    return fmt::format("{} {}", listed(names), names.size() == 1 ? "is" : "are");
}

SystemRequest system_request(const Options& options) {
    if (const std::string names = misplaced(options, run::RunOption::For::one_fmu); !names.empty())
        throw InputError(options.model,
                         fmt::format("this is a system: {} for one FMU; what concerns one "
                                     "subsystem stands in its file",
                                     names),
                         "set kind, solver, its options and nominals there");
    SystemRequest request;
    static_cast<run::RunOptions&>(request.run) = options.run;
    request.run.file = options.model;
    request.run.fmu_logging = options.log_level == "debug";
    if (options.on_call)
        request.run.on_call = [log = options.on_call](const std::string& instance,
                                                      const std::string& call) {
            log(instance + ": " + call);
        };
    request.report = options.report;
    request.command_line = options.command_line;
    request.quiet = options.quiet;
    request.shows_progress = options.log_fmi != "-";
    return request;
}

run::FmuRunOptions fmu_request(const Options& options) {
    if (const std::string names = misplaced(options, run::RunOption::For::systems); !names.empty())
        throw InputError(options.model, fmt::format("{} for systems", names),
                         "write a system file that names the FMU");
    run::FmuRunOptions request;
    static_cast<run::RunOptions&>(request) = options.run;
    request.fmu = options.model;
    request.fmu_logging = options.log_level == "debug";
    request.on_call = options.on_call;
    return request;
}

/// What ended the run is what counts.
void close_failed(run::FmuRun& run) {
    try {
        run.close_results();
    } catch (const OutputError&) {
    }
}

int perform(Options options) {
    if (!description::is_system_file(options.model)) load_plugins(options.run.plugins);
    understand(options);
    std::unique_ptr<CallLog> calls;
    if (!options.log_fmi.empty()) {
        calls = std::make_unique<CallLog>(options.log_fmi);
        options.on_call = [&calls](const std::string& line) { calls->write(line); };
    }
    std::unique_ptr<Progress> progress;
    const Watchdog watchdog(options.call_timeout);
    if (description::is_system_file(options.model)) return perform_system(system_request(options));
    expect_model_file(options.model);
    run::FmuRunOptions request = fmu_request(options);
    request.go_on = [&progress](double t) {
        if (progress) progress->show(t);
        return !interrupt_requested();
    };
    run::FmuRun run(std::move(request));
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
                counted(run.rows(), "row"), listed(run.outputs()));
        throw;
    }
    progress->clear();
    if (!options.quiet) print_summary(run);
    return run.report().end == run::End::interrupted ? interrupted : fine;
}

template <class Value>
CLI::Option* add_value(CLI::App& verb, const run::RunOption& option, Value* target) {
    CLI::Option* added = verb.add_option(flag_of(option), *target, option.spec.help);
    added->type_name(option.value)->allow_extra_args(false);
    if (option.value == std::string_view("TIME")) added->transform(as_seconds());
    if (!option.spec.choices.empty()) added->check(one_of(option.spec.choices));
    if constexpr (!std::is_same_v<Value, std::string> &&
                  !std::is_same_v<Value, std::vector<std::string>>) {
        if (std::isfinite(option.spec.min) || std::isfinite(option.spec.max))
            added->check(within(option.spec));
    }
    return added;
}

/// All of run::describe().
void add_run_options(CLI::App& verb, run::RunOptions& options) {
    for (const run::RunOption& option : run::describe(options)) {
        const auto add = [&](auto target) -> CLI::Option* {
            if constexpr (std::is_same_v<decltype(target), bool*>)
                return verb.add_flag(flag_of(option), *target, option.spec.help);
            else if constexpr (std::is_pointer_v<decltype(target)>)
                return add_value(verb, option, target);
            else
                return nullptr;
        };
        std::visit(add, option.spec.target)->group(option.group);
    }
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
    verb->add_option("model", options->model,
                     "An FMU (archive or unpacked folder) or a system (.toml, .ssd, .ssp)")
        ->required()
        ->type_name("FILE");
    add_run_options(*verb, options->run);
    verb->add_option("--report", options->report, "Also write a web page of the run")
        ->type_name("FILE")
        ->group("Systems");
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
