#include "description/read/lines.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tandem::description {
namespace {

using Type = Setting::Type;

struct NumberKey {
    const char* name;
    std::optional<double> TlmElement::*value;
};

constexpr NumberKey number_keys[] = {
    {"delay", &TlmElement::delay},
    {"impedance", &TlmElement::impedance},
    {"stiffness", &TlmElement::stiffness},
    {"mass", &TlmElement::mass},
    {"volume", &TlmElement::volume},
    {"bulk_modulus", &TlmElement::bulk_modulus},
    {"rotational_impedance", &TlmElement::rotational_impedance},
};

std::optional<std::vector<double>> read_numbers(TableReader& reader, const char* key) {
    const Setting* list = reader.list(key);
    if (list == nullptr) return std::nullopt;
    std::vector<double> numbers;
    for (const Setting& entry : list->entries) {
        if (!entry.is_number()) {
            reader.refuse(entry,
                          fmt::format("'{}' must be numbers, not {}", key, noun(entry.type)));
            return std::nullopt;
        }
        numbers.push_back(entry.as_real());
    }
    return numbers;
}

template <std::size_t size>
std::optional<std::array<double, size>> read_array(TableReader& reader, const char* key) {
    const auto numbers = read_numbers(reader, key);
    if (!numbers) return std::nullopt;
    if (numbers->size() != size) {
        reader.refuse(*reader.table().find(key), fmt::format("'{}' must be {} numbers, but is {}",
                                                             key, size, numbers->size()));
        return std::nullopt;
    }
    std::array<double, size> result = {};
    std::copy(numbers->begin(), numbers->end(), result.begin());
    return result;
}

/// R = cos(angle) I + (1 - cos(angle)) a a^T + sin(angle) [a]x with a = axis / |axis|.
std::array<double, 9> rotation_about(std::array<double, 3> axis, double angle) {
    const double length = std::hypot(axis[0], axis[1], axis[2]);
    for (double& component : axis) component /= length;
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const auto [x, y, z] = axis;
    const std::array<double, 9> cross = {0, -z, y, z, 0, -x, -y, x, 0};
    std::array<double, 9> rotation = {};
    for (std::size_t i = 0; i < 9; ++i)
        rotation[i] = (i % 4 == 0 ? c : 0.0) + (1.0 - c) * axis[i / 3] * axis[i % 3] + s * cross[i];
    return rotation;
}

void read_frame(TableReader& reader, TlmEnd& end) {
    if (const auto origin = read_array<3>(reader, "origin")) end.origin = *origin;
    if (const auto rotation = read_array<9>(reader, "rotation")) end.rotation = *rotation;
    const auto axis = read_array<3>(reader, "axis");
    const auto angle = reader.real("angle");
    const Setting& table = reader.table();
    const Setting* first = table.find("axis") != nullptr ? table.find("axis") : table.find("angle");
    if (first == nullptr) return;
    if (table.find("rotation") != nullptr)
        reader.refuse(*first, fmt::format("'{}' cannot be combined with 'rotation'", first->key),
                      "keep one of them");
    else if (table.find("axis") == nullptr || table.find("angle") == nullptr)
        reader.refuse(*first, fmt::format("'{}' alone is no rotation", first->key),
                      "write axis = [0, 0, 1], angle = 1.5708 (radians)");
    else if (axis && !(std::isfinite((*axis)[0] + (*axis)[1] + (*axis)[2]) &&
                       std::hypot((*axis)[0], (*axis)[1], (*axis)[2]) > 0.0))
        reader.refuse(*first, "'axis' has no direction", "write e.g. axis = [0, 0, 1]");
    else if (axis && angle)
        end.rotation = rotation_about(*axis, *angle);
}

void read_end(const Setting& entry, TlmEnd& end, Diagnostics& findings) {
    end.place = entry.place;
    if (entry.type != Type::table) {
        report(findings, entry.place, "[[tlm]]: an end must be a table",
               "write { flow = \"a.v\", effort = \"a.F\" }");
        return;
    }
    TableReader reader(entry, "[[tlm]] end", findings);
    for (const TlmPort& port : tlm_ports) {
        const auto name = reader.text(port.key);
        if (name && name->empty())
            reader.refuse(*entry.find(port.key), fmt::format("'{}' is empty", port.key),
                          "name a variable of a subsystem, or remove it");
        (end.*port.described).connector = name.value_or("");
    }
    read_frame(reader, end);
    end.exchange = reader.text("exchange").value_or("");
    reader.finish();
}

void read_ends(TableReader& reader, TlmElement& element) {
    const Setting* list = reader.list("ends");
    if (list == nullptr) return;
    for (std::size_t i = 0; i < list->entries.size() && i < element.ends.size(); ++i)
        read_end(list->entries[i], element.ends[i], reader.findings());
}

void read_preload(TableReader& reader, TlmElement& element) {
    const Setting* setting = reader.table().find("preload");
    if (setting != nullptr && setting->type == Type::list) {
        element.preload = read_numbers(reader, "preload").value_or(std::vector<double>());
        return;
    }
    if (const auto preload = reader.real("preload")) element.preload = {*preload};
}

void read_element(const Setting& entry, std::vector<TlmElement>& elements, Diagnostics& findings) {
    if (entry.type != Type::table) {
        report(findings, entry.place, "[[tlm]]: must be a table",
               "write name, domain, delay, impedance and two ends");
        return;
    }
    TableReader reader(entry, "[[tlm]]", findings);
    TlmElement element;
    element.place = entry.place;
    element.name = reader.text("name").value_or("");
    element.domain = reader.text("domain").value_or("");
    for (const NumberKey& key : number_keys) element.*key.value = reader.real(key.name);
    element.damping = reader.real("damping").value_or(0.0);
    read_preload(reader, element);
    if (const auto name = reader.text("interpolation")) element.interpolation = *name;
    if (const auto name = reader.text("exchange")) element.exchange = *name;
    element.samples = reader.integer("samples").value_or(element.samples);
    element.corotating = reader.boolean("corotating").value_or(true);
    read_ends(reader, element);
    reader.finish();
    check_tlm(element, &entry, findings);
    elements.push_back(std::move(element));
}

template <class Numbers>
Setting numbers_setting(const char* key, const Numbers& numbers) {
    Setting list = group(key, Type::list, {});
    for (const double number : numbers) list.entries.push_back(real_setting({}, number));
    return list;
}

Setting end_setting(const TlmEnd& end) {
    const TlmEnd standard;
    Setting table = group({}, Type::table, {});
    for (const TlmPort& port : tlm_ports)
        if (const Endpoint& endpoint = end.*port.described; !endpoint.connector.empty())
            table.entries.push_back(text_setting(std::string(port.key), endpoint.text()));
    if (end.origin != standard.origin)
        table.entries.push_back(numbers_setting("origin", end.origin));
    if (end.rotation != standard.rotation)
        table.entries.push_back(numbers_setting("rotation", end.rotation));
    if (!end.exchange.empty()) table.entries.push_back(text_setting("exchange", end.exchange));
    return table;
}

Setting element_setting(const TlmElement& element) {
    const TlmElement standard;
    Setting table =
        group({}, Type::table,
              {text_setting("name", element.name), text_setting("domain", element.domain)});
    for (const NumberKey& key : number_keys)
        if (const auto& value = element.*key.value)
            table.entries.push_back(real_setting(key.name, *value));
    if (element.damping != standard.damping)
        table.entries.push_back(real_setting("damping", element.damping));
    add_group(table, numbers_setting("preload", element.preload));
    if (element.interpolation != standard.interpolation)
        table.entries.push_back(text_setting("interpolation", element.interpolation));
    if (element.exchange != standard.exchange)
        table.entries.push_back(text_setting("exchange", element.exchange));
    if (element.samples != standard.samples)
        table.entries.push_back({"samples", {}, Type::integer, element.samples, {}});
    if (!element.corotating) table.entries.push_back({"corotating", {}, Type::boolean, false, {}});
    Setting ends = group("ends", Type::list, {});
    for (const TlmEnd& end : element.ends) ends.entries.push_back(end_setting(end));
    table.entries.push_back(std::move(ends));
    return table;
}

}  // namespace

void read_tlm(TableReader& reader, std::vector<TlmElement>& elements) {
    if (const Setting* list = reader.list("tlm"))
        for (const Setting& entry : list->entries) read_element(entry, elements, reader.findings());
}

Setting tlm_setting(const std::vector<TlmElement>& elements) {
    Setting list = group("tlm", Type::list, {});
    for (const TlmElement& element : elements) list.entries.push_back(element_setting(element));
    return list;
}

}  // namespace tandem::description
