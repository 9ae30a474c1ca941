#pragma once

#include <cstddef>
#include <string>

#include "record/run_record.hpp"

namespace tandem::cli {

/// Writes the page of a run; `folder` is where the record's results are meant from. Returns the
/// number of plotted variables. Throws InputError if it cannot be written.
std::size_t write_page(const RunRecord& record, const std::string& folder,
                       const std::string& output);

}  // namespace tandem::cli
