#pragma once

#include <string_view>

namespace tandem::fuzz {

/// Read a system of another tool, and what is written of it as a system file. Throw InputError for
/// a text that is refused.
void read_osp_text(std::string_view text);
void read_master_sim_text(std::string_view text);
void read_maestro_text(std::string_view text);

}  // namespace tandem::fuzz
