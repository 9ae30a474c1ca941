#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fmi/import/fmu.hpp"
#include "kit/native_library.hpp"
#include "ode/host/hosted_ode.hpp"
#include "subsystem/cs_fmu.hpp"
#include "subsystem/fmu_ode.hpp"

namespace tandem::test {

/// The ways in which one of our own models can run.
inline const std::vector<std::string> all_kinds = {"native",  "fmi1_cs", "fmi1_me", "fmi2_cs",
                                                   "fmi2_me", "fmi3_cs", "fmi3_me"};

inline constexpr double tight = 1e-8;

inline const kit::NativeLibrary& library_of(const std::string& model) {
    static std::vector<std::pair<std::string, std::unique_ptr<kit::NativeLibrary>>> known;
    for (const auto& [name, library] : known)
        if (name == model) return *library;
    known.emplace_back(model, std::make_unique<kit::NativeLibrary>(std::string(TANDEM_FMU_DIR) +
                                                                   "/native/" + model + ".so"));
    return *known.back().second;
}

inline std::string file_of(const std::string& model, const std::string& kind) {
    const std::string suffix = kind.starts_with("fmi1") ? kind : kind.substr(0, 4);
    return std::string(TANDEM_FMU_DIR) + "/" + model + "_" + suffix + ".fmu";
}

/// `instance`: of FMUs, except for the name.
inline std::unique_ptr<Subsystem> make_kind(const std::string& model, const std::string& kind,
                                            fmi::InstanceOptions instance = {}) {
    ode::HostedOdeOptions options;
    options.solver.relative_tolerance = tight;
    if (kind == "native")
        return kit::make_native_subsystem(library_of(model).model_class(), model, options);
    const auto fmu = fmi::Fmu::open(file_of(model, kind));
    instance.name = model;
    if (kind.ends_with("_me"))
        return std::make_unique<ode::HostedOde>(std::make_unique<subsystem::FmuOde>(fmu, instance),
                                                options);
    subsystem::CsFmuOptions cs;
    cs.instance = instance;
    return std::make_unique<subsystem::CsFmu>(fmu, cs);
}

inline void initialise(Subsystem& subsystem, double stop) {
    subsystem.enter_initialisation({0.0, stop, tight});
    subsystem.exit_initialisation();
}

inline std::vector<double> outputs_of(Subsystem& subsystem) {
    std::vector<double> y(subsystem.interface().outputs.size());
    subsystem.get_outputs(y);
    return y;
}

inline std::size_t index_of(Subsystem& subsystem, const std::string& name) {
    const auto& list = subsystem.variables().list();
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].name == name) return i;
    throw std::runtime_error("no variable " + name);
}

inline Values read(Subsystem& subsystem, const std::string& name) {
    const std::vector<std::size_t> one = {index_of(subsystem, name)};
    const VariableGroup group = subsystem.variables().group(one);
    Values values;
    values.resize(group.type, group.size);
    subsystem.variables().read(group, values);
    return values;
}

inline void write(Subsystem& subsystem, const std::string& name, const Values& values) {
    const std::vector<std::size_t> one = {index_of(subsystem, name)};
    subsystem.variables().write(subsystem.variables().group(one), values);
}

}  // namespace tandem::test
