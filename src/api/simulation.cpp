#include "tandem/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "api/memory_results.hpp"
#include "api/system_builder.hpp"
#include "assemble/load/input_table.hpp"
#include "assemble/load/plugin.hpp"
#include "base/names.hpp"
#include "description/flatten.hpp"
#include "run/system_run.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// A variable that was asked for once, ready to be read and written.
struct Known {
    Variables* variables = nullptr;
    std::size_t index = 0;    ///< in its list
    std::size_t element = 0;  ///< of an array
    VariableGroup group;
    Values values;
    int input = -1;       ///< index into System::inputs(), if it is one
    bool is_fed = false;  ///< by a connection
};

constexpr double largest_whole = 9007199254740992.0;  // a double holds all up to 2^53

void assign(double value, Known& target, const std::string& name) {
    switch (storage_of(target.group.type)) {
        case Storage::reals: target.values.reals[target.element] = value; return;
        case Storage::integers:
            if (value != std::floor(value) || std::abs(value) > largest_whole)
                throw InputError(name, fmt::format("{} is not a whole number", value));
            target.values.integers[target.element] = static_cast<std::int64_t>(value);
            return;
        default: throw InputError(name, "this variable holds a text", "give a text");
    }
}

void assign(const std::string& value, Known& target, const std::string& name) {
    if (storage_of(target.group.type) == Storage::strings) {
        target.values.strings[target.element] = value;
        return;
    }
    const auto& items = target.variables->list()[target.index].items;
    const auto item =
        std::ranges::find(items, value, [](const auto& entry) { return entry.first; });
    if (item == items.end())
        throw InputError(name, fmt::format("'{}' is neither a number nor an item", value));
    target.values.integers[target.element] = item->second;
}

double as_number(const Known& known, const std::string& name) {
    switch (storage_of(known.group.type)) {
        case Storage::reals: return known.values.reals[known.element];
        case Storage::integers: return static_cast<double>(known.values.integers[known.element]);
        default: break;
    }
    throw InputError(name, "this variable holds a text", "use get_text");
}

std::string as_text(const Known& known) {
    switch (storage_of(known.group.type)) {
        case Storage::reals: return fmt::format("{}", known.values.reals[known.element]);
        case Storage::integers: return fmt::format("{}", known.values.integers[known.element]);
        default: return known.values.strings[known.element];
    }
}

}  // namespace

struct Simulation::Impl {
    run::SystemRunOptions options;
    bool keeps = false;
    std::unique_ptr<Results> kept = std::make_unique<Results>();  // stays where it is
    std::vector<std::pair<std::string, Known*>> handles;
    std::shared_ptr<SystemBuilder::Parts> parts;  ///< null: from a file
    std::unique_ptr<run::SystemRun> run;
    enum class Phase { preparing, running, finished } phase = Phase::preparing;
    std::unordered_map<std::string, Known> known;

    run::SystemRun& loaded() {
        if (run) return *run;
        options.results = keeps || !options.outputs.empty();
        if (keeps)
            options.writers = [results = kept.get()] {
                std::vector<std::unique_ptr<results::ResultWriter>> writers;
                writers.push_back(std::make_unique<MemoryResults>(*results));
                return writers;
            };
        options.ports = assemble::KeptPorts::inputs;
        if (!parts) {
            run = std::make_unique<run::SystemRun>(options);
            return *run;
        }
        if (has_errors(parts->findings)) {
            Diagnostics findings = parts->findings;
            description::flatten(parts->description, findings);
            throw_errors(findings);
        }
        run::SystemRunOptions built = options;
        for (const auto& [name, model_class] : parts->models)
            built.models.emplace(name, &model_class);
        if (!built.threads) built.threads = 1;
        if (options.coupling.empty()) built.options = parts->coupling_options;
        run = std::make_unique<run::SystemRun>(parts->description, built);
        return *run;
    }

    run::SystemRun& running() {
        if (phase == Phase::preparing)
            throw InputError("Simulation", "it is not initialised yet", "call initialise() first");
        if (phase == Phase::finished)
            throw InputError("Simulation", "the run is finished", "make a new Simulation");
        return *run;
    }

    /// Before something is chosen for the run.
    void prepare(const char* what) {
        if (phase != Phase::preparing)
            throw InputError(what, "the run has begun", "call it before initialise()");
        unload();
    }

    void expect_preparing(const char* what) const {
        if (phase != Phase::preparing)
            throw InputError(what, "the run has begun already", "make a new Simulation");
    }

