#pragma once

#include <string>
#include <vector>

#include "description/flatten.hpp"
#include "tandem/extend/variables.hpp"

namespace tandem::results {

/// The columns that the results of a system will have, without time; `variables` are those of its
/// subsystems. Nothing if patterns match nothing, which is a finding of its own.
std::vector<std::string> recorded_columns(const description::FlatSystem& flat,
                                          const std::vector<Variables*>& variables);

/// Looks whether the report can show what the file asks for: names in plots that are not among the
/// `columns`, and a reference that is no table or has none of them. These are errors, or warnings
/// if what is recorded was `given` elsewhere than in the file.
void check_report(const description::FlatSystem& flat, const std::vector<std::string>& columns,
                  bool given, Diagnostics& findings);

}  // namespace tandem::results
