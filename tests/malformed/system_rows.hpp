#pragma once

#include <ostream>
#include <string>
#include <vector>

/// Systems that are wrong, and what is to be said about them.
namespace tandem::test {

struct File {
    std::string name;
    std::string content;
};

struct Row {
    std::string name;
    std::vector<File> files;              ///< the first is the system
    std::vector<std::string> problems;    ///< all of them, each from its place on
    std::vector<std::string> hints = {};  ///< some of them
    std::string options = {};             ///< of `run`
    bool only_run = false;                ///< a check finds nothing wrong
};

inline void PrintTo(const Row& row, std::ostream* stream) { *stream << row.name; }

/// The pieces most of them are made of.
inline const std::string chassis = "[subsystems.chassis]\nsource = 'fmus/Chassis_fmi2.fmu'\n";
inline const std::string wheel = "[subsystems.wheel]\nsource = 'fmus/Wheel_fmi2.fmu'\n";
inline const std::string pass = "[subsystems.pass]\nsource = 'fmus/Feedthrough_fmi3.fmu'\n";
inline const std::string stop = "[experiment]\nstop = 0.1\n";
inline const std::string car = chassis + wheel + stop;

inline std::vector<File> toml(std::string text) { return {{"s.toml", std::move(text)}}; }
inline std::vector<File> connected(const std::string& list, const std::string& rest = car) {
    return toml("connections = [" + list + "]\n" + rest);
}

std::vector<Row> name_rows();
std::vector<Row> connection_rows();
std::vector<Row> value_rows();

}  // namespace tandem::test
