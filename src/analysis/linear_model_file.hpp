#pragma once

#include <string>
#include <vector>

#include "analysis/eigenvalues.hpp"
#include "analysis/linearise.hpp"

namespace tandem::analysis {

/// Throws InputError if no linear model can be written to `path`: its ending is neither .mat nor
/// .json, or the place cannot be written. To be asked before a long run.
void check_linear_model_path(const std::string& path);

/// As a MAT file (level 4: A, B, C, D, t, x, dx, u, y and their names as rows of text) or as JSON;
/// see docs/linearise.md. `modes` may be empty. Throws InputError and OutputError.
void write_linear_model(const LinearModel& model, const std::vector<Mode>& modes,
                        const std::string& path);

}  // namespace tandem::analysis