    template <class Value>
    void set(const std::string& variable, const Value& value) {
        if (phase == Phase::preparing) {
            options.set.push_back(fmt::format("{}={}", variable, value));
            unload();
            return;
        }
        set(find(variable), value, variable);
    }

    template <class Value>
    void set(Known& target, const Value& value, const std::string& variable) {
        if (target.is_fed)
            throw InputError(variable, "a connection feeds this input",
                             "leave out the connection, or change what feeds it");
        target.variables->observe(target.group, target.values);
        assign(value, target, variable);
        if (target.input >= 0)
            run->set_input(target.input, target.values.reals[target.element]);
        else
            target.variables->write(target.group, target.values);
    }

    const std::pair<std::string, Known*>& known_by(std::size_t handle) const {
        if (handle >= handles.size())
            throw InputError("Handle", "it does not belong to this simulation, or not to this run",
                             "ask for it with handle() after initialise()");
        return handles[handle];
    }

    /// What is set or chosen now counts when the system is loaded again.
    void unload() {
        run.reset();
        known.clear();
        handles.clear();
    }

    Known& find(const std::string& name) {
        if (const auto found = known.find(name); found != known.end()) return found->second;
        const std::vector<Member>& members = loaded().members();
        for (std::size_t s = 0; s < members.size(); ++s) {
            const Member& member = members[s];
            if (!name.starts_with(member.name + ".")) continue;
            Variables& variables = *member.variables;
            const std::string own = name.substr(member.name.size() + 1);
            const auto element = assemble::find_element(variables.list(), own);
            if (!element) continue;
            Known entry{&variables,
                        element->variable,
                        element->index,
                        variables.group(std::span(&element->variable, 1)),
                        {},
                        input_position(run->system(), member.place, member.prefix + own)};
            entry.values.resize(entry.group.type, entry.group.size);
            entry.is_fed = run->is_fed({s, element->variable, element->index});
            return known.emplace(name, std::move(entry)).first->second;
        }
        throw InputError(name, "there is no such variable",
                         did_you_mean(name, names(), "write subsystem.variable"));
    }

    /// Of a real input, an index into System::inputs(); -1 if it is no port.
    static int input_position(System& system, int s, const std::string& name) {
        const std::vector<Port>& ports = system.at(s).interface().inputs;
        const auto found = std::ranges::find(ports, name, &Port::name);
        return found == ports.end()
                   ? -1
                   : system.input_begin(s) + static_cast<int>(found - ports.begin());
    }

    const Known& read(const std::string& name) { return read(find(name)); }
    const Known& read(Known& entry) {
        if (phase == Phase::running && entry.input >= 0 && !entry.is_fed) {  // as it was set last
            entry.values.reals[entry.element] =
                run->system().inputs()[static_cast<std::size_t>(entry.input)];
            return entry;
        }
        const VariableInfo& info = entry.variables->list()[entry.index];
        if (info.is_input || info.is_parameter)  // these have the value that was given last
            entry.variables->observe(entry.group, entry.values);
        else
            entry.variables->read(entry.group, entry.values);
        return entry;
    }

    std::vector<std::string> names() {
        std::vector<std::string> all;
        for (const Member& member : loaded().members())
            for (const VariableInfo& info : member.variables->list())
                all.push_back(member.name + "." + info.name);
        return all;
    }
};

Simulation::Simulation(const std::filesystem::path& file) : impl_(std::make_unique<Impl>()) {
    impl_->options.file = file.string();
    impl_->options.unlimited = true;
}

