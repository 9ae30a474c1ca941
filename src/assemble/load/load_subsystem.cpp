#include "assemble/load/load_subsystem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "assemble/load/fmu_kind.hpp"
#include "base/log.hpp"
#include "base/names.hpp"
#include "kit/native_ode.hpp"
#include "subsystem/cs_fmu.hpp"
#include "subsystem/fmu_ode.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/source.hpp"

namespace tandem::assemble {
namespace {

/// What only a solver of ours can follow.
constexpr const char* solver_keys[] = {"solver", "absolute_tolerance", "max_order", "first_step",
                                       "max_steps"};

class Loader {
public:
    Loader(const description::FlatSubsystem& description, const LoadOptions& options)
        : description_(description), options_(options) {}

    LoadedSubsystem load() {
        switch (description_.type) {
            case description::SourceType::fmu: load_fmu(); break;
            case description::SourceType::library: load_library(); break;
            case description::SourceType::table: load_table(); break;
            case description::SourceType::model: load_model(); break;
            case description::SourceType::extension: load_extension(); break;
            default:
                throw InputError(
                    description_.place,
                    fmt::format("subsystem '{}' has no source", description_.name),
                    "give it source = \"x.fmu\", a model library (.so) or a .csv file");
        }
        return std::move(loaded_);
    }

private:
    void load_fmu() {
        loaded_.fmu = fmi::Fmu::open(description_.source);
        for (const Diagnostic& finding : loaded_.fmu->findings())
            log(LogLevel::info, sentence(finding.place, finding.problem, finding.hint));
        fmi::InstanceOptions instance;
        instance.name = description_.name;
        instance.fmu_logging = options_.fmu_logging;
        instance.input_laws = options_.input_laws;
        instance.rollback = !options_.without_rollback.contains(description_.name);
        if (options_.on_call)
            instance.on_call = [name = description_.name, log = options_.on_call](
                                   const std::string& call) { log(name, call); };
        if (wants_co_simulation(description_, loaded_.fmu->description(),
                                options_.prefers_model_exchange))
            host_co_simulation(std::move(instance));
        else
            host_model_exchange(std::move(instance));
    }

    void host_co_simulation(fmi::InstanceOptions instance) {
        refuse_solver("a Co-Simulation FMU brings its own solver", ", or choose kind = \"me\"");
        subsystem::CsFmuOptions options;
        options.instance = std::move(instance);
        options.on_event = options_.on_event;
        loaded_.subsystem = std::make_unique<subsystem::CsFmu>(loaded_.fmu, std::move(options));
        loaded_.kind = "co-simulation";
    }

    void host_model_exchange(fmi::InstanceOptions instance) {
        auto hosted = std::make_unique<ode::HostedOde>(
            std::make_unique<subsystem::FmuOde>(loaded_.fmu, std::move(instance)), host_options());
        loaded_.hosted = hosted.get();
        loaded_.subsystem = std::move(hosted);
        loaded_.kind = "model exchange";
    }

    void load_library() {
        loaded_.library = std::make_unique<kit::NativeLibrary>(description_.source);
        host_native(loaded_.library->model_class());
    }

    void host_native(const kit::ModelClass& model_class) {
        loaded_.subsystem =
            kit::make_native_subsystem(model_class, description_.name, host_options());
        loaded_.hosted = dynamic_cast<ode::HostedOde*>(loaded_.subsystem.get());
        loaded_.kind = "native";
        if (loaded_.hosted != nullptr) return;
        refuse_solver("the model is a step function, which no solver integrates", "");
        loaded_.solver.clear();
    }

    void load_model() { host_native(*options_.models.at(description_.name)); }

    void load_table() {
        refuse_solver("a table needs no solver", "");
        auto table =
            std::make_unique<TableSource>(description_.name, description_.source, interpolation());
        loaded_.table = table.get();
        loaded_.subsystem = std::move(table);
        loaded_.kind = "csv";
    }

    void load_extension() {
        const description::Setting& type = *description_.option("type");
        const subsystem::SourceRow* row = subsystem::sources().find(type.as_text());
        if (row == nullptr) {
            std::vector<std::string> known = subsystem::sources().names();
            known.insert(known.end(), {"fmu", "library", "table", "system"});
            throw InputError(
                type.place, fmt::format("unknown type '{}'", type.as_text()),
                did_you_mean(type.as_text(), known, fmt::format("use {}", fmt::join(known, ", "))));
        }
        refuse_solver("a type of a plug-in is stepped by itself", "");
        subsystem::SourceRequest request{
            description_.name, description_.source.string(), {}, description_.place};
        if (const description::Setting* options = description_.option("options"))
            for (const description::Setting& entry : options->entries)
                request.options.push_back(description::given_option(entry));
        Diagnostics findings;
        loaded_.subsystem = row->make(request, findings);
        throw_errors(findings);
        if (loaded_.subsystem == nullptr)
            throw InputError(description_.place,
                             fmt::format("the plug-in of '{}' made no subsystem", row->name),
                             "ask its maker");
        check_facets();
        loaded_.kind = row->name;
    }

