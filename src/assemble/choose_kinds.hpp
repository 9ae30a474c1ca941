#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "assemble/choose.hpp"
#include "assemble/load/load_subsystem.hpp"
#include "description/flatten.hpp"
#include "fmi/import/fmu.hpp"

namespace tandem::assemble {

/// FMUs that offer both kinds and that the coupling "auto" takes as Model Exchange.
struct KindChoice {
    std::vector<std::size_t> model_exchange;  ///< numbers of the subsystems, ascending
    /// The tightest that the default experiments of these name, if that is less than the default.
    double tolerance = default_tolerance;
    std::vector<std::shared_ptr<fmi::Fmu>> fmus = {};  ///< stay open until they are loaded
};

/// Those whose kind nobody says, where that makes one equation of subsystems that feed each other
/// by real values. By descriptions alone: whether it works out shows when the system is assembled.
KindChoice choose_kinds(const description::FlatSystem& flat, const GivenMethod& given);

}  // namespace tandem::assemble
