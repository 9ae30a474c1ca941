#pragma once

#include "fmi/import/fmu.hpp"
#include "tandem/error.hpp"

namespace tandem::cli {

void add_error(Diagnostics& findings, const InputError& error);

/// Loads the libraries of both kinds, where there are, makes an instance of each, and tells what is
/// wrong with them.
void check_binaries(fmi::Fmu& fmu, Diagnostics& findings);

}  // namespace tandem::cli
