#pragma once

#include "files/archive.hpp"

namespace tandem::fmi {

using tandem::Archive;
using tandem::ArchiveLimits;

}  // namespace tandem::fmi
