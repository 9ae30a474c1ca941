#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmi/description/model_description.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::assemble {

/// A subsystem as far as files describe it: its variables, ports and direct dependencies. Nothing
/// of its code is loaded, so it can be connected and looked at, but not run.
class DescribedSubsystem final : public Subsystem {
public:
    /// `states` are the names of those variables that do not depend on inputs directly.
    DescribedSubsystem(std::string name, std::vector<VariableInfo> variables, Interface interface,
                       std::set<std::string> states = {})
        : name_(std::move(name)),
          interface_(std::move(interface)),
          variables_(std::move(variables)),
          states_(std::move(states)) {}

    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return variables_; }
    /// Keeps all ports; other real variables that are selected become outputs.
    void select_ports(const PortSelection& selection) override;
    void enter_initialisation(const Experiment&) override { refuse(); }
    void exit_initialisation() override { refuse(); }
    void finish() override {}
    void set_inputs(const InputCourse&) override { refuse(); }
    StepResult step(Interval) override;
    void get_outputs(std::span<double>) override { refuse(); }

private:
    class List final : public Variables {
    public:
        explicit List(std::vector<VariableInfo> list) : list_(std::move(list)) {}
        const std::vector<VariableInfo>& list() const override { return list_; }
        VariableGroup group(std::span<const std::size_t> variables) const override;
        void read(const VariableGroup&, Values&) override { refuse(); }
        void write(const VariableGroup&, const Values&) override { refuse(); }

    private:
        std::vector<VariableInfo> list_;
    };
    static void refuse();

    std::string name_;
    Interface interface_;
    List variables_;
    std::set<std::string> states_;
};

/// From the description of its FMU.
std::unique_ptr<Subsystem> describe_fmu(std::string name, const fmi::ModelDescription& fmu,
                                        fmi::Kind kind);

/// From the variables that a system uses of it: each output is taken to depend on each input.
std::unique_ptr<Subsystem> describe_by_use(std::string name, std::vector<VariableInfo> used);

}  // namespace tandem::assemble
