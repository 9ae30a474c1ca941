#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "files/temporary_folder.hpp"
#include "fmi/import/fmu.hpp"

namespace tandem {

/// An unpacked FMU of FMI 2.0 around one of the libraries of tests/support/fmus.
class OddFmu {
public:
    struct Options {
        std::string library = "odd_fmi2";
        std::string file_name = "odd.so";
        std::string platform = "linux64";
        bool only_once = false;
    };
    OddFmu() : OddFmu(Options{}) {}
    explicit OddFmu(const Options& options) {
        const auto binaries = folder_.path() / "binaries" / options.platform;
        std::filesystem::create_directories(binaries);
        std::filesystem::copy_file(
            std::filesystem::path(TANDEM_ODD_FMUS) / (options.library + ".so"),
            binaries / options.file_name);
        const std::string once =
            options.only_once ? " canBeInstantiatedOnlyOncePerProcess=\"true\"" : "";
        std::ofstream(folder_.path() / "modelDescription.xml") << fmt::format(
            R"xml(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="odd" guid="odd" numberOfEventIndicators="0">
  <ModelExchange modelIdentifier="odd"{0}/>
  <CoSimulation modelIdentifier="odd" canHandleVariableCommunicationStepSize="true" canRunAsynchronuously="true"{0}/>
  <ModelVariables>
    <ScalarVariable name="spring" valueReference="1" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="x" valueReference="2"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="3"><Real derivative="2"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="1"/></Outputs>
    <Derivatives><Unknown index="3"/></Derivatives>
  </ModelStructure>
</fmiModelDescription>)xml",
            once);
        fmu = fmi::Fmu::open(folder_.path());
    }

    /// Options whose instance is called `behaviour`; calls and messages are kept here.
    fmi::InstanceOptions behaving(const std::string& behaviour) {
        fmi::InstanceOptions options;
        options.name = behaviour;
        options.on_call = [this](const std::string& call) { calls.push_back(call); };
        options.on_message = [this](fmi::Status, const std::string&, const std::string& text) {
            messages.push_back(text);
        };
        return options;
    }
    bool called(const std::string& function) const {
        return std::any_of(calls.begin(), calls.end(), [&](const std::string& call) {
            return call.starts_with(function + '(');
        });
    }

private:
    TemporaryFolder folder_;

public:
    std::shared_ptr<fmi::Fmu> fmu;
    std::vector<std::string> calls, messages;
};

}  // namespace tandem
