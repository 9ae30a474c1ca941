#pragma once

#include "base/names.hpp"

namespace tandem::run {

using tandem::closest;
using tandem::did_you_mean;
using tandem::matches;

}  // namespace tandem::run
