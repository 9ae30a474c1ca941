#pragma once

/// Running coupled systems from C++. See docs/cpp_api.md and examples/cpp_api.
///
///   tandem::Simulation car("car.toml");
///   car.set("wheel.radius", 0.3);
///   car.record("car.csv");
///   car.initialise();
///   while (car.time() < 10.0) {
///       car.set("driver.pedal", car.get("chassis.speed") < 20.0 ? 1.0 : 0.0);
///       car.step();
///   }
///   car.finish();
///
/// Everything that goes wrong is an exception whose what() is a sentence for the user: where, what,
/// and what to do. InputError: a file, a name or a value is wrong. FmuError: an FMU failed.
/// NumericsError: the numerics cannot go on. All are in tandem/error.hpp.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/extend/variables.hpp"
#include "tandem/model.hpp"
#include "tandem/version.hpp"

namespace tandem {

/// How a subsystem is to be loaded. What is not said here is as docs/system_file.md tells.
struct SubsystemOptions {
    std::string kind = {};                 ///< of an FMU: "cs" or "me"; empty: what it offers
    std::string solver = {};               ///< of Model Exchange FMUs and models: "cvode", ...
    std::optional<double> tolerance = {};  ///< of that solver, relative
    /// Of its states: one for all, or by their names; tolerance times nominal where none is given.
    std::optional<double> absolute_tolerance = {};
    std::vector<std::pair<std::string, double>> absolute_tolerances = {};
    std::optional<double> step = {};             ///< of the solvers rk4 and euler
    std::optional<double> max_step = {};         ///< the longest one
    std::optional<double> first_step = {};       ///< at the start
    std::optional<std::int64_t> max_order = {};  ///< of cvode and cvode_adams
    std::optional<std::int64_t> max_steps = {};  ///< in one communication step; more are an error
    /// Sizes of real variables by their names; they count instead of those the model says.
    std::vector<std::pair<std::string, double>> nominals = {};
    std::optional<std::int64_t> step_ratio = {};  ///< steps in one communication step
    /// Subsystems that share something of this name never step at the same time; "": nothing.
    std::optional<std::string> shares = {};
};

/// input = function(t, signals): inside an aggregated system at every instant, otherwise at
/// communication points.
using SignalFunction = std::function<double(double t, std::span<const double> signals)>;

enum class Direction { rising, falling, both };

/// What happens in a system, not in one of its subsystems: where the indicator changes its sign, or
/// at given times, variables are set. `signals` are the variables that all the functions take.
struct SystemEvent {
    std::string name = {};  ///< for messages and reports
    std::vector<std::string> signals = {};
    SignalFunction indicator = {};
    Direction direction = Direction::both;
    std::vector<double> times = {};  ///< instead of an indicator, ascending
    /// variable = function(t, signals just before the event); all at once.
    std::vector<std::pair<std::string, SignalFunction>> actions = {};
};

/// One end of a transmission line: ports of one subsystem, by the keys of [[tlm]] in
/// docs/system_file.md.
struct LineEnd {
    std::vector<std::pair<std::string, std::string>> ports =
        {};                     ///< {"flow", "a.v"}, {"effort", "a.F"}
    std::string exchange = {};  ///< empty: as the line says
    /// The frame of the subsystem, of domain mechanical_3d: 3 numbers, and 9 row by row.
    std::vector<double> origin = {}, rotation = {};
};

/// A transmission line: what one end sends arrives at the other a delay later.
struct TransmissionLine {
    std::string name;
    std::string domain = {};
    LineEnd first = {}, second = {};
    /// "delay", "impedance", "stiffness", "mass", "damping" ...: as under [[tlm]].
    std::vector<std::pair<std::string, double>> values = {};
    std::string exchange = {};  ///< "sampled", "coarse", "fine", "intermediate"; empty: auto
};

/// A power bond: two connections, one each way, whose values make a power.
struct PowerBond {
    std::string name = {};
    std::string effort;  ///< "a.F -> b.F"
    std::string flow;    ///< "b.v -> a.v"
};

/// A unit in terms of SI base units: value in base units = factor * value + offset.
struct UnitDefinition {
    std::string name;
    std::vector<std::pair<std::string, int>> exponents = {};  ///< {"m", 1}, {"s", -1}
    double factor = 1.0;
    double offset = 0.0;
};

/// A system put together in C++. Variables are written "subsystem.variable". What is wrong is
/// reported when the system is loaded, everything at once.
class SystemBuilder {
public:
    explicit SystemBuilder(std::string name = "system");
    ~SystemBuilder();
    SystemBuilder(const SystemBuilder& other);
    SystemBuilder& operator=(const SystemBuilder& other);

    /// An FMU, a model library (.so), a table (.csv), or another system (.toml, .ssd, .ssp).
    SystemBuilder& add(const std::string& name, const std::filesystem::path& source,
                       const SubsystemOptions& options = {});
    /// A model of the kit, a class of this program: add<BouncingBall>("ball").
    template <class ModelType>
    SystemBuilder& add(const std::string& name, const SubsystemOptions& options = {}) {
        return add(name, kit::make_model_class<ModelType>(name, {}), options);
    }

