#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kit/engine.hpp"
#include "process/foreign_call.hpp"
#include "tandem/extend/subsystem.hpp"
#include "tandem/extend/variables.hpp"

namespace tandem::kit {

/// The name of a native model, for messages about what its code does to the process.
class NativeName {
public:
    explicit NativeName(std::string name) : name_(std::move(name)), shared_(name_.c_str()) {}
    operator const std::string&() const { return name_; }
    /// To be held while a function of the model runs.
    ForeignCall call(const char* function) const { return {shared(), function}; }
    const char* shared() const { return shared_.data(); }

private:
    std::string name_;
    SharedBlock shared_;
};

/// The variables of a native model. The reference of a variable is the number of its record.
class NativeVariables final : public Variables {
public:
    NativeVariables(const NativeName& name, Engine& engine);

    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override;
    void read(const VariableGroup& group, Values& values) override;
    /// Throws InputError for a variable that cannot be set now.
    void write(const VariableGroup& group, const Values& values) override;

    /// Something that changes only at events was written while the model runs.
    bool discrete_written = false;

private:
    void build_list();

    const NativeName& name_;
    Engine& engine_;
    std::vector<VariableInfo> list_;
};

/// Real inputs or outputs as ports, arrays element by element: `name[1]`, `name[2]`, ...; Float32
/// after Float64.
struct NativePorts {
    std::vector<Slot> slots;  ///< one element each
    std::vector<Port> ports;

    // Where the values are while the engine has the layout of this number; doubles come first.
    std::size_t layout = 0;
    std::vector<double*> doubles{};
    std::vector<float*> floats{};
    Role refreshes = Role::input;  ///< what is to be computed for them; input: nothing
};
/// Some of them, by their positions.
struct SomePorts {
    std::vector<int> positions;
    std::size_t layout = 0;
    std::vector<double*> places{};
    Role refreshes = Role::input;
    bool affect_outputs = true;
};
NativePorts continuous_inputs(const std::vector<Record>& records);
NativePorts all_inputs(const std::vector<Record>& records);
NativePorts all_outputs(const std::vector<Record>& records);
/// Those of these names; besides outputs, any real variable but an input can be shown as one.
NativePorts outputs_named(const std::vector<Record>& records, const std::set<std::string>& names);
/// Whether an output or another variable that is shown as one, or a derivative, may depend on an
/// element of a state or an input within one instant.
bool depends_on(const std::vector<Record>& records, const Slot& unknown, const Slot& known);
NativePorts all_states(const std::vector<Record>& records);
/// One element each, as the ports of the states.
std::vector<Slot> derivative_slots(const std::vector<Record>& records);

void set_ports(Engine& engine, NativePorts& ports, std::span<const double> values);
void get_ports(Engine& engine, NativePorts& ports, std::span<double> values);
/// Only for ports that are all of type Float64; `values` are those of all ports.
void set_some(Engine& engine, NativePorts& all, SomePorts& some, std::span<const double> values);
void get_some(Engine& engine, NativePorts& all, SomePorts& some, std::span<double> values);
std::span<double* const> places(Engine& engine, NativePorts& all, SomePorts& some);

}  // namespace tandem::kit
