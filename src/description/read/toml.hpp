#pragma once

#include "description/description.hpp"
#include "description/read/read_context.hpp"

namespace tandem::description {

/// A system file as docs/system_file.md describes it. Throws InputError if the text is not TOML.
SystemDescription read_toml(const TextFile& file, ReadContext& context);

}  // namespace tandem::description
