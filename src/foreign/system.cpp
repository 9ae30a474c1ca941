#include "foreign/system.hpp"

#include <fmt/format.h>

namespace tandem::foreign {

Subsystem& System::add(Subsystem subsystem) {
    const bool is_new = index_.emplace(subsystem.name, subsystems.size()).second;
    expects(is_new, "the names of subsystems differ");
    return subsystems.emplace_back(std::move(subsystem));
}

Subsystem* System::find(const std::string& name_of_subsystem) {
    const auto found = index_.find(name_of_subsystem);
    return found == index_.end() ? nullptr : &subsystems[found->second];
}

void System::note(const Place& place, std::string problem, std::string hint) {
    notes.push_back({Severity::warning, place, std::move(problem), std::move(hint)});
}

Setting boolean_setting(std::string key, bool value) {
    Setting setting;
    setting.key = std::move(key);
    setting.type = Setting::Type::boolean;
    setting.scalar = value;
    return setting;
}

Setting integer_setting(std::string key, std::int64_t value) {
    Setting setting;
    setting.key = std::move(key);
    setting.type = Setting::Type::integer;
    setting.scalar = value;
    return setting;
}

std::string free_name(const std::string& wanted, System& system) {
    // A dot separates a subsystem from its variable, and "->" the ends of a connection.
    std::string plain = wanted;
    for (char& c : plain)
        if (c == '.' || c == '>' || c == '[' || c == ']' || c == '*' || c == '?' ||
            static_cast<unsigned char>(c) <= 0x20U || c == 0x7F)
            c = '_';
    if (plain.empty()) plain = "subsystem";
    std::string name = plain;
    for (int i = 2; system.find(name) != nullptr; ++i) name = fmt::format("{}_{}", plain, i);
    return name;
}

}  // namespace tandem::foreign