Simulation::Simulation(const SystemBuilder& builder) : impl_(std::make_unique<Impl>()) {
    impl_->parts = std::make_shared<SystemBuilder::Parts>(*builder.parts_);
    impl_->options.file = impl_->parts->description.system.name;
    impl_->options.unlimited = true;
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::set_step(double step) {
    impl_->prepare("set_step");
    impl_->options.step = step;
}

void Simulation::set_stop(double stop) {
    impl_->prepare("set_stop");
    impl_->options.stop = stop;
}

void Simulation::set_tolerance(double tolerance) {
    impl_->prepare("set_tolerance");
    impl_->options.tolerance = tolerance;
}

void Simulation::set_coupling(const std::string& method,
                              const std::vector<std::pair<std::string, std::string>>& options) {
    impl_->prepare("set_coupling");
    impl_->options.coupling = method;
    impl_->options.options = option_texts(options);
}

void Simulation::set_step_control(const std::string& method,
                                  const std::vector<std::pair<std::string, std::string>>& options) {
    impl_->prepare("set_step_control");
    impl_->options.step_control = method;
    impl_->options.step_options = option_texts(options);
}

void Simulation::set_threads(int threads) {
    impl_->prepare("set_threads");
    if (threads < 0 || threads > description::most_threads)
        throw InputError(
            "set_threads",
            fmt::format("must lie between 0 and {}, but is {}", description::most_threads, threads),
            "0 means as many as the machine has");
    impl_->options.threads = threads;
}

void Simulation::save_before_steps() {
    impl_->prepare("save_before_steps");
    impl_->options.retry = true;
}

void Simulation::record(const std::filesystem::path& file,
                        const std::vector<std::string>& patterns) {
    impl_->prepare("record");
    impl_->options.outputs = {file.string()};
    impl_->options.record = patterns;
}

void Simulation::keep(const std::vector<std::string>& patterns) {
    impl_->prepare("keep");
    impl_->keeps = true;
    if (!patterns.empty()) impl_->options.record = patterns;
}

void Simulation::on_step(std::function<bool(double t)> observer) {
    impl_->prepare("on_step");
    impl_->options.go_on = std::move(observer);
}

void Simulation::on_event(std::function<void(double t)> observer) {
    impl_->prepare("on_event");
    impl_->options.on_event = std::move(observer);
}

void Simulation::set(const std::string& variable, double value) { impl_->set(variable, value); }

void Simulation::set(const std::string& variable, const std::string& value) {
    impl_->set(variable, value);
}

void Simulation::initialise() {
    impl_->expect_preparing("initialise");
    impl_->loaded();
    impl_->known.clear();
    impl_->run->initialise();
    impl_->phase = Impl::Phase::running;
}

double Simulation::time() const {
    return impl_->phase == Impl::Phase::preparing ? impl_->running().time() : impl_->run->time();
}
bool Simulation::step() { return impl_->running().step(); }
bool Simulation::advance_to(double t) {
    if (!std::isfinite(t)) throw InputError("advance_to", fmt::format("{} is no time", t));
    return impl_->running().advance_to(t);
}
void Simulation::finish() {
    impl_->running().finish();
    impl_->phase = Impl::Phase::finished;
}

void Simulation::run() {
    impl_->expect_preparing("run");
    if (impl_->options.unlimited) impl_->unload();
    impl_->options.unlimited = false;  // without a stop time it would never end
    impl_->loaded();
    impl_->known.clear();
    impl_->phase = Impl::Phase::finished;
    impl_->run->perform();
}

double Simulation::get(const std::string& variable) {
    return as_number(impl_->read(variable), variable);
}

std::string Simulation::get_text(const std::string& variable) {
    return as_text(impl_->read(variable));
}

Handle Simulation::handle(const std::string& variable) {
    impl_->running();
    impl_->handles.emplace_back(variable, &impl_->find(variable));
    return Handle(impl_->handles.size() - 1);
}

double Simulation::get(Handle variable) {
    const auto& [name, known] = impl_->known_by(variable.number_);
    return as_number(impl_->read(*known), name);
}

void Simulation::set(Handle variable, double value) {
    const auto& [name, known] = impl_->known_by(variable.number_);
    impl_->set(*known, value, name);
}

VariableInfo Simulation::info(const std::string& variable) {
    const Known& known = impl_->find(variable);
    VariableInfo info = known.variables->list()[known.index];
    info.name = variable;
    return info;
}

const Results& Simulation::results() const { return *impl_->kept; }

std::string Simulation::record_json() const {
    RunRecord record = impl_->loaded().record();
    record.tandem_version = TANDEM_VERSION;
    record.working_folder = std::filesystem::current_path().string();
    return to_json(record);
}

long Simulation::events() const { return impl_->run ? impl_->run->report().events : 0; }

std::vector<std::string> Simulation::warnings() const {
    std::vector<std::string> texts;
    for (const Diagnostic& finding : impl_->loaded().findings())
        texts.push_back(sentence(finding.place, finding.problem, finding.hint));
    return texts;
}

std::vector<std::string> Simulation::variables() { return impl_->names(); }

void load_plugin(const std::filesystem::path& file) { assemble::load_plugin(file, "load_plugin"); }

}  // namespace tandem
