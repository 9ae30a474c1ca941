#include "check_binary.hpp"

#include <fmt/format.h>

#include "base/listed.hpp"
#include "fmi/library.hpp"

namespace tandem::cli {

void add_error(Diagnostics& findings, const InputError& error) {
    findings.push_back({Severity::error, error.place(), error.problem(), error.hint()});
}

void check_binaries(fmi::Fmu& fmu, Diagnostics& findings) {
    for (const fmi::Kind kind : {fmi::Kind::co_simulation, fmi::Kind::model_exchange}) {
        if (fmu.description().kind(kind) == nullptr) continue;
        try {
            const auto& undefined = fmu.library(kind).undefined_functions();
            if (!undefined.empty())
                findings.push_back(
                    {Severity::warning, fmu.path().string(),
                     fmt::format("the library calls functions that nothing provides: {}",
                                 listed(undefined)),
                     "install the library that has them; a run ends where one is called"});
        } catch (const InputError& error) {
            add_error(findings, error);
        }
    }
}

}  // namespace tandem::cli
