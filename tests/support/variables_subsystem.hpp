#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/extend/subsystem.hpp"

namespace tandem::test {

/// A subsystem that has nothing but variables; counts how often they are read. The k-th value of a
/// variable is `value(name, k)`; its real outputs are its ports.
class VariablesSubsystem final : public Subsystem, public Variables {
public:
    std::function<double(const std::string& name, std::size_t k)> value =
        [](const std::string&, std::size_t k) { return static_cast<double>(k); };
    std::vector<std::string> read_names;  ///< of all variables that were read
    int reads = 0;

    explicit VariablesSubsystem(std::string name) : name_(std::move(name)) {}

    VariablesSubsystem& add(const std::string& name, ValueType type, bool is_output = false,
                            std::size_t size = 1) {
        VariableInfo info;
        info.name = name;
        info.type = type;
        info.size = size;
        info.is_output = is_output;
        list_.push_back(info);
        if (is_output && storage_of(type) == Storage::reals)
            for (std::size_t k = 1; k <= size; ++k)
                interface_.outputs.push_back(
                    {size == 1 ? name : name + "[" + std::to_string(k) + "]", "", 1.0});
        return *this;
    }

    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return *this; }
    void enter_initialisation(const Experiment&) override {}
    void exit_initialisation() override {}
    void finish() override {}
    void set_inputs(const InputCourse&) override {}
    StepResult step(Interval interval) override { return {Outcome::complete, interval.end}; }
    void get_outputs(std::span<double>) override {}

    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override {
        VariableGroup group;
        group.type = list_[variables[0]].type;
        for (const std::size_t i : variables) {
            group.variables.push_back(i);
            group.size += list_[i].size;
        }
        return group;
    }
    void read(const VariableGroup& group, Values& values) override {
        ++reads;
        std::size_t next = 0;
        for (const std::size_t i : group.variables) {
            if (keeps_names) read_names.push_back(list_[i].name);
            for (std::size_t k = 0; k < list_[i].size; ++k) put(list_[i], k, values, next++);
        }
    }
    void write(const VariableGroup&, const Values&) override {}

    bool keeps_names = true;

private:
    void put(const VariableInfo& info, std::size_t k, Values& values, std::size_t at) const {
        const double number = value(info.name, k);
        switch (storage_of(info.type)) {
            case Storage::reals: values.reals[at] = number; break;
            case Storage::integers: values.integers[at] = static_cast<std::int64_t>(number); break;
            case Storage::strings: values.strings[at].assign(3, 'x'); break;
        }
    }

    std::string name_;
    Interface interface_;
    std::vector<VariableInfo> list_;
};

}  // namespace tandem::test