    /// input = gain * output + offset; units are converted.
    SystemBuilder& connect(const std::string& output, const std::string& input, double gain = 1.0,
                           double offset = 0.0);
    /// input = function(t, outputs).
    SystemBuilder& connect(const std::vector<std::string>& outputs, const std::string& input,
                           SignalFunction function);

    /// Needs the coupling "aggregate".
    SystemBuilder& add_event(SystemEvent event);

    SystemBuilder& add_line(const TransmissionLine& line);
    /// The step control power_residual watches it. Its connections are made by connect().
    SystemBuilder& add_bond(const PowerBond& bond);
    SystemBuilder& add_unit(const UnitDefinition& unit);
    /// A shared library that adds couplings, solvers and the like: see docs/plugins.md.
    SystemBuilder& add_plugin(const std::filesystem::path& file);

    /// As under [experiment] and [coupling] of a system file. Options are like {"order", "1"}.
    SystemBuilder& experiment(double step, std::optional<double> stop = {}, double start = 0.0);
    SystemBuilder& coupling(const std::string& method,
                            std::vector<std::pair<std::string, std::string>> options = {});

private:
    friend class Simulation;
    SystemBuilder& add(const std::string& name, kit::ModelClass model_class,
                       const SubsystemOptions& options);

    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// A variable that was looked up once, for loops.
class Handle {
    friend class Simulation;
    explicit Handle(std::size_t number) : number_(number) {}
    std::size_t number_;
};

/// Results in memory: a row for each communication point, and two of the same time for an event.
struct Results {
    struct Series {
        std::string name;
        std::string unit;
        std::vector<double> values;  ///< texts are left out, whole numbers become doubles
    };
    std::vector<double> time;
    std::vector<Series> series;

    /// InputError if there is none of that name.
    const std::vector<double>& operator[](const std::string& name) const;
};

/// A system that runs. First what is to be changed and recorded, then initialise(), then steps.
class Simulation {
public:
    /// A system file: .toml, .ssd or .ssp.
    explicit Simulation(const std::filesystem::path& file);
    explicit Simulation(const SystemBuilder& builder);
    ~Simulation();
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;

    // Before initialise(): these beat what the file says.
    void set_step(double step);
    void set_stop(double stop);
    void set_tolerance(double tolerance);
    void set_coupling(const std::string& method,
                      const std::vector<std::pair<std::string, std::string>>& options = {});
    /// As under [step_control] of a system file: "richardson", {{"tolerance", "1e-5"}}.
    void set_step_control(const std::string& method,
                          const std::vector<std::pair<std::string, std::string>>& options = {});
    /// Subsystems may step together on so many threads; 1: one after the other, 0: as many as the
    /// machine has. The default is 0 for a file and 1 for a builder, whose models and functions are
    /// part of the program: with more, they are called at the same time. Results do not depend on
    /// it.
    void set_threads(int threads);
    /// Save the states before each step, so that a rejected one can be repeated shorter. Without
    /// it, only where events are to be expected.
    void save_before_steps();
    /// Results go to this file (.csv, .mat, .h5): the outputs, or what the patterns choose.
    void record(const std::filesystem::path& file, const std::vector<std::string>& patterns = {});

    /// Results are kept in memory, besides those in a file: see results().
    void keep(const std::vector<std::string>& patterns = {});
    /// Called after each communication step; false ends the run (run(), not step()).
    void on_step(std::function<bool(double t)> observer);
    /// Called when an event has been passed, at its time; perhaps from another thread.
    void on_event(std::function<void(double t)> observer);

    /// A value of any type: before initialise() a parameter or start value, afterwards an input
    /// that no connection feeds, or a parameter that may be changed then.
    void set(const std::string& variable, double value);
    void set(const std::string& variable, const std::string& value);
    void set(const std::string& variable, const char* value) { set(variable, std::string(value)); }

    /// Loads everything that is not loaded yet, and initialises.
    void initialise();
    double time() const;
    /// To the next communication point. False if a subsystem ended the run.
    bool step();
    /// From communication point to communication point, and to `t`, which need not be one.
    bool advance_to(double t);
    /// Ends the run and closes the results.
    void finish();
    /// Everything: initialise, step until the stop time, finish.
    void run();

    /// The value at the time reached; texts by get_text. An element of an array is "a.x[2]".
    double get(const std::string& variable);
    std::string get_text(const std::string& variable);

    /// The same without the name: after initialise(), and until the Simulation is destroyed.
    Handle handle(const std::string& variable);
    double get(Handle variable);
    void set(Handle variable, double value);
    /// Its type, unit, causality, dimensions and description.
    VariableInfo info(const std::string& variable);

    /// Of keep(): so far.
    const Results& results() const;
    /// The record of the run so far, as the file run.json has it (docs/run_record.md).
    std::string record_json() const;
    /// Of event times met so far.
    long events() const;

    /// What was noticed and can be lived with; one sentence each.
    std::vector<std::string> warnings() const;
    /// Names of all variables, "subsystem.variable".
    std::vector<std::string> variables();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Couplings, step controls, solvers, types of subsystems and formats of a shared library can be
/// used from then on. Once; see docs/plugins.md.
void load_plugin(const std::filesystem::path& file);

}  // namespace tandem
