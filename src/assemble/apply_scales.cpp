#include "assemble/apply_scales.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/names.hpp"

namespace tandem::assemble {
namespace {

constexpr std::size_t few = 12;  // names that a hint may list

bool is_of(const Port& state, const std::string& variable) {
    return state.name == variable || state.name.starts_with(variable + "[");
}

/// The ports and states that a signal may be, element by element.
std::vector<std::string> names_of(const Signal& signal) {
    std::vector<std::string> names;
    for (const std::size_t element : signal.elements)
        for (std::string& name : Signals::port_names(signal, element))
            names.push_back(std::move(name));
    return names;
}

class ScaleReader {
public:
    ScaleReader(const description::FlatSubsystem& description, std::size_t index,
                LoadedSubsystem& loaded, const Signals& signals)
        : description_(description), index_(index), loaded_(loaded), signals_(signals) {}

    NamedSizes nominals() const {
        const description::Setting* given = description_.option("nominal");
        return given == nullptr ? NamedSizes{} : read(*given, &ScaleReader::nominal_names);
    }

    Scales read() const {
        Scales scales;
        scales.nominals = nominals();
        if (const description::Setting* given = description_.option("absolute_tolerance"))
            if (has_error_control(*given))
                scales.absolute_tolerances = read(*given, &ScaleReader::state_names);
        return scales;
    }

private:
    using Names = std::vector<std::string> (ScaleReader::*)(const description::Setting&) const;

    /// Elements count before arrays, and names that are given before their aliases.
    NamedSizes read(const description::Setting& given, Names names_of_entry) const {
        NamedSizes sizes;
        if (given.is_number()) sizes.all = given.as_real();
        std::vector<std::pair<std::vector<std::string>, double>> wholes;
        for (const description::Setting& entry : given.entries) {
            std::vector<std::string> names = (this->*names_of_entry)(entry);
            if (names.size() > 1 && !description::split_slice(entry.key)) {
                wholes.emplace_back(std::move(names), entry.as_real());
                continue;
            }
            for (std::string& name : names) sizes.by_name.emplace(std::move(name), entry.as_real());
        }
        for (const auto& [names, size] : wholes)
            for (const std::string& name : names) sizes.by_name.emplace(name, size);
        add_aliases(given, sizes);
        return sizes;
    }

    /// FMI 1.0 and 2.0: variables with the same reference are one.
    void add_aliases(const description::Setting& given, NamedSizes& sizes) const {
        if (loaded_.fmu == nullptr || given.entries.empty()) return;
        const auto& variables = loaded_.fmu->description().variables;
        std::map<fmi::ValueReference, double> by_reference;
        for (const fmi::Variable& variable : variables)
            if (is_real(variable.type) && variable.dimensions.empty())
                if (const double size = sizes.of(variable.name); size > 0.0)
                    by_reference.emplace(variable.reference, size);
        for (const fmi::Variable& variable : variables)
            if (is_real(variable.type) && variable.dimensions.empty())
                if (const auto known = by_reference.find(variable.reference);
                    known != by_reference.end())
                    sizes.by_name.emplace(variable.name, known->second);
    }

    static bool is_real(ValueType type) { return storage_of(type) == Storage::reals; }

    std::vector<std::string> nominal_names(const description::Setting& entry) const {
        const auto signal = signals_.find(index_, entry.key, entry.place);
        if (!signal) return {};
        if (is_real(signal->info->type) && !signal->info->is_parameter) return names_of(*signal);
        signals_.error(entry.place,
                       fmt::format("'nominal': '{}' is {}", signal->text,
                                   signal->info->is_parameter ? "a parameter" : "not real"),
                       "give nominals of real inputs, outputs, states and local variables");
        return {};
    }

    std::vector<std::string> state_names(const description::Setting& entry) const {
        const std::vector<Port>& states = loaded_.hosted->model().shape().states;
        if (std::ranges::find(states, entry.key, &Port::name) != states.end()) return {entry.key};
        const auto signal = signals_.find(index_, entry.key, entry.place);
        if (!signal) return {};
        const std::vector<std::string> same = variables_that_are(*signal);
        const bool is_state = std::ranges::any_of(states, [&](const Port& state) {
            return std::ranges::any_of(same, [&](const auto& name) { return is_of(state, name); });
        });
        if (is_state) return names_of(*signal);
        std::vector<std::string> known;
        for (std::size_t i = 0; i < std::min(states.size(), few); ++i)
            known.push_back(states[i].name);
        const char* rest = states.size() > few ? ", ..." : "";
        signals_.error(
            entry.place,
            fmt::format("'absolute_tolerance': '{}' is no continuous state", signal->text),
            known.empty() ? "the model has none"
                          : fmt::format("its states are {}{}", fmt::join(known, ", "), rest));
        return {};
    }

    /// A variable and its aliases in FMI 1.0 and 2.0.
    std::vector<std::string> variables_that_are(const Signal& signal) const {
        std::vector<std::string> names{signal.info->name};
        if (loaded_.fmu == nullptr) return names;
        const auto& variables = loaded_.fmu->description().variables;
        for (const fmi::Variable& variable : variables)
            if (is_real(variable.type) &&
                variable.reference == variables[signal.variable].reference)
                names.push_back(variable.name);
        return names;
    }

    bool has_error_control(const description::Setting& given) const {
        expects(loaded_.hosted != nullptr, "what brings its own solver takes no tolerances");
        if (!ode::has_fixed_steps(ode::method_from(loaded_.solver))) return true;
        signals_.error(given.place,
                       fmt::format("'absolute_tolerance' of '{}': the solver {} takes equal steps "
                                   "without error control",
                                   description_.name, loaded_.solver),
                       "leave it out, or use cvode, cvode_adams or dopri5");
        return false;
    }

    const description::FlatSubsystem& description_;
    std::size_t index_;
    LoadedSubsystem& loaded_;
    const Signals& signals_;
};

/// As the record of a run shows them.
void note(const description::Setting& setting, Settings& settings) {
    switch (setting.type) {
        case description::Setting::Type::table:
            for (const description::Setting& entry : setting.entries)
                settings.push_back({fmt::format("{} {}", setting.key, entry.key),
                                    fmt::format("{}", entry.as_real())});
            break;
        case description::Setting::Type::text:
            settings.push_back({setting.key, setting.as_text()});
            break;
        default: settings.push_back({setting.key, fmt::format("{}", setting.as_real())}); break;
    }
}

}  // namespace

void check_nominals(const description::FlatSubsystem& description, std::size_t index,
                    LoadedSubsystem& loaded, const Signals& signals) {
    ScaleReader(description, index, loaded, signals).nominals();
}

void apply_scales(const description::FlatSubsystem& description, std::size_t index,
                  LoadedSubsystem& loaded, const Signals& signals) {
    const Scales scales = ScaleReader(description, index, loaded, signals).read();
    if (!scales.empty()) {
        auto* scaled = dynamic_cast<Scaled*>(loaded.subsystem.get());
        if (scaled == nullptr)
            throw InputError(
                description.place,
                fmt::format("'{}' takes no nominals and tolerances from outside", description.name),
                "leave them out; its plug-in says them");
        scaled->set_scales(scales);
    }
    for (const char* key : {"nominal", "absolute_tolerance", "tolerance", "step", "max_step",
                            "first_step", "max_order", "max_steps"})
        if (const description::Setting* setting = description.option(key))
            note(*setting, loaded.settings);
}

}  // namespace tandem::assemble
