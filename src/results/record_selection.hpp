#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "results/recorder.hpp"

namespace tandem::results {

/// A variable that was chosen for recording.
struct RecordedVariable {
    std::size_t source = 0;
    std::size_t variable = 0;  ///< in the list of the source
    /// Where the port values of the source hold it, if they do, all elements side by side.
    std::optional<std::size_t> port;
};

/// The variables that the options choose, in the order of the sources and of their lists.
std::vector<RecordedVariable> choose_variables(const std::vector<RecordSource>& sources,
                                               const RecordOptions& options);

}  // namespace tandem::results
