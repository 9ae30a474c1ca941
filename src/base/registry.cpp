#include "tandem/extend/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.hpp"

namespace tandem {

Diagnostic unknown_name(const std::string& kind, std::string_view name,
                        const std::vector<std::string>& known, const std::string& place) {
    return {Severity::error, place, fmt::format("there is no {} '{}'", kind, name),
            did_you_mean(name, known, fmt::format("use {}", fmt::join(known, " or ")))};
}

InputError taken_name(const std::string& kind, const std::string& name, const std::string& place) {
    return {place, fmt::format("there already is a {} '{}'", kind, name), "give it another name"};
}

}  // namespace tandem
