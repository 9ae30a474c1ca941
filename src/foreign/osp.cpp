#include "foreign/osp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "files/read_file.hpp"
#include "foreign/limits.hpp"
#include "foreign/values.hpp"

namespace tandem::foreign {
namespace {

namespace fs = std::filesystem;

/// The group of that name, here or further inside.
const OspGroup* find_group(const std::vector<OspGroup>& groups, const std::string& name) {
    for (const OspGroup& group : groups)
        if (group.name == name) return &group;
    for (const OspGroup& group : groups)
        if (const OspGroup* found = find_group(group.groups, name)) return found;
    return nullptr;
}

/// The variables of a group and of the groups inside it, those further inside first.
void collect(const OspGroup& group, std::vector<std::string>& variables) {
    for (const OspGroup& inner : group.groups) collect(inner, variables);
    variables.insert(variables.end(), group.variables.begin(), group.variables.end());
}

bool have_one_shape(const OspGroup& a, const OspGroup& b) {
    return a.variables.size() == b.variables.size() &&
           std::ranges::equal(a.groups, b.groups, have_one_shape);
}

class Conversion {
public:
    Conversion(const OspStructure& structure, const fs::path& file, Models& models)
        : structure_(structure), models_(models) {
        system_.tool = "the Open Simulation Platform";
        system_.file = file;
        system_.name = fs::absolute(file).parent_path().filename().string();
        if (file.stem() != "OspSystemStructure") system_.name = file.stem().string();
        system_.notes = structure.ignored;
    }

    System convert() {
        for (const auto& simulator : structure_.simulators) add_simulator(simulator);
        for (const auto& connection : structure_.connections) add_connection(connection);
        for (const auto& function : structure_.functions) add_function(function);
        add_bonds();
        system_.start = structure_.start.value_or(0.0);
        system_.stop = structure_.end;
        if (!structure_.end)
            system_.note(system_.file.string(), "there is no EndTime",
                         "write stop = ... under [experiment], or run it with --stop");
        choose_algorithm();
        return std::move(system_);
    }

private:
    using Function = OspStructure::Function;
    using End = OspStructure::End;

    void add_simulator(const OspStructure::Simulator& simulator) {
        Subsystem subsystem;
        subsystem.name = free_name(simulator.name, system_);
        subsystem.place = simulator.place;
        subsystem.parameters = simulator.initial_values;
        std::string source = simulator.source;
        const auto query = source.find("?file=");
        if (source.starts_with("proxyfmu:") && query != std::string::npos) {
            source = source.substr(query + 6);
            system_.note(simulator.place, fmt::format("{} runs in this process, not in the server "
                                                      "that its source names",
                                                      subsystem.name));
        }
        subsystem.source = file_of(source, system_.file.parent_path());
        if (subsystem.name != simulator.name)
            system_.note(simulator.place, fmt::format("the simulator '{}' is called {} here",
                                                      simulator.name, subsystem.name));
        names_[simulator.name] = subsystem.name;
        system_.add(std::move(subsystem));
    }

    Port port_of(const End& end) const { return {names_.at(end.owner), end.name}; }

    void add_connection(const OspStructure::Connection& connection) {
        if (connection.first.is_function || connection.second.is_function) {
            const bool first = connection.first.is_function;
            const End& signal = first ? connection.first : connection.second;
            const End& variable = first ? connection.second : connection.first;
            signals_[{signal.owner, signal.name}].push_back(
                {variable, connection.is_group, connection.place});
        } else if (connection.is_group) {
            connect_groups(connection);
        } else {
            connect(port_of(connection.first), port_of(connection.second), connection);
        }
    }

    const VariableFacts* facts_of(const Port& port) {
        const ModelFacts* model = models_.of(*system_.find(port.subsystem), system_);
        return model == nullptr ? nullptr : model->find(port.variable);
    }

    /// The ends of a connection have no order: the output is the source.
    void connect(const Port& first, const Port& second, const OspStructure::Connection& from) {
        const VariableFacts *a = facts_of(first), *b = facts_of(second);
        const bool is_turned = a != nullptr
                                   ? !a->is_output && (b == nullptr || b->is_output || a->is_input)
                                   : b != nullptr && b->is_output;
        if (a == nullptr && (b == nullptr || (!b->is_output && !b->is_input)))
            system_.note(from.place,
                         fmt::format("which end of the connection is the output is not known: "
                                     "taken as {} -> {}",
                                     first.text(), second.text()),
                         "turn it round in the file that was written if need be");
        Connection connection;
        connection.from = is_turned ? second : first;
        connection.to = is_turned ? first : second;
        connection.place = from.place;
        if (!from.bond.empty()) bonds_[from.bond].push_back(connection);
        system_.connections.push_back(std::move(connection));
    }

