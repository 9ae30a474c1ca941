#include "foreign/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/names.hpp"
#include "foreign/values.hpp"

namespace tandem::foreign {

const VariableFacts* ModelFacts::find(const std::string& variable) const {
    auto found = variables.find(variable);
    if (found == variables.end() && variable.ends_with(']'))
        found = variables.find(variable.substr(0, variable.rfind('[')));
    return found == variables.end() ? nullptr : &found->second;
}

std::vector<std::string> ModelFacts::names() const {
    std::vector<std::string> list;
    for (const auto& [name_of_variable, facts] : variables) list.push_back(name_of_variable);
    std::ranges::sort(list);
    return list;
}

const ModelFacts* Models::of(const Subsystem& subsystem, System& system) {
    if (subsystem.is_table) return nullptr;
    const auto [known, is_new] = known_.try_emplace(subsystem.source);
    if (is_new) try {
            known->second = std::make_unique<ModelFacts>(reader_(subsystem.source));
        } catch (const InputError& error) {
            system.note(
                subsystem.place,
                fmt::format("the FMU '{}' of {} cannot be read, so nothing was compared with "
                            "it: {}",
                            subsystem.source.string(), subsystem.name, error.problem()),
                "put it there, or correct 'source' in the file that was written");
        }
    return known->second.get();
}

namespace {

class Fitting {
public:
    Fitting(System& system, Models& models) : system_(system), models_(models) {}

    void fit() {
        for (Subsystem& subsystem : system_.subsystems) {
            keep_last_values(subsystem);
            fit_parameters(subsystem);
        }
        std::erase_if(system_.connections, [&](Connection& c) { return !fits(c); });
        std::erase_if(system_.sums, [&](const Sum& sum) { return !fits(sum); });
        std::erase_if(system_.bonds, [&](const Bond& bond) { return !fits(bond); });
        std::erase_if(system_.recorded, [&](const std::string& name) { return !is_there(name); });
    }

private:
    const ModelFacts* model_of(const std::string& subsystem) {
        const Subsystem* found = system_.find(subsystem);
        return found == nullptr ? nullptr : models_.of(*found, system_);
    }

    /// The names of a large FMU are not searched for each of many notes.
    std::string hint(const std::string& name, const ModelFacts& model) const {
        constexpr std::size_t most_hints = 100;
        return system_.notes.size() < most_hints ? did_you_mean(name, model.names(), "") : "";
    }

    /// Of a variable that is given several values the last one counts.
    void keep_last_values(Subsystem& subsystem) {
        std::vector<Setting> kept;
        std::set<std::string> known;
        const std::vector<Setting>& all = subsystem.parameters;
        for (auto value = all.rbegin(); value != all.rend(); ++value) {
            if (known.insert(value->key).second)
                kept.push_back(*value);
            else
                system_.note(value->place,
                             fmt::format("this value of {}.{} is left out: another one follows",
                                         subsystem.name, value->key));
        }
        std::ranges::reverse(kept);
        subsystem.parameters = std::move(kept);
    }

    void fit_parameters(Subsystem& subsystem) {
        const ModelFacts* model = models_.of(subsystem, system_);
        std::erase_if(subsystem.parameters, [&](Setting& value) {
            const std::string what = fmt::format("the value of {}.{}", subsystem.name, value.key);
            if (model == nullptr) return false;
            const VariableFacts* variable = model->find(value.key);
            if (variable == nullptr) {
                system_.note(value.place, what + " is left out: the FMU has no such variable",
                             hint(value.key, *model));
                return true;
            }
            if (!variable->why_not_settable.empty()) {
                system_.note(value.place, fmt::format("{} is left out: the variable {}", what,
                                                      variable->why_not_settable));
                return true;
            }
            if (value.type == Setting::Type::list || give_type(value, variable->type)) return false;
            system_.note(value.place, fmt::format("{} is left out: it does not fit the type {}",
                                                  what, to_string(variable->type)));
            return true;
        });
    }

    /// False, with a note, if the FMU has no such variable.
    bool knows(const Port& port, const std::string& what, const Place& place) {
        const ModelFacts* model = model_of(port.subsystem);
        if (model == nullptr || model->find(port.variable) != nullptr) return true;
        system_.note(place,
                     fmt::format("{} is left out: the FMU of {} has no variable '{}'", what,
                                 port.subsystem, port.variable),
                     hint(port.variable, *model));
        return false;
    }

    bool is_free(const Port& target, const std::string& what, const Place& place) {
        if (fed_.insert(target.text()).second) return true;
        system_.note(place, fmt::format("{} is left out: {} has another source already", what,
                                        target.text()));
        return false;
    }

    bool fits(Connection& connection) {
        const std::string what = "the connection " + connection.text();
        if (!knows(connection.from, what, connection.place) ||
            !knows(connection.to, what, connection.place) ||
            !is_free(connection.to, what, connection.place))
            return false;
        keep_numbers(connection);
        kept_.insert(connection.text());
        return true;
    }

    /// The other tools do not look at units.
    void keep_numbers(Connection& connection) {
        const std::string from = unit_of(connection.from), to = unit_of(connection.to);
        if (from == to || from.empty() || to.empty()) return;
        connection.suppresses_units = true;
        connection.comment =
            fmt::format("'{}' to '{}': {} does not convert units", from, to, system_.tool);
        system_.note(
            connection.place,
            fmt::format("the connection {} passes numbers in '{}' on as numbers in '{}', as "
                        "{} does",
                        connection.text(), from, to, system_.tool),
            "remove suppress_unit_conversion where that is a mistake");
    }

    std::string unit_of(const Port& port) {
        const ModelFacts* model = model_of(port.subsystem);
        const VariableFacts* variable = model == nullptr ? nullptr : model->find(port.variable);
        return variable == nullptr ? std::string() : variable->unit;
    }

    bool fits(const Sum& sum) {
        const std::string what = fmt::format("the sum '{}' to {}", sum.name, sum.target.text());
        return knows(sum.target, what, sum.place) &&
               std::ranges::all_of(sum.signals,
                                   [&](const Port& p) { return knows(p, what, sum.place); }) &&
               is_free(sum.target, what, sum.place);
    }

    bool fits(const Bond& bond) {
        if (kept_.contains(bond.effort.text()) && kept_.contains(bond.flow.text())) return true;
        system_.note(bond.place,
                     fmt::format("the bond '{}' is left out with its connections", bond.name));
        return false;
    }

    bool is_there(const std::string& name) {
        const auto dot = name.find('.');
        if (dot == std::string::npos) return true;
        const Port port{name.substr(0, dot), name.substr(dot + 1)};
        return port.variable.find('*') != std::string::npos ||
               knows(port, "the recorded variable " + name, system_.file.string());
    }

    System& system_;
    Models& models_;
    std::set<std::string> fed_, kept_;
};

}  // namespace

void fit_to_models(System& system, Models& models) { Fitting(system, models).fit(); }

}  // namespace tandem::foreign
