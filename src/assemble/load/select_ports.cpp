#include "assemble/load/select_ports.hpp"

#include <algorithm>
#include <unordered_map>

#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::assemble {
namespace {

/// The inputs, or the outputs, of all subsystems side by side.
class Side {
public:
    using Ports = std::vector<Port> Interface::*;

    Side(std::span<const std::unique_ptr<Subsystem>> subsystems, Ports ports)
        : subsystems_(subsystems), ports_(ports) {
        for (const auto& subsystem : subsystems_)
            for (const Port& port : subsystem->interface().*ports_) names_.push_back(port.name);
        used_.resize(names_.size());
    }

    void use(int position) { used_[index(position)] = true; }
    bool is_used(int position) const { return used_[index(position)]; }
    void use_all() { used_.assign(used_.size(), true); }

    /// The names in use of the subsystem whose ports come next.
    std::set<std::string> take_names(std::size_t count) {
        std::set<std::string> names;
        for (std::size_t end = next_ + count; next_ < end; ++next_)
            if (used_[next_]) names.insert(names_[next_]);
        return names;
    }

    /// To be called when the subsystems have dropped what they do not need.
    void renumber(std::span<const std::size_t> counts_before) {
        numbers_.assign(names_.size(), -1);
        std::size_t before = 0;
        int after = 0;
        for (std::size_t s = 0; s < subsystems_.size(); ++s) {
            std::unordered_map<std::string, int> positions;
            for (const Port& port : subsystems_[s]->interface().*ports_)
                positions.emplace(port.name, after++);
            for (std::size_t k = 0; k < counts_before[s]; ++k, ++before)
                if (const auto found = positions.find(names_[before]); found != positions.end())
                    numbers_[before] = found->second;
        }
    }

    int number(int position) const {
        expects(numbers_[index(position)] >= 0, "a subsystem keeps the ports that are connected");
        return numbers_[index(position)];
    }

    std::vector<std::size_t> counts() const {
        std::vector<std::size_t> result;
        for (const auto& subsystem : subsystems_)
            result.push_back((subsystem->interface().*ports_).size());
        return result;
    }

private:
    std::span<const std::unique_ptr<Subsystem>> subsystems_;
    Ports ports_;
    std::vector<std::string> names_;
    std::vector<bool> used_;
    std::vector<int> numbers_;
    std::size_t next_ = 0;
};

/// Subsystems with an output that is not in use but follows an input that is.
std::vector<std::size_t> with_free_outputs(std::span<const std::unique_ptr<Subsystem>> subsystems,
                                           const Side& inputs, const Side& outputs) {
    std::vector<std::size_t> found;
    int first_input = 0, first_output = 0;
    for (std::size_t s = 0; s < subsystems.size(); ++s) {
        const Interface& interface = subsystems[s]->interface();
        const auto follows = [&](const FeedThrough& direct) {
            return !outputs.is_used(first_output + direct.output) &&
                   inputs.is_used(first_input + direct.input);
        };
        if (std::ranges::any_of(interface.feed_through, follows)) found.push_back(s);
        first_input += static_cast<int>(interface.inputs.size());
        first_output += static_cast<int>(interface.outputs.size());
    }
    return found;
}

/// Of those that set a port.
template <class Visit>
void for_each_action(PortLinks& connected, Visit visit) {
    for (ode::GroupEvent& event : connected.events)
        for (ode::GroupEvent::Action& action : event.actions)
            if (action.input >= 0) visit(action.input);
}

}  // namespace

std::vector<std::size_t> select_connected_ports(
    std::span<const std::unique_ptr<Subsystem>> subsystems, KeptPorts ports, PortLinks& connected) {
    Side inputs(subsystems, &Interface::inputs);
    Side outputs(subsystems, &Interface::outputs);
    for (const Link& link : connected.links) {
        inputs.use(link.input);
        outputs.use(link.output);
    }
    for (const FunctionLink& function : connected.functions) {
        inputs.use(function.input);
        for (const int output : function.outputs) outputs.use(output);
    }
    for (LineEndPorts& end : connected.line_ends) {
        for (const std::vector<int>* list : end.outputs())
            for (const int output : *list) outputs.use(output);
        for (const std::vector<int>* list : end.inputs())
            for (const int input : *list) inputs.use(input);
    }
    std::vector<std::size_t> followers = with_free_outputs(subsystems, inputs, outputs);
    if (ports != KeptPorts::connected) inputs.use_all();
    if (ports == KeptPorts::all) outputs.use_all();
    for (const TypedLink& link : connected.typed)
        if (link.input >= 0) inputs.use(link.input);
    for_each_action(connected, [&](int& input) { inputs.use(input); });
    const std::vector<std::size_t> input_counts = inputs.counts();
    const std::vector<std::size_t> output_counts = outputs.counts();
    for (std::size_t s = 0; s < subsystems.size(); ++s)
        subsystems[s]->select_ports(
            {inputs.take_names(input_counts[s]), outputs.take_names(output_counts[s])});
    inputs.renumber(input_counts);
    outputs.renumber(output_counts);
    for (Link& link : connected.links) {
        link.input = inputs.number(link.input);
        link.output = outputs.number(link.output);
    }
    for (FunctionLink& function : connected.functions) {
        function.input = inputs.number(function.input);
        for (int& output : function.outputs) output = outputs.number(output);
    }
    for (TypedLink& link : connected.typed)
        if (link.input >= 0) link.input = inputs.number(link.input);
    for (LineEndPorts& end : connected.line_ends) {
        for (std::vector<int>* list : end.outputs())
            for (int& output : *list) output = outputs.number(output);
        for (std::vector<int>* list : end.inputs())
            for (int& input : *list) input = inputs.number(input);
    }
    for_each_action(connected, [&](int& input) { input = inputs.number(input); });
    return followers;
}

}  // namespace tandem::assemble