    /// What a constructor has not registered cannot be called.
    void check_facets() const {
        const Capabilities& can = loaded_.subsystem->interface().capabilities;
        const Facets& has = loaded_.subsystem->facets();
        const char* missing = can.rollback && has.rollback == nullptr ? "Rollback"
                              : can.traces && has.tracer == nullptr   ? "Tracer"
                              : can.laws && has.laws == nullptr       ? "LawHost"
                              : (can.jacobians || can.linear_model || can.output_derivatives > 0) &&
                                      has.linear == nullptr
                                  ? "Linearisable"
                                  : nullptr;
        if (missing != nullptr)
            throw InputError(description_.place,
                             fmt::format("'{}' has a capability without its facet {}",
                                         description_.name, missing),
                             "derive it from that and say facets_ = facets_of(this) in its "
                             "constructor, see docs/plugins.md");
    }

    Interpolation interpolation() const {
        const description::Setting* setting = description_.option("interpolation");
        const bool holds = setting != nullptr && setting->as_text() == "hold";
        return holds ? Interpolation::hold : Interpolation::linear;
    }

    ode::HostedOdeOptions host_options() {
        ode::HostedOdeOptions options;
        if (const description::Setting* solver = description_.option("solver"))
            options.solver.method = method_of(*solver);
        options.solver.relative_tolerance =
            number("tolerance", options_.tolerance.value_or(default_tolerance));
        options.solver.fixed_step = number("step", 0.0);
        options.solver.max_step = number("max_step", 0.0);
        options.solver.max_order = static_cast<int>(number("max_order", 0.0));
        options.first_step = number("first_step", 0.0);
        options.max_steps = static_cast<int>(number("max_steps", 0.0));
        if (const auto refused = ode::refused_option(options))
            throw InputError(description_.option(refused->option)->place, refused->problem,
                             refused->hint);
        if (options_.on_event)
            options.on_event = [notify = options_.on_event](const ode::EventNotice& notice) {
                notify(notice.t, notice.after);
            };
        loaded_.solver = to_string(options.solver.method);
        return options;
    }

    void refuse_solver(const char* problem, const char* instead) const {
        for (const char* key : solver_keys)
            if (const description::Setting* setting = description_.option(key))
                throw InputError(setting->place, problem,
                                 fmt::format("leave out '{}'{}", key, instead));
    }

    static ode::Method method_of(const description::Setting& solver) {
        try {
            return ode::method_from(solver.as_text());
        } catch (const InputError& error) {
            throw InputError(solver.place, fmt::format("solver {}", error.problem()), error.hint());
        }
    }

    double number(std::string_view key, double otherwise) const {
        const description::Setting* setting = description_.option(key);
        return setting != nullptr ? setting->as_real() : otherwise;
    }

    const description::FlatSubsystem& description_;
    const LoadOptions& options_;
    LoadedSubsystem loaded_;
};

}  // namespace

bool LoadedSubsystem::is_tunable(const std::string& parameter) const {
    if (fmu != nullptr) {
        const auto& variables = fmu->description().variables;
        const auto found = std::ranges::find(variables, parameter, &fmi::Variable::name);
        return found != variables.end() && found->variability == fmi::Variability::tunable;
    }
    auto* native = hosted != nullptr ? dynamic_cast<kit::NativeOde*>(&hosted->model()) : nullptr;
    return native != nullptr && native->is_tunable(parameter);
}

std::optional<UnitInBase> LoadedSubsystem::unit(const std::string& name) const {
    if (fmu == nullptr) return std::nullopt;
    const fmi::Unit* found = fmu->description().unit(name);
    if (found == nullptr || !found->base) return std::nullopt;
    return UnitInBase{found->base->exponents, found->base->factor, found->base->offset};
}

LoadedSubsystem load_subsystem(const description::FlatSubsystem& description,
                               const LoadOptions& options) {
    return Loader(description, options).load();
}

}  // namespace tandem::assemble
