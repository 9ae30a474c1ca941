#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/scales.hpp"
#include "kit/engine.hpp"
#include "kit/native_variables.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::kit {

/// A model that is just a step function: called once per interval, with inputs as they are at its
/// begin.
class StepModel final : public Subsystem, public Rollback, public Scaled {
public:
    /// `model_class` must outlive it.
    StepModel(const ModelClass& model_class, std::string name, EngineOptions options = {});
    ~StepModel() override;

    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return variables_; }

    void select_ports(const PortSelection& selection) override;
    void set_scales(const Scales& scales) override;
    void enter_initialisation(const Experiment& experiment) override;
    void exit_initialisation() override;
    void finish() override {}
    void set_inputs(const InputCourse& course) override;
    StepResult step(Interval interval) override;
    void get_outputs(std::span<double> outputs) override;
    void save(StateSlot slot) override;
    void restore(StateSlot slot) override;
    void serialise(std::vector<std::byte>& bytes) override { engine_.save(bytes); }
    void deserialise(std::span<const std::byte> bytes) override { engine_.restore(bytes); }

private:
    void show(NativePorts outputs);

    NativeName name_;
    std::optional<ForeignCall> freeing_;  // from the destructor on, until the model is gone
    Engine engine_;
    NativeVariables variables_;
    NativePorts inputs_, outputs_;
    Scales scales_;
    Interface interface_;
    std::vector<std::byte> saved_[state_slot_count];
};

}  // namespace tandem::kit
