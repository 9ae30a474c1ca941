#include "results/record_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/names.hpp"
#include "tandem/error.hpp"

namespace tandem::results {
namespace {

std::vector<std::size_t> default_selection(const std::vector<VariableInfo>& variables) {
    const auto is_output = [](const VariableInfo& v) {
        return v.is_output && v.type != ValueType::clock;
    };
    const bool has_outputs = std::ranges::any_of(variables, is_output);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const VariableInfo& v = variables[i];
        const bool is_wanted = !v.is_parameter && v.type != ValueType::clock;
        if (has_outputs ? is_output(v) : is_wanted) chosen.push_back(i);
    }
    return chosen;
}

std::vector<std::string> names_of(const std::vector<VariableInfo>& variables) {
    std::vector<std::string> names;
    for (const VariableInfo& variable : variables) names.push_back(variable.name);
    return names;
}

/// The independent variable is the first column of every file anyway.
bool is_time(const VariableInfo& variable) {
    return (variable.name == "time" || variable.name.ends_with(".time")) && !variable.is_output &&
           !variable.is_input && !variable.is_parameter && variable.is_continuous;
}

/// Which variables match any of the patterns; `option` is the place in messages.
std::vector<bool> matching(const std::vector<VariableInfo>& variables,
                           const std::vector<std::string>& patterns, const char* option) {
    std::vector<bool> chosen(variables.size(), false);
    for (const std::string& pattern : patterns) {
        bool found = false;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            if (!matches(pattern, variables[i].name)) continue;
            chosen[i] = !is_time(variables[i]);
            found = true;
        }
        if (!found)
            throw InputError(option, fmt::format("no variable matches '{}'", pattern),
                             did_you_mean(pattern, names_of(variables),
                                          "tandem info --all lists the variables"));
    }
    return chosen;
}

using PortMap = std::unordered_map<std::string_view, std::size_t>;

PortMap map_ports(const RecordSource& source) {
    PortMap ports;
    for (std::size_t i = 0; i < source.port_values.size(); ++i)
        ports.emplace(source.ports[i].name, i);
    return ports;
}

std::optional<std::size_t> find_port(const PortMap& ports, const VariableInfo& info) {
    if (ports.empty() || info.size == 0 || storage_of(info.type) != Storage::reals) return {};
    const auto position = [&](std::size_t k) {
        const auto found =
            ports.find(info.size == 1 ? info.name : fmt::format("{}[{}]", info.name, k + 1));
        return found == ports.end() ? std::optional<std::size_t>{} : found->second;
    };
    const std::optional<std::size_t> first = position(0);
    for (std::size_t k = 1; first && k < info.size; ++k)
        if (position(k) != *first + k) return {};
    return first;
}

}  // namespace

std::vector<std::size_t> select_variables(const std::vector<VariableInfo>& variables,
                                          const std::vector<std::string>& patterns) {
    if (patterns.empty()) return default_selection(variables);
    const std::vector<bool> chosen = matching(variables, patterns, "--record");
    std::vector<std::size_t> selection;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i]) selection.push_back(i);
    return selection;
}

std::vector<RecordedVariable> choose_variables(const std::vector<RecordSource>& sources,
                                               const RecordOptions& options) {
    std::vector<VariableInfo> all;
    std::vector<RecordedVariable> places;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        const PortMap ports = map_ports(sources[s]);
        const std::vector<VariableInfo>& list = sources[s].variables->list();
        for (std::size_t i = 0; i < list.size(); ++i) {
            all.push_back(list[i]);
            all.back().name = sources[s].prefix + list[i].name;
            places.push_back({s, i, find_port(ports, list[i])});
        }
    }
    const std::vector<bool> unwanted = matching(all, options.exclude, "exclude");
    std::vector<RecordedVariable> chosen;
    for (const std::size_t i : select_variables(all, options.patterns))
        if (!unwanted[i]) chosen.push_back(places[i]);
    return chosen;
}

}  // namespace tandem::results
