// A plug-in of Tandem: what docs/plugins.md explains.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <tandem/extend/plugin.hpp>
#include <vector>

namespace {

// --- A coupling: like jacobi, but inputs go only a part of the way to their new values. ----------

struct DampedJacobiOptions {
    double damping = 0.5;
};

std::vector<tandem::OptionSpec> describe(DampedJacobiOptions& options) {
    return {{"damping", &options.damping, "part of its last value that an input keeps", 0.0, 0.99}};
}

class DampedJacobi final : public tandem::coupling::Coupling {
public:
    explicit DampedJacobi(DampedJacobiOptions options) : options_(options) {}

    void prepare(tandem::System& system, double /*longest_step*/) override {
        steps_.prepare(system);
        memory_.prepare(system.inputs().size());
    }

    tandem::StepResult advance(tandem::System& system, tandem::Interval interval) override {
        system.route(interval.begin);
        const std::span<double> inputs = system.inputs();
        const std::span<const double> last = memory_.at(interval.begin);
        for (std::size_t i = 0; i < last.size(); ++i)
            inputs[i] += options_.damping * (last[i] - inputs[i]);
        const tandem::StepResult result = steps_.step(system, interval, [&](int s) {
            return tandem::InputCourse{.values = system.inputs_of(s)};
        });
        if (result) memory_.keep(interval.end, inputs);
        return result;
    }

    void reset_history(tandem::coupling::Interruption interruption) override {
        if (interruption == tandem::coupling::Interruption::jump) memory_.clear();
    }

private:
    DampedJacobiOptions options_;
    tandem::coupling::StepsAtOnce steps_;
    tandem::StepMemory memory_;
};

// --- A type of subsystems: y = amplitude * sin(2 pi frequency t).
// ---------------------------------

struct WaveOptions {
    double amplitude = 1.0;
    double frequency = 1.0;
};

std::vector<tandem::OptionSpec> describe(WaveOptions& options) {
    return {{"amplitude", &options.amplitude, "of the output"},
            {"frequency", &options.frequency, "in Hz", 0.0}};
}

class Wave final : public tandem::Subsystem, public tandem::Rollback {
public:
    Wave(std::string name, WaveOptions options) : name_(std::move(name)), options_(options) {
        facets_ = tandem::facets_of(this);
        interface_.outputs = {{"y", "", options.amplitude}};
        interface_.capabilities.rollback = true;
        interface_.capabilities.variable_step = true;
        variables_.prepare(*this);
    }

    const std::string& name() const override { return name_; }
    const tandem::Interface& interface() const override { return interface_; }
    tandem::Variables& variables() override { return variables_; }
    void enter_initialisation(const tandem::Experiment& experiment) override {
        t_ = experiment.start;
    }
    void exit_initialisation() override {}
    void finish() override {}
    void set_inputs(const tandem::InputCourse&) override {}
    tandem::StepResult step(tandem::Interval interval) override {
        t_ = interval.end;
        return {tandem::Outcome::complete, t_};
    }
    void get_outputs(std::span<double> outputs) override {
        if (!outputs.empty())
            outputs[0] = options_.amplitude * std::sin(2.0 * M_PI * options_.frequency * t_);
    }
    void save(tandem::StateSlot slot) override { saved_[static_cast<std::size_t>(slot)] = t_; }
    void restore(tandem::StateSlot slot) override { t_ = saved_[static_cast<std::size_t>(slot)]; }

private:
    std::string name_;
    WaveOptions options_;
    tandem::Interface interface_;
    tandem::PortVariables variables_;
    double t_ = 0.0;
    double saved_[tandem::state_slot_count] = {};
};

std::unique_ptr<tandem::Subsystem> make_wave(const tandem::subsystem::SourceRequest& request,
                                             tandem::Diagnostics& findings) {
    WaveOptions options;
    tandem::assign_options(describe(options), request.options, "'" + request.name + "'", findings);
    return std::make_unique<Wave>(request.name, options);
}

// --- A solver: Heun's method with equal steps.
// ----------------------------------------------------

class Heun final : public tandem::ode::Integrator {
public:
    explicit Heun(const tandem::ode::IntegratorSetup& setup)
        : problem_(setup.problem), statistics_(setup.statistics), step_(setup.options.fixed_step) {
        const auto n = static_cast<std::size_t>(setup.problem.size());
        for (auto* work : {&x_, &begin_, &first_, &second_, &trial_}) work->resize(n);
    }

