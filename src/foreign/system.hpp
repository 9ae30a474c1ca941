#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "description/setting.hpp"
#include "tandem/error.hpp"

/// Systems of other tools. One reader per tool turns a file into a foreign::System, models.hpp
/// compares it with the FMUs, write.hpp writes it as a system file.
namespace tandem::foreign {

using description::Place;
using description::Setting;

/// A variable of a subsystem.
struct Port {
    std::string subsystem;
    std::string variable;

    std::string text() const { return subsystem + "." + variable; }
    bool operator==(const Port&) const = default;
};

struct Subsystem {
    std::string name;
    std::filesystem::path source;     ///< absolute
    bool is_table = false;            ///< otherwise an FMU
    bool is_held = false;             ///< a table whose values stay until the next row
    std::vector<Setting> parameters;  ///< scalars: key, value, place
    Place place;
};

/// target = factor * source + offset; units are not converted unless Tandem would not either.
struct Connection {
    Port from;
    Port to;
    double factor = 1.0;
    double offset = 0.0;
    bool suppresses_units = false;
    std::string comment;
    Place place;

    bool is_plain() const { return factor == 1.0 && offset == 0.0 && !suppresses_units; }
    std::string text() const { return from.text() + " -> " + to.text(); }
};

/// target = the sum of the signals.
struct Sum {
    std::string name;
    std::vector<Port> signals;
    Port target;
    Place place;
};

/// Two connections, by their ends, whose product is a power.
struct Bond {
    std::string name;
    Connection effort;
    Connection flow;
    Place place;
};

/// A section of the system file with the line that explains it. Without settings it is left out.
struct Section {
    std::string comment;
    std::vector<Setting> settings;
};

/// What a file of another tool says, whatever the tool.
struct System {
    std::string tool;            ///< "MasterSim"
    std::filesystem::path file;  ///< that was read
    std::string name;
    std::vector<Subsystem> subsystems;  ///< added by add()
    std::vector<Connection> connections;
    std::vector<Sum> sums;
    std::vector<Bond> bonds;
    std::optional<double> start, stop, step, tolerance;
    std::optional<std::int64_t> threads;
    Section coupling;
    Section step_control;
    std::vector<std::string> recorded;  ///< patterns of names; empty: all outputs
    std::int64_t decimation = 1;
    Diagnostics notes;  ///< what was not taken over, or not as it is

    /// Its name must be free; see free_name.
    Subsystem& add(Subsystem subsystem);
    Subsystem* find(const std::string& name_of_subsystem);
    void note(const Place& place, std::string problem, std::string hint = {});

private:
    std::unordered_map<std::string, std::size_t> index_;
};

/// Scalars of any type.
Setting boolean_setting(std::string key, bool value);
Setting integer_setting(std::string key, std::int64_t value);

/// "subsystem" if that is free and fit for a name in a system file, otherwise something like it.
std::string free_name(const std::string& wanted, System& system);

}  // namespace tandem::foreign
