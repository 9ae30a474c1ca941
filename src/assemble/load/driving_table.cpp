#include "assemble/load/driving_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.hpp"
#include "base/units.hpp"
#include "files/csv_reader.hpp"

namespace tandem::assemble {
namespace {

constexpr const char* option = "--input";

/// Of "car.front.wheel.torque": the subsystem "car.front.wheel"; nothing if there is none.
const description::FlatSubsystem* owner_of(const std::string& column,
                                           const description::FlatSystem& flat) {
    const description::FlatSubsystem* owner = nullptr;
    for (const description::FlatSubsystem& subsystem : flat.subsystems)
        if (column.starts_with(subsystem.name + ".") &&
            (owner == nullptr || subsystem.name.size() > owner->name.size()))
            owner = &subsystem;
    return owner;
}

std::string unused_name(const description::FlatSystem& flat) {
    std::string name = "input";
    while (std::ranges::find(flat.subsystems, name, &description::FlatSubsystem::name) !=
           flat.subsystems.end())
        name += '_';
    return name;
}

std::vector<std::string> names_of(const std::vector<description::FlatSubsystem>& subsystems) {
    std::vector<std::string> names;
    for (const description::FlatSubsystem& subsystem : subsystems) names.push_back(subsystem.name);
    return names;
}

}  // namespace

void add_driving_table(const std::string& file, description::FlatSystem& flat,
                       Diagnostics& findings) {
    const std::size_t table = flat.subsystems.size();
    const CsvReader reader(read_text_file(file), file);
    for (std::size_t i = 1; i < reader.header().size(); ++i) {
        const std::string column = split_unit(reader.header()[i]).name;
        const description::FlatSubsystem* const owner = owner_of(column, flat);
        if (owner == nullptr) {
            findings.push_back(
                {Severity::error, reader.place(),
                 fmt::format("column '{}' names no subsystem", column),
                 did_you_mean(column.substr(0, column.rfind('.')), names_of(flat.subsystems),
                              "columns of a system are called subsystem.variable")});
            continue;
        }
        description::FlatConnection connection;
        connection.from.subsystem = table;
        connection.from.name = column;
        connection.to.subsystem = static_cast<std::size_t>(owner - flat.subsystems.data());
        connection.to.name = column.substr(owner->name.size() + 1);
        connection.place = reader.place();
        connection.text = fmt::format("{} {} -> {}", option, column, column);
        flat.connections.push_back(std::move(connection));
    }
    description::FlatSubsystem source;
    source.name = unused_name(flat);
    source.type = description::SourceType::table;
    source.source = file;
    source.place = option;
    flat.subsystems.push_back(std::move(source));
}

}  // namespace tandem::assemble
