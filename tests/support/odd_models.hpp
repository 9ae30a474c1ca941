#pragma once

#include <string>

#include "support/system_file.hpp"

namespace tandem::test {

/// subsystem_text() for one of the models that are of use in tests only.
inline std::string odd_text(const std::string& name, const std::string& model,
                            const std::string& kind, const std::string& parameters = "") {
    std::string text = subsystem_text(name, model, kind, parameters);
    const std::string folder = TANDEM_FMU_DIR;
    return text.replace(text.find(folder), folder.size(), TANDEM_ODD_FMUS);
}

}  // namespace tandem::test
