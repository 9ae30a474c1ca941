#include "analysis/linearise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assemble/load/assignment.hpp"
#include "assemble/load/table_source.hpp"
#include "assemble/tolerance.hpp"
#include "base/log.hpp"
#include "description/read/read.hpp"
#include "fmi/import/fmu.hpp"
#include "run/system_run.hpp"
#include "subsystem/cs_fmu.hpp"
#include "subsystem/fmu_ode.hpp"
#include "tandem/error.hpp"

namespace tandem::analysis {
namespace {

constexpr double default_tolerance = 1e-6;

std::vector<LinearVariable> variables_of(const std::vector<Port>& ports,
                                         std::span<const double> values) {
    std::vector<LinearVariable> variables;
    for (std::size_t i = 0; i < ports.size(); ++i)
        variables.push_back({ports[i].name, ports[i].unit, values[i]});
    return variables;
}

/// The time to linearise at, which is not before the start.
double time_of(const LineariseOptions& options, double start) {
    if (!std::isfinite(start)) throw InputError("--start", "must be a finite time");
    const double at = options.at.value_or(start);
    if (!std::isfinite(at)) throw InputError("--at", "must be a finite time");
    if (at < start)
        throw InputError("--at", fmt::format("{} lies before the start time {}", at, start),
                         "give a later time, or an earlier one with --start");
    return at;
}

[[noreturn]] void refuse_end(const std::string& who, double reached, double at) {
    throw InputError("--at", fmt::format("{} ended the run at {}, before {}", who, reached, at),
                     "give an earlier time");
}

LinearModel linearise_fmu(const LineariseOptions& options) {
    if (!options.options.empty())
        throw InputError(options.file, "--option is for the coupling of a system", "leave it out");
    assemble::check_tolerance(options.tolerance, "--tolerance");
    const auto fmu = fmi::Fmu::open(options.file);
    const fmi::ModelDescription& description = fmu->description();
    if (!description.model_exchange)
        throw InputError(options.file,
                         "has no Model Exchange, so its equations cannot be linearised",
                         "export the model as an FMU for Model Exchange");
    const double start = options.start.value_or(description.experiment.start_time.value_or(0.0));
    const double at = time_of(options, start);
    const auto tolerance = options.tolerance ? options.tolerance : description.experiment.tolerance;
    fmi::InstanceOptions instance;
    instance.name = description.model_name;
    ode::HostedOdeOptions hosting;
    hosting.solver.relative_tolerance = tolerance.value_or(default_tolerance);
    ode::HostedOde hosted(std::make_unique<subsystem::FmuOde>(fmu, std::move(instance)),
                          std::move(hosting));
    Variables& variables = hosted.variables();
    for (const assemble::Assignment& assignment :
         assemble::parse_assignments(description, options.set))
        variables.write(variables.group(std::span(&assignment.variable, 1)), assignment.values);
    try {
        hosted.enter_initialisation({start, {}, tolerance});
    } catch (const RefusedValue& error) {
        throw assemble::refused_value(error);
    }
    hosted.exit_initialisation();
    if (at > start && hosted.step({start, at}).outcome == Outcome::terminated)
        refuse_end("the FMU", hosted.time(), at);
    LinearModel model = linearise(hosted);
    hosted.finish();
    return model;
}

[[noreturn]] void refuse_part(Subsystem& part, const std::string& file) {
    const bool is_table = dynamic_cast<assemble::TableSource*>(&part) != nullptr;
    const bool is_fmu = dynamic_cast<subsystem::CsFmu*>(&part) != nullptr;
    throw InputError(file,
                     fmt::format("'{}' is {}, which has no equations to linearise", part.name(),
                                 is_table ? "a table"
                                 : is_fmu ? "a Co-Simulation FMU"
                                          : "a model that only steps"),
                     is_fmu ? "use it as Model Exchange FMU (kind = \"me\"), or leave it out: what "
                              "it feeds becomes an input"
                            : "leave it out: what it feeds becomes an input");
}

/// The system as one differential equation. Throws if there is something else in it.
ode::HostedOde& whole(System& system, const std::string& file) {
    if (!system.schedule().delayed_flows().empty())
        throw InputError(file,
                         "the system has transmission lines, whose delays are no differential "
                         "equations",
                         "linearise a system with springs or volumes instead of the lines");
    for (int s = 0; s < system.size(); ++s)
        if (dynamic_cast<ode::HostedOde*>(&system.at(s)) == nullptr)
            refuse_part(system.at(s), file);
    if (system.size() != 1)
        throw InputError(file,
                         fmt::format("the system is run as {} differential equations, not as one",
                                     system.size()),
                         "choose --option clusters=all");
    return dynamic_cast<ode::HostedOde&>(system.at(0));
}

LinearModel linearise_system(const LineariseOptions& options) {
    Diagnostics read;  // what is wrong with the file is reported when the run reads it
    const description::Experiment experiment =
        description::read_system(options.file, read).experiment;
    const double start = options.start.value_or(experiment.start.value_or(0.0));
    const double at = time_of(options, start);
    run::SystemRunOptions running;
    running.file = options.file;
    running.start = options.start;
    running.stop = std::max(at, experiment.stop.value_or(at));
    if (!(*running.stop > start)) running.stop = start + 1.0;
    running.tolerance = options.tolerance;
    running.coupling = "aggregate";
    running.options = options.options;
    running.set = options.set;
    running.ports = assemble::KeptPorts::all;
    running.results = false;
    run::SystemRun run(running);
    ode::HostedOde& hosted = whole(run.system(), options.file);
    for (const Diagnostic& finding : run.findings())
        log(LogLevel::warning, sentence(finding.place, finding.problem, finding.hint));
    run.initialise();
    if (at > start && !run.advance_to(at)) refuse_end("the system", run.time(), at);
    LinearModel model = linearise(hosted);
    model.name = run.name();
    run.finish();
    return model;
}

}  // namespace

LinearModel linearise(ode::HostedOde& hosted) {
    using Block = ode::HostedOde::Block;
    const ode::OdeShape& shape = hosted.model().shape();
    const std::size_t states = shape.states.size(), inputs = shape.inputs.size(),
                      outputs = shape.outputs.size();
    LinearModel model;
    model.name = hosted.name();
    model.t = hosted.time();
    const auto block = [&](Block which, std::size_t rows, std::size_t columns) {
        std::vector<double> matrix(rows * columns);
        if (!matrix.empty()) hosted.jacobian(which, matrix);
        return matrix;
    };
    model.a = block(Block::a, states, states);
    model.b = block(Block::b, states, inputs);
    model.c = block(Block::c, outputs, states);
    model.d = block(Block::d, outputs, inputs);
    std::vector<double> values(outputs);
    hosted.get_outputs(values);
    model.outputs = variables_of(shape.outputs, values);
    model.states = variables_of(shape.states, hosted.states());
    model.inputs = variables_of(shape.inputs, hosted.inputs());
    model.derivatives.resize(states);
    if (!hosted.model().derivatives(model.derivatives))
        throw NumericsError(sentence(fmt::format("{}: at t = {}", model.name, model.t),
                                     "the derivatives cannot be evaluated",
                                     "linearise it at another time"));
    return model;
}

LinearModel linearise(const LineariseOptions& options) {
    return description::is_system_file(options.file) ? linearise_system(options)
                                                     : linearise_fmu(options);
}

}  // namespace tandem::analysis