    void restart(double t, std::span<const double> x, double) override {
        std::ranges::copy(x, x_.begin());
        t_ = begin_t_ = t;
    }
    void set_tolerances(double, std::span<const double>) override {}
    bool advance(double stop, std::span<double> x) override {
        if (step_ <= 0.0) step_ = (stop - t_) / 100.0;
        const double steps = std::max(1.0, std::ceil((stop - t_) / step_ - 1e-9));
        const double end = steps == 1.0 ? stop : t_ + (stop - t_) / steps;
        const double h = end - t_;
        begin_ = x_;
        begin_t_ = t_;
        if (!evaluate(t_, x_, first_)) return false;
        for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + h * first_[i];
        if (!evaluate(end, trial_, second_)) return false;
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += h / 2.0 * (first_[i] + second_[i]);
        t_ = end;
        std::ranges::copy(x_, x.begin());
        return true;
    }
    double time() const override { return t_; }
    bool interpolate(double t, std::span<double> x) override {
        const double s = t_ > begin_t_ ? (t - begin_t_) / (t_ - begin_t_) : 1.0;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = begin_[i] + s * (x_[i] - begin_[i]);
        return true;
    }
    double last_step() const override { return t_ - begin_t_; }
    double step_hint() const override { return step_; }
    const std::string& failure() const override { return failure_; }

private:
    bool evaluate(double t, std::span<const double> x, std::span<double> dx) {
        ++statistics_.derivative_calls;
        if (problem_.derivatives(t, x, dx)) return true;
        failure_ = "the derivatives cannot be evaluated";
        return false;
    }

    tandem::ode::OdeProblem& problem_;
    tandem::ode::SolverStatistics& statistics_;
    double step_, t_ = 0.0, begin_t_ = 0.0;
    std::vector<double> x_, begin_, first_, second_, trial_;
    std::string failure_;
};

// --- A step control: outputs may change by the tolerance in a step.
// -------------------------------

class OutputChange final : public tandem::stepsize::StepControl {
public:
    explicit OutputChange(double tolerance) : tolerance_(tolerance) {}

    void prepare(tandem::System& system, const tandem::stepsize::RunFacts&) override {
        norm_.prepare(system);
        before_.resize(system.outputs().size());
    }
    void begin_step(tandem::System& system, double) override {
        std::ranges::copy(system.outputs(), before_.begin());
    }
    std::optional<double> error(tandem::System& system, tandem::Interval) override {
        return std::sqrt(norm_.mean_square(system.outputs(), before_)) / tolerance_;
    }
    int power() const override { return 1; }

private:
    double tolerance_;
    tandem::stepsize::OutputNorm norm_;
    std::vector<double> before_;
};

// --- A format of results: columns between tabs.
// ---------------------------------------------------

class TabSeparated final : public tandem::results::ResultWriter {
public:
    explicit TabSeparated(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {
        if (file_ == nullptr) throw tandem::InputError(path, "cannot be written");
    }
    ~TabSeparated() override { close(); }

    void begin(const std::vector<tandem::results::ResultColumn>& columns) override {
        std::fputs("time", file_);
        for (const auto& column : columns) std::fprintf(file_, "\t%s", column.name.c_str());
        std::fputc('\n', file_);
    }
    void write(const tandem::results::ResultRow& row) override {
        std::fprintf(file_, "%.17g", row.time);
        for (const double value : row.reals) std::fprintf(file_, "\t%.17g", value);
        std::fputc('\n', file_);
        ++written_;
    }
    void flush() override {
        std::fflush(file_);
        rows_ = written_;
    }
    void close() override {
        if (file_ == nullptr) return;
        flush();
        std::fclose(file_);
        file_ = nullptr;
    }
    const std::atomic<std::uint64_t>& rows_in_file() const override { return rows_; }

private:
    std::FILE* file_;
    std::uint64_t written_ = 0;
    std::atomic<std::uint64_t> rows_{0};
};

// --- All of them go into the registries.
// ----------------------------------------------------------

void add(tandem::PluginRows& rows) {
    using namespace tandem;
    rows.add(coupling::coupling_row(
        "damped_jacobi", "all at once, and inputs go only a part of the way to their new values",
        DampedJacobiOptions{},
        [](DampedJacobiOptions options, const coupling::Choice&, Diagnostics&) {
            return std::make_unique<DampedJacobi>(options);
        }));
    WaveOptions wave;
    rows.add(subsystem::SourceRow{.name = "wave",
                                  .summary = "a sine wave",
                                  .options = infos_of(describe(wave)),
                                  .make = make_wave});
    rows.add(ode::SolverRow{
        .name = "heun",
        .summary = "Heun's method, equal steps",
        .has_fixed_steps = true,
        .make = [](const ode::IntegratorSetup& setup) { return std::make_unique<Heun>(setup); }});
    rows.add(stepsize::control_row("output_change", "outputs may change by the tolerance in a step",
                                   stepsize::ControlOptions{},
                                   [](const stepsize::ControlOptions& options) {
                                       return std::make_unique<OutputChange>(options.tolerance);
                                   }));
    rows.add(results::FormatRow{.name = "tsv",
                                .summary = "columns between tabs",
                                .make = [](const std::string& path, const results::ResultOptions&) {
                                    return std::make_unique<TabSeparated>(path);
                                }});
}

}  // namespace

TANDEM_PLUGIN(add)
