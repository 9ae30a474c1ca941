#pragma once

/// The model kit: one C++ class is a native model and an FMU of FMI 1.0, 2.0 and 3.0.
/// See docs/model_kit.md. Needs nothing but the standard library.

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tandem/variables.hpp"

namespace tandem {

/// What is said once about the whole model; the second argument of TANDEM_MODEL.
struct ModelInfo {
    std::string description{};
    std::string author{};
    std::string version{};
    std::string license{};
    // The default experiment.
    double start = 0.0;
    double stop = 1.0;
    double step_size = 0.01;  ///< also the period of step() where nobody else gives one
    double tolerance = 1e-6;
    /// Inside the Co-Simulation FMU: cvode, cvode_adams, dopri5, rk4 or euler.
    std::string solver = "cvode";
    double fixed_step = 0.0;  ///< of rk4 and euler; 0: a hundredth of step_size
};

/// The point cannot be evaluated, or the step not be done; a shorter step may help.
struct Discard : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Nothing can be saved: this instance must not be used any more.
struct Fatal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

namespace kit {
class Access;

/// An element of a variable: the variable itself, or {array, index}.
struct Element {
    Element(const VariableBase& variable, std::size_t element = 0)  // NOLINT: `j(y, x)`
        : record(variable.record()), index(element) {}
    std::size_t record;
    std::size_t index;
};
}  // namespace kit

/// The partial derivatives a model knows exactly: `j(x.der, u) = 2.0`. Those not given are zero.
class Jacobian {
public:
    double& operator()(kit::Element unknown, kit::Element known) {
        entries_.push_back({unknown, known, 0.0});
        return entries_.back().value;
    }

private:
    friend class kit::Access;
    struct Entry {
        kit::Element unknown, known;
        double value;
    };
    std::vector<Entry> entries_;
};

/// The base of every model. Variables are members that register themselves; the functions below
/// say what the model does. Each has a default, so a model overrides only what it needs.
///
/// What the functions may do: derivatives(), outputs() and indicators() compute from time(),
/// parameters, states, inputs and discrete variables, and change nothing but the derivatives,
/// outputs, locals and indicators. Everything the model remembers must be a registered variable
/// (Discrete, State, ...): what is registered is saved and restored exactly, nothing else is.
class Model {
public:
    template <class T>
    using Parameter = kit::RoleVariable<T, kit::Role::parameter>;
    /// Its value sizes arrays; changed before initialisation only (FMI 3.0).
    using StructuralParameter = kit::RoleVariable<std::uint64_t, kit::Role::structural_parameter>;
    template <class T>
    using Input = kit::RoleVariable<T, kit::Role::input>;
    template <class T>
    using Output = kit::RoleVariable<T, kit::Role::output>;
    template <class T>
    using Local = kit::RoleVariable<T, kit::Role::local>;
    /// Remembered from event to event.
    template <class T>
    using Discrete = kit::RoleVariable<T, kit::Role::discrete>;
    using State = kit::State;
    using StateArray = kit::StateArray;
    using Clock = kit::Clock;
    using Binary = tandem::Binary;

    Model() {
        kit::Record record = kit::make_record("time", kit::Role::time, {});
        record.attributes.unit = "s";
        record.attributes.description = "simulation time";
        record.data = &time_;
        records_.push_back(std::move(record));
    }
    virtual ~Model() = default;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    /// What follows from parameters and inputs before the start: initial states, the first
    /// next_event(). May be called several times.
    virtual void initialise() {}
    virtual void derivatives() {}
    virtual void outputs() {}
    virtual void indicators(std::span<double> z) { (void)z; }
    /// At an event: an indicator changed its sign, next_event() has come, a clock ticks, a
    /// discrete input changed, or somebody else had an event. Check which it was.
    virtual void event() {}
    /// After every step the solver accepted; may call request_event().
    virtual void after_step() {}
    /// Exact partial derivatives of every derivative and output with respect to states and real
    /// inputs. Used when the constructor called has_exact_jacobian().
    virtual void jacobian(Jacobian& j) { (void)j; }
    /// A model without states may just be a function: from t to t + h, inputs to outputs.
    virtual void step(double t, double h) {
        (void)t;
        (void)h;
    }

protected:
    // For the constructor.
    void has_indicators(std::size_t count) { indicators_.assign(count, 0.0); }
    void has_exact_jacobian() { exact_jacobian_ = true; }
    /// outputs() is called before derivatives() and indicators(), and without them where only
    /// outputs are wanted; otherwise derivatives() is called first. They may use what outputs()
    /// computed from time, states, discrete variables and inputs that an output depends on; other
    /// inputs may have changed since.
    void outputs_come_first() { outputs_first_ = true; }
    /// `unknown` (an output or x.der) depends on these variables only. Default: on all.
    void depends(const kit::VariableBase& unknown,
                 std::initializer_list<std::reference_wrapper<const kit::VariableBase>> knowns) {
        auto& list = records_[unknown.record()].dependencies.emplace();
        for (const kit::VariableBase& known : knowns) list.push_back(known.record());
    }

