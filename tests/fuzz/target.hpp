#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::fuzz {

/// How far a text came.
enum class Reached {
    door,    ///< its format was not understood: not XML, not TOML, not JSON ...
    inside,  ///< it was, and then accepted or refused for what it says
};

/// A reader of files of unknown origin. It may throw nothing: InputError is its answer to what is
/// wrong, and anything else that gets out, or a crash, is a finding.
struct Target {
    const char* name;  ///< also that of the folder below seeds/
    Reached (*read)(std::string_view text);
    std::vector<std::string> words;  ///< of the format, for mutations
};

const std::vector<Target>& targets();
/// Throws std::out_of_range if there is none of that name.
const Target& target(std::string_view name);

}  // namespace tandem::fuzz
