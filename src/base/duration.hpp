#pragma once

#include <string>

namespace tandem {

/// "40 s", "12:05 min", "3:10 h"
std::string duration_text(double seconds);

}  // namespace tandem