    void connect_groups(const OspStructure::Connection& connection) {
        const OspGroup* a = group_of(connection.first, connection.place);
        const OspGroup* b = group_of(connection.second, connection.place);
        if (a == nullptr || b == nullptr) return;
        if (!have_one_shape(*a, *b))
            throw InputError(connection.place,
                             fmt::format("the groups {}.{} and {}.{} have different numbers of "
                                         "variables",
                                         connection.first.owner, connection.first.name,
                                         connection.second.owner, connection.second.name),
                             "compare them in the two OspModelDescription.xml");
        std::vector<std::string> first, second;
        collect(*a, first);
        collect(*b, second);
        for (std::size_t i = 0; i < first.size(); ++i)
            connect({names_.at(connection.first.owner), first[i]},
                    {names_.at(connection.second.owner), second[i]}, connection);
    }

    /// Null, with a note, if there is no description of the model.
    const OspGroup* group_of(const End& end, const Place& place) {
        const Subsystem& subsystem = *system_.find(names_.at(end.owner));
        const auto [known, is_new] = groups_.try_emplace(end.owner);
        if (is_new) known->second = groups_of(subsystem);
        if (!known->second) {
            system_.note(place,
                         fmt::format("the connection of the group {}.{} is left out: there is no "
                                     "OspModelDescription.xml of its model",
                                     end.owner, end.name),
                         "put <model name>_OspModelDescription.xml beside the FMU");
            return nullptr;
        }
        const OspGroup* group = find_group(*known->second, end.name);
        if (group == nullptr)
            throw InputError(place,
                             fmt::format("the model of {} has no group '{}'", end.owner, end.name),
                             "its OspModelDescription.xml lists its groups");
        return group;
    }

    std::optional<std::vector<OspGroup>> groups_of(const Subsystem& subsystem) {
        const ModelFacts* model = models_.of(subsystem, system_);
        const std::string name =
            (model == nullptr ? subsystem.source.stem().string() : model->name) +
            "_OspModelDescription.xml";
        for (const fs::path& folder :
             {subsystem.source.parent_path(), system_.file.parent_path()}) {
            std::error_code failed;
            const fs::path file = folder / fs::path(name).filename();
            if (fs::is_regular_file(file, failed))
                return parse_osp_groups(read_file(file, largest_file), file.string());
        }
        return std::nullopt;
    }

    struct Wire {
        End variable;
        bool is_group = false;
        Place place;
    };

    /// The variables at a signal of a function, one vector per connection.
    std::vector<std::vector<Port>> wires(const Function& function, const std::string& signal) {
        const auto found = signals_.find({function.name, signal});
        if (found == signals_.end())
            throw InputError(function.place,
                             fmt::format("nothing is connected to '{}' of the function '{}'",
                                         signal, function.name),
                             "add a <SignalConnection> for it");
        std::vector<std::vector<Port>> result;
        for (const Wire& wire : found->second) {
            std::vector<Port> ports;
            if (!wire.is_group) {
                ports.push_back(port_of(wire.variable));
            } else if (const OspGroup* group = group_of(wire.variable, wire.place)) {
                for (const std::string& variable : group->variables)
                    ports.push_back({names_.at(wire.variable.owner), variable});
            } else {
                continue;
            }
            if (ports.size() < static_cast<std::size_t>(function.dimension))
                throw InputError(
                    wire.place,
                    fmt::format("'{}' of {} has fewer variables than the function '{}'",
                                wire.variable.name, wire.variable.owner, function.name),
                    "compare 'dimension' with the OspModelDescription.xml");
            result.push_back(std::move(ports));
        }
        return result;
    }

    void add_function(const Function& function) {
        if (function.kind == Function::Kind::linear) return add_linear(function);
        std::vector<std::vector<Port>> inputs;
        for (std::int64_t i = 0; i < function.inputs; ++i) {
            const auto found = wires(function, fmt::format("in[{}]", i));
            if (found.empty()) return;
            inputs.push_back(found.front());
        }
        const auto dimension = static_cast<std::size_t>(function.dimension);
        for (const std::vector<Port>& targets : wires(function, "out"))
            for (std::size_t j = 0; j < std::min(dimension, targets.size()); ++j) {
                Sum sum{function.name, {}, targets[j], function.place};
                for (const std::vector<Port>& input : inputs) sum.signals.push_back(input[j]);
                system_.sums.push_back(std::move(sum));
            }
    }

