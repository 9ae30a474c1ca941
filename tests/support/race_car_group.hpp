#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fmi/import/fmu.hpp"
#include "kit/native_library.hpp"
#include "kit/native_ode.hpp"
#include "ode/group/ode_group.hpp"
#include "subsystem/fmu_ode.hpp"

namespace tandem::test {

/// Our models as ODEs, by kind: "native", "fmi1_me", "fmi2", "fmi3". `folder` holds our FMUs.
class OdeShop {
public:
    explicit OdeShop(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::unique_ptr<ode::OdeModel> make(const std::string& model, const std::string& kind,
                                        const std::string& name) {
        if (kind == "native") {
            auto& library = libraries_[model];
            if (!library)
                library =
                    std::make_unique<kit::NativeLibrary>(folder_ / "native" / (model + ".so"));
            return std::make_unique<kit::NativeOde>(library->model_class(), name);
        }
        auto& fmu = fmus_[model + "_" + kind];
        if (!fmu) fmu = fmi::Fmu::open(folder_ / (model + "_" + kind + ".fmu"));
        fmi::InstanceOptions options;
        options.name = name;
        return std::make_unique<subsystem::FmuOde>(fmu, options);
    }

private:
    std::filesystem::path folder_;
    std::map<std::string, std::unique_ptr<kit::NativeLibrary>> libraries_;
    std::map<std::string, std::shared_ptr<fmi::Fmu>> fmus_;
};

inline void set_real(ode::OdeModel& model, const std::string& name, double value) {
    const auto& list = model.variables().list();
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].name != name) continue;
        const VariableGroup group = model.variables().group(std::span(&i, 1));
        Values values;
        values.reals = {value};
        return model.variables().write(group, values);
    }
    throw std::runtime_error("no variable " + name);
}

/// "P_fl[2]" and "fl": "P[2]"; "R[2]" stays; "P_fr[2]" and "fl": nothing.
inline std::string name_at_wheel(const std::string& name, const std::string& wheel) {
    const std::size_t mark = name.find('_');
    if (mark == std::string::npos) return name;
    return name.substr(mark + 1, 2) == wheel ? name.substr(0, mark) + name.substr(mark + 3) : "";
}

/// Chassis and four wheels, every output of one tied to the input of the same name of the other:
/// 47 states, 44 indicators, 172 links.
inline std::unique_ptr<ode::OdeGroup> race_car_group(OdeShop& shop, const std::string& kind) {
    std::vector<std::unique_ptr<ode::OdeModel>> members;
    members.push_back(shop.make("RaceChassis", kind, "chassis"));
    std::vector<int> input_begin = {0, static_cast<int>(members[0]->shape().inputs.size())};
    std::vector<int> output_begin = {0, static_cast<int>(members[0]->shape().outputs.size())};
    ode::GroupWiring wiring;
    const auto tie = [&](std::size_t from, std::size_t to, const std::string& wheel) {
        const auto name = [&](std::size_t member, const Port& port) {
            return member == 0 ? name_at_wheel(port.name, wheel) : port.name;
        };
        const auto& outputs = members[from]->shape().outputs;
        const auto& inputs = members[to]->shape().inputs;
        std::map<std::string, int> positions;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (const std::string own = name(from, outputs[i]); !own.empty())
                positions[own] = output_begin[from] + static_cast<int>(i);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (const auto found = positions.find(name(to, inputs[i])); found != positions.end())
                wiring.links.push_back({found->second, input_begin[to] + static_cast<int>(i)});
    };
    const std::array<std::string, 4> wheels = {"fl", "fr", "rl", "rr"};
    for (std::size_t k = 0; k < wheels.size(); ++k) {
        members.push_back(shop.make("RaceWheel", kind, wheels[k]));
        ode::OdeModel& wheel = *members.back();
        if (k >= 2) {
            set_real(wheel, "ks", 70e3);
            set_real(wheel, "l0", 0.1039);
            set_real(wheel, "zw", 0.322120);
        }
        tie(0, k + 1, wheels[k]);
        tie(k + 1, 0, wheels[k]);
        input_begin.push_back(input_begin.back() + static_cast<int>(wheel.shape().inputs.size()));
        output_begin.push_back(output_begin.back() +
                               static_cast<int>(wheel.shape().outputs.size()));
    }
    return std::make_unique<ode::OdeGroup>("car", std::move(members), std::move(wiring));
}

}  // namespace tandem::test
