#include "run/aggregate.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "ode/ode_group.hpp"
#include "run/table_ode.hpp"

namespace tandem::run {
namespace {

constexpr const char* group_name = "aggregate";

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Where the ports of one side of the subsystems are, before and after.
struct Numbering {
    std::vector<int> member_port;  ///< in the group, of each port; -1 for ports of others
    std::vector<std::string> names;
    std::vector<int> owner;
};

class Aggregator {
public:
    Aggregator(std::vector<std::unique_ptr<Subsystem>> subsystems, PortLinks links,
               std::vector<LoadedSubsystem>& parts, const ode::HostedOdeOptions& options)
        : given_(std::move(subsystems)), links_(std::move(links)), parts_(parts), options_(options) {}

    Aggregation perform() {
        for (std::size_t s = 0; s < given_.size(); ++s)
            is_member_.push_back(parts_[s].hosted != nullptr || parts_[s].table != nullptr);
        const bool has_models = std::ranges::any_of(
            parts_, [](const LoadedSubsystem& part) { return part.hosted != nullptr; });
        if (!has_models) return leave_alone();
        inputs_ = number(&Interface::inputs);
        outputs_ = number(&Interface::outputs);
        take_members();
        split_links();
        make_group();
        add_others();
        renumber();
        return std::move(result_);
    }

private:
    Aggregation leave_alone() {
        for (std::size_t s = 0; s < given_.size(); ++s) {
            result_.variables.push_back(&given_[s]->variables());
            result_.place.push_back(static_cast<int>(s));
        }
        result_.subsystems = std::move(given_);
        result_.links = std::move(links_);
        return std::move(result_);
    }

    Numbering number(std::vector<Port> Interface::* ports) const {
        Numbering numbering;
        int next = 0;
        for (std::size_t s = 0; s < given_.size(); ++s)
            for (const Port& port : given_[s]->interface().*ports) {
                numbering.member_port.push_back(is_member_[s] ? next++ : -1);
                numbering.names.push_back(is_member_[s] ? given_[s]->name() + "." + port.name
                                                        : port.name);
                numbering.owner.push_back(static_cast<int>(s));
            }
        return numbering;
    }

    void take_members() {
        result_.variables.resize(given_.size());
        for (std::size_t s = 0; s < given_.size(); ++s) {
            if (!is_member_[s]) {
                result_.variables[s] = &given_[s]->variables();
                continue;
            }
            if (parts_[s].hosted != nullptr)
                members_.push_back(parts_[s].hosted->release_model());
            else
                members_.push_back(std::make_unique<TableOde>(*parts_[s].table));
            result_.variables[s] = &members_.back()->variables();
            if (parts_[s].table == nullptr) given_[s].reset();
        }
    }

    bool is_inside(const Link& link) const {
        return inputs_.member_port[at(link.input)] >= 0 &&
               outputs_.member_port[at(link.output)] >= 0;
    }
    bool is_inside(const FunctionLink& function) const {
        return inputs_.member_port[at(function.input)] >= 0 &&
               std::ranges::all_of(function.outputs, [this](int output) {
                   return outputs_.member_port[at(output)] >= 0;
               });
    }

    void split_links() {
        for (const Link& link : links_.links) {
            if (!is_inside(link)) {
                outer_.links.push_back(link);
                continue;
            }
            wiring_.links.push_back({outputs_.member_port[at(link.output)],
                                     inputs_.member_port[at(link.input)], link.gain, link.offset});
        }
        for (FunctionLink& function : links_.functions) {
            if (!is_inside(function)) {
                outer_.functions.push_back(std::move(function));
                continue;
            }
            function.input = inputs_.member_port[at(function.input)];
            for (int& output : function.outputs) output = outputs_.member_port[at(output)];
            wiring_.functions.push_back(std::move(function));
        }
        outer_.typed = std::move(links_.typed);
    }

    /// What the rest of the system needs of it.
    PortSelection needed() const {
        PortSelection selection;
        const auto input = [&](int i) {
            if (inputs_.member_port[at(i)] >= 0) selection.inputs.insert(inputs_.names[at(i)]);
        };
        const auto output = [&](int i) {
            if (outputs_.member_port[at(i)] >= 0) selection.outputs.insert(outputs_.names[at(i)]);
        };
        for (const Link& link : outer_.links) {
            input(link.input);
            output(link.output);
        }
        for (const FunctionLink& function : outer_.functions) {
            input(function.input);
            for (const int i : function.outputs) output(i);
        }
        for (const TypedLink& link : outer_.typed)
            if (link.input >= 0) input(link.input);
        return selection;
    }

    void make_group() {
        const PortSelection selection = needed();
        auto group = std::make_unique<ode::OdeGroup>(group_name, std::move(members_),
                                                     std::move(wiring_));
        group->select_ports(selection);
        auto hosted = std::make_unique<ode::HostedOde>(std::move(group), options_);
        result_.group = hosted.get();
        result_.subsystems.push_back(std::move(hosted));
    }

    void add_others() {
        result_.place.assign(given_.size(), 0);
        for (std::size_t s = 0; s < given_.size(); ++s) {
            if (is_member_[s]) continue;
            result_.place[s] = static_cast<int>(result_.subsystems.size());
            result_.subsystems.push_back(std::move(given_[s]));
        }
    }

    /// From the numbers of the ports as they were to those of the new subsystems.
    std::vector<int> new_numbers(const Numbering& before, std::vector<Port> Interface::* ports) {
        std::vector<std::unordered_map<std::string, int>> positions(result_.subsystems.size());
        int next = 0;
        for (std::size_t s = 0; s < result_.subsystems.size(); ++s)
            for (const Port& port : result_.subsystems[s]->interface().*ports)
                positions[s].emplace(port.name, next++);
        std::vector<int> numbers;
        for (std::size_t i = 0; i < before.names.size(); ++i) {
            const auto& own = positions[at(result_.place[at(before.owner[i])])];
            const auto found = own.find(before.names[i]);
            numbers.push_back(found == own.end() ? -1 : found->second);
        }
        return numbers;
    }

    void renumber() {
        const std::vector<int> inputs = new_numbers(inputs_, &Interface::inputs);
        const std::vector<int> outputs = new_numbers(outputs_, &Interface::outputs);
        for (Link& link : outer_.links) {
            link.input = inputs[at(link.input)];
            link.output = outputs[at(link.output)];
        }
        for (FunctionLink& function : outer_.functions) {
            function.input = inputs[at(function.input)];
            for (int& output : function.outputs) output = outputs[at(output)];
        }
        for (TypedLink& link : outer_.typed)
            if (link.input >= 0) link.input = inputs[at(link.input)];
        result_.links = std::move(outer_);
    }

    std::vector<std::unique_ptr<Subsystem>> given_;
    PortLinks links_;
    std::vector<LoadedSubsystem>& parts_;
    const ode::HostedOdeOptions& options_;
    std::vector<bool> is_member_;
    Numbering inputs_, outputs_;
    std::vector<std::unique_ptr<ode::OdeModel>> members_;
    ode::GroupWiring wiring_;
    PortLinks outer_;
    Aggregation result_;
};

}  // namespace

Aggregation aggregate(std::vector<std::unique_ptr<Subsystem>> subsystems, PortLinks links,
                      std::vector<LoadedSubsystem>& parts, const ode::HostedOdeOptions& options) {
    return Aggregator(std::move(subsystems), std::move(links), parts, options).perform();
}

}  // namespace tandem::run