    void add_linear(const Function& function) {
        const auto sources = wires(function, "in");
        for (const std::vector<Port>& targets : wires(function, "out"))
            if (!sources.empty())
                system_.connections.push_back(
                    {sources.front().front(), targets.front(), function.factor, function.offset,
                     false, fmt::format("the function '{}'", function.name), function.place});
    }

    void add_bonds() {
        for (const auto& [name, connections] : bonds_)
            if (connections.size() == 2)
                system_.bonds.push_back(
                    {name, connections[0], connections[1], connections[0].place});
            else
                system_.note(connections[0].place,
                             fmt::format("the power bond '{}' is left out: it has {} connections, "
                                         "not two",
                                         name, connections.size()));
    }

    void choose_algorithm() {
        std::string name = structure_.algorithm;
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        const bool is_ecco = name == "ecco";
        if (!is_ecco && name != "fixedstep")
            system_.note(structure_.algorithm_place,
                         fmt::format("the algorithm '{}' is not known: taken as fixedStep",
                                     structure_.algorithm),
                         "OSP has fixedStep and ecco");
        system_.coupling = {"All step at once, inputs are held",
                            {description::text_setting("method", "jacobi")}};
        if (is_ecco)
            choose_ecco();
        else
            choose_fixed_step();
    }

    /// A simulator that asks for a longer step takes the largest multiple of the base step in it.
    void choose_fixed_step() {
        constexpr double rounding = 1e-9;
        std::vector<std::int64_t> ratios;
        for (const auto& simulator : structure_.simulators) {
            const double ratio = simulator.step_size.value_or(0.0) / structure_.base_step;
            ratios.push_back(std::clamp<std::int64_t>(
                std::llround(std::floor(std::min(ratio, 1e9) * (1.0 + rounding))), 1,
                std::int64_t{1} << 30U));
        }
        const std::int64_t common = std::accumulate(ratios.begin(), ratios.end(), std::int64_t{0},
                                                    std::gcd<std::int64_t, std::int64_t>);
        system_.step = structure_.base_step * static_cast<double>(common);
        for (std::size_t i = 0; i < ratios.size(); ++i)
            if (ratios[i] != common)
                system_.note(structure_.simulators[i].place,
                             fmt::format("{} steps and exchanges values every {} s here, in OSP "
                                         "every {} s",
                                         system_.subsystems[i].name, *system_.step,
                                         structure_.base_step * static_cast<double>(ratios[i])));
    }

    void choose_ecco() {
        const auto value = [&](const char* name, double otherwise) {
            const auto found = structure_.ecco.find(name);
            return found == structure_.ecco.end() ? otherwise : found->second;
        };
        system_.step = value("MaximumStepSize", structure_.base_step);
        if (system_.bonds.empty()) {
            system_.step = value("StepSize", structure_.base_step);
            system_.note(
                structure_.algorithm_place,
                "'ecco' is not taken over: there are no power bonds to control the step by",
                "the communication step is fixed");
            return;
        }
        system_.step_control = {
            "ecco: the step follows the energy residual of the bonds",
            {description::text_setting("method", "power_residual"),
             description::real_setting("tolerance", value("RelativeTolerance", 1e-4)),
             description::real_setting(
                 "first_step", std::min(value("StepSize", structure_.base_step), *system_.step)),
             description::real_setting(
                 "min_step",
                 std::min(value("MinimumStepSize", 1e-6 * *system_.step), *system_.step))}};
        system_.note(structure_.algorithm_place,
                     "SafetyFactor, change rates, gains and AbsoluteTolerance of 'ecco' are not "
                     "taken over: Tandem has a controller of its own",
                     "docs/step_control.md says how it chooses steps");
    }

    const OspStructure& structure_;
    Models& models_;
    System system_;
    std::map<std::string, std::string> names_;  ///< of the simulators, as they are here
    std::map<std::string, std::optional<std::vector<OspGroup>>> groups_;
    std::map<std::pair<std::string, std::string>, std::vector<Wire>> signals_;
    std::map<std::string, std::vector<Connection>> bonds_;
};

}  // namespace

System read_osp(const fs::path& file, Models& models) {
    const std::string text = read_file(file, largest_file);
    return Conversion(parse_osp_structure(text, file.string()), file, models).convert();
}

}  // namespace tandem::foreign