    // For all functions.
    double time() const { return time_; }
    /// Folder of the model's own files, without a trailing slash; empty if it has none.
    const std::string& resources() const { return resources_; }
    void log(const std::string& text) const { say(0, text); }
    void warn(const std::string& text) const { say(1, text); }
    [[noreturn]] void discard(const std::string& why) const { throw Discard(why); }
    [[noreturn]] void fatal(const std::string& why) const { throw Fatal(why); }
    /// Asks for the end of the simulation, now.
    void end_simulation(const std::string& why) {
        terminate_ = true;
        say(0, why);
    }

    // For initialise(), event() and after_step().
    /// event() is to be called at time t. Forgotten when the time has come; a later call replaces
    /// it.
    void next_event(double t) { next_event_ = t; }
    void no_next_event() { next_event_ = never; }
    /// In event(): the time given to next_event() has come.
    bool time_event() const { return time_event_; }
    /// event() is called once more before time goes on.
    void iterate_event() { again_ = true; }
    /// In after_step(): event() is to be called now.
    void request_event() { event_requested_ = true; }

private:
    friend class kit::Access;
    friend class kit::VariableBase;
    friend class kit::Extent;

    static constexpr double never = std::numeric_limits<double>::infinity();

    void say(int level, const std::string& text) const {
        if (logger_) logger_(level, text);
    }

    std::vector<kit::Record> records_;
    std::vector<double> indicators_;
    std::function<void(int, const std::string&)> logger_;
    std::string resources_;
    double time_ = 0.0;
    double next_event_ = never;
    bool exact_jacobian_ = false;
    bool outputs_first_ = false;
    bool terminate_ = false;
    bool again_ = false;
    bool event_requested_ = false;
    bool time_event_ = false;
};

namespace kit {

inline VariableBase::VariableBase(Model& model, Record record)
    : model_(&model), record_(model.records_.size()) {
    model.records_.push_back(std::move(record));
}

inline Record& VariableBase::record_of() const { return model_->records_[record_]; }

inline Extent::Extent(const VariableBase& structural_parameter)
    : parameter(structural_parameter.record()) {
    const Record& record = structural_parameter.record_of();
    if (record.role != Role::structural_parameter)
        throw std::logic_error("array extent '" + record.name +
                               "' must be a number or a StructuralParameter");
    size = *static_cast<const std::uint64_t*>(record.data);
}

/// A model class as its shared library offers it. `abi` guards against a library built with
/// another version of these headers.
struct ModelClass {
    static constexpr unsigned current_abi = 3;
    unsigned abi = current_abi;
    std::string name;
    ModelInfo info;
    bool is_step_function = false;
    bool uses_after_step = false;
    bool uses_event = false;
    std::unique_ptr<Model> (*make)() = nullptr;
};

template <class T>
ModelClass make_model_class(std::string name, ModelInfo info) {
    return {ModelClass::current_abi,
            std::move(name),
            std::move(info),
            !std::is_same_v<decltype(&T::step), void (Model::*)(double, double)>,
            !std::is_same_v<decltype(&T::after_step), void (Model::*)()>,
            !std::is_same_v<decltype(&T::event), void (Model::*)()>,
            [] { return std::unique_ptr<Model>(new T); }};
}

/// The model of this shared library. Defined by TANDEM_MODEL.
const ModelClass& model_class();

}  // namespace kit
}  // namespace tandem

/// Once, in the source file of the model: TANDEM_MODEL(BouncingBall, {.description = "..."})
#define TANDEM_MODEL(Class, ...)                                                          \
    const tandem::kit::ModelClass& tandem::kit::model_class() {                           \
        static const tandem::kit::ModelClass known =                                      \
            tandem::kit::make_model_class<Class>(#Class, tandem::ModelInfo __VA_ARGS__);  \
        return known;                                                                     \
    }                                                                                     \
    extern "C" __attribute__((visibility("default"))) const void* tandem_native_model() { \
        return &tandem::kit::model_class();                                               \
    }
