#include "description/setting.hpp"

namespace tandem::description {

double Setting::as_real() const {
    return type == Type::integer ? static_cast<double>(as_integer()) : std::get<double>(scalar);
}

const Setting* Setting::find(std::string_view name) const {
    for (const Setting& entry : entries)
        if (entry.key == name) return &entry;
    return nullptr;
}

bool Setting::operator==(const Setting& other) const {
    return key == other.key && type == other.type && scalar == other.scalar &&
           entries == other.entries;
}

Setting text_setting(std::string key, std::string text) {
    return {std::move(key), {}, Setting::Type::text, std::move(text), {}};
}

Setting real_setting(std::string key, double value) {
    return {std::move(key), {}, Setting::Type::real, value, {}};
}

Setting text_list(std::string key, const std::vector<std::string>& texts) {
    Setting list = group(std::move(key), Setting::Type::list, {});
    for (const std::string& text : texts) list.entries.push_back(text_setting({}, text));
    return list;
}

Setting group(std::string key, Setting::Type type, std::vector<Setting> entries) {
    return {std::move(key), {}, type, false, std::move(entries)};
}

void add_group(Setting& parent, Setting child) {
    if (!child.entries.empty()) parent.entries.push_back(std::move(child));
}

static OptionValue option_value(const Setting& setting) {
    switch (setting.type) {
        case Setting::Type::boolean: return setting.as_boolean();
        case Setting::Type::integer: return setting.as_integer();
        case Setting::Type::real: return setting.as_real();
        case Setting::Type::text: return setting.as_text();
        default: break;
    }
    std::vector<std::string> texts;
    for (const Setting& entry : setting.entries) texts.push_back(to_text(option_value(entry)));
    return texts;
}

GivenOption given_option(const Setting& setting) {
    return {setting.key, option_value(setting), setting.place};
}

std::string_view noun(Setting::Type type) {
    switch (type) {
        case Setting::Type::boolean: return "true or false";
        case Setting::Type::integer: return "an integer";
        case Setting::Type::real: return "a number";
        case Setting::Type::text: return "a text";
        case Setting::Type::list: return "a list";
        case Setting::Type::table: return "a table";
    }
    return "a value";
}

}  // namespace tandem::description
