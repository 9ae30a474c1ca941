#include "check_binary.hpp"

#include <fmt/format.h>

#include "base/listed.hpp"
#include "fmi/import/library.hpp"

namespace tandem::cli {

void add_error(Diagnostics& findings, const InputError& error) {
    findings.push_back({Severity::error, error.place(), error.problem(), error.hint()});
}

namespace {

/// What an FMU will not run with it mostly refuses here: another guid, missing files or licences.
void try_instance(fmi::Fmu& fmu, fmi::Kind kind) {
    fmi::InstanceOptions options;
    options.name = fmu.path().stem().string();
    options.on_message = [](fmi::Status, const std::string&, const std::string&) {};
    if (kind == fmi::Kind::co_simulation)
        fmu.instantiate_co_simulation(options);
    else
        fmu.instantiate_model_exchange(options);
}

void check_binary(fmi::Fmu& fmu, fmi::Kind kind, Diagnostics& findings) {
    const auto& undefined = fmu.library(kind).undefined_functions();
    if (undefined.empty()) return try_instance(fmu, kind);
    findings.push_back(
        {Severity::warning, fmu.path().string(),
         fmt::format("the library calls functions that nothing provides: {}", listed(undefined)),
         "install the library that has them; a run ends where one is called"});
}

}  // namespace

void check_binaries(fmi::Fmu& fmu, Diagnostics& findings) {
    for (const fmi::Kind kind : {fmi::Kind::co_simulation, fmi::Kind::model_exchange}) {
        if (fmu.description().kind(kind) == nullptr) continue;
        try {
            check_binary(fmu, kind, findings);
        } catch (const InputError& error) {
            add_error(findings, error);
        } catch (const FmuError& error) {
            findings.push_back({Severity::error, fmu.path().string(), error.what(),
                                "the binary may belong to another modelDescription.xml, or need "
                                "files or a licence; ask the FMU's maker"});
        }
    }
}

}  // namespace tandem::cli
