#pragma once

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "record/run_record.hpp"

namespace tandem::test {

/// Records of runs that never happened, with results that look like some, for tests of what is
/// made of a record.
inline SubsystemRecord sample_subsystem(const std::string& name, std::size_t index) {
    constexpr std::pair<const char*, const char*> kinds[] = {{"co-simulation", "2.0"},
                                                             {"model exchange", "3.0"},
                                                             {"native", ""},
                                                             {"co-simulation", "3.0"}};
    const auto& [kind, version] = kinds[index % 4];
    SubsystemRecord s;
    s.name = name;
    s.kind = kind;
    s.fmi_version = version;
    s.source = "models/" + name + (s.fmi_version.empty() ? ".so" : ".fmu");
    if (s.kind != "co-simulation") s.solver = "cvode_bdf";
    s.capabilities = {"rollback", "directional derivatives", "input derivatives"};
    s.parameters = {{"mass", fmt::format("{}", 100 + 25 * index)}, {"stiffness", "20000"}};
    const double cost =
        0.02 * (1.0 + 3.0 * std::pow(std::sin(1.7 * static_cast<double>(index)), 4));
    s.parts = {{"initialise", 1, 0.1 * cost},
               {"set", 10'000, 0.05 * cost},
               {"step", 10'000, cost},
               {"get", 10'000, 0.04 * cost}};
    s.steps = 10'000;
    s.events = 3 * index % 7;
    s.retries = index % 3;
    if (!s.solver.empty())
        s.solver_statistics = {{"right-hand sides", 41'207}, {"Newton iterations", 30'122}};
    return s;
}

inline void connect(RunRecord& record, const std::string& from, const std::string& to,
                    const std::string& quantity, const std::string& unit) {
    record.connections.push_back({{from, quantity}, {to, quantity + "_in"}, unit, "Float64", 1, 0});
}

inline RunRecord sample_record(const std::string& name,
                               const std::vector<std::string>& subsystems) {
    RunRecord r;
    r.tandem_version = "0.1.0";
    r.command_line = {"tandem", "run", "system.toml", "--stop", "10", "--output", "results.csv"};
    r.date = "2024-05-01T12:00:00Z";
    r.system_name = name;
    r.system_file = "examples/" + name + "/system.toml";
    r.options = {{"stop", "10"}, {"output", "results.csv"}, {"record", "*"}};
    r.experiment = {0.0, 10.0, 1e-3, 1e-6};
    r.coupling = {"gauss_seidel",
                  "Subsystems step one after the other, each with the newest outputs of those "
                  "before it.",
                  {{"extrapolation", "1"}, {"order", "from the graph"}}};
    for (const std::string& s : subsystems) {
        r.subsystems.push_back(sample_subsystem(s, r.subsystems.size()));
        r.files.push_back({r.subsystems.back().source, "fmu", 48'211 + 977 * r.files.size(),
                           std::string(64, "0123456789abcdef"[r.files.size() % 16])});
    }
    double wall = 0.0;
    for (const SubsystemRecord& s : r.subsystems) wall += s.seconds();
    r.totals = {10'000,
                2,
                7,
                1.3 * wall,
                10.0,
                {{"load", 1, 0.08 * wall},
                 {"initialise", 1, 0.05 * wall},
                 {"advance", 10'000, 1.08 * wall},
                 {"record", 10'000, 0.09 * wall}}};
    return r;
}

/// Chassis, wheel and ground of a quarter car: a chain with two cycles of two.
inline RunRecord quarter_car_record() {
    RunRecord r = sample_record("quarter_car", {"chassis", "wheel", "ground"});
    connect(r, "ground", "wheel", "height", "m");
    connect(r, "wheel", "chassis", "force", "N");
    connect(r, "chassis", "wheel", "position", "m");
    connect(r, "chassis", "wheel", "velocity", "m/s");
    r.bonds = {{"strut", 1, 3}};
    r.warnings = {{Severity::warning, "models/wheel.fmu/modelDescription.xml:41",
                   "unit 'N/m' of stiffness is not defined", "define it among the units"}};
    return r;
}

inline RunRecord vehicle_record() {
    RunRecord r =
        sample_record("hybrid_vehicle", {"driver", "controller", "engine", "electric_motor",
                                         "inverter", "battery", "gearbox", "driveline", "brakes",
                                         "vehicle_body", "road", "thermal_management"});
    connect(r, "driver", "controller", "pedal", "");
    connect(r, "driver", "brakes", "brake_pedal", "");
    connect(r, "vehicle_body", "driver", "speed", "m/s");
    connect(r, "controller", "engine", "throttle", "");
    connect(r, "controller", "inverter", "torque_request", "N.m");
    connect(r, "inverter", "electric_motor", "current", "A");
    connect(r, "electric_motor", "inverter", "voltage", "V");
    connect(r, "battery", "inverter", "dc_voltage", "V");
    connect(r, "inverter", "battery", "dc_current", "A");
    connect(r, "engine", "gearbox", "torque", "N.m");
    connect(r, "gearbox", "engine", "engine_speed", "rad/s");
    connect(r, "electric_motor", "gearbox", "motor_torque", "N.m");
    connect(r, "gearbox", "electric_motor", "motor_speed", "rad/s");
    connect(r, "gearbox", "driveline", "torque", "N.m");
    connect(r, "driveline", "gearbox", "speed", "rad/s");
    connect(r, "driveline", "vehicle_body", "force", "N");
    connect(r, "vehicle_body", "driveline", "speed", "m/s");
    connect(r, "brakes", "driveline", "brake_torque", "N.m");
    connect(r, "road", "vehicle_body", "slope", "rad");
    connect(r, "engine", "thermal_management", "heat", "W");
    connect(r, "battery", "thermal_management", "heat", "W");
    connect(r, "vehicle_body", "controller", "speed", "m/s");
    r.outcome = RunOutcome::failed;
    r.outcome_sentence =
        "battery: the step from 7.312 s to 7.313 s returned discard 20 times\n"
        "hint: make the communication step smaller, or record battery.soc to see why";
    return r;
}

/// Fifty subsystems: `ring` is a ring of oscillators, otherwise lines of machines that feed each
/// other.
inline RunRecord large_record(bool ring, std::size_t count = 50) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i)
        names.push_back(fmt::format("{}_{:02}", ring ? "oscillator" : "machine", i + 1));
    RunRecord r = sample_record(ring ? "oscillator_ring" : "production_plant", names);
    for (std::size_t i = 0; i < count; ++i) {
        if (ring) {
            connect(r, names[i], names[(i + 1) % count], "x", "m");
            connect(r, names[i], names[(i + count - 1) % count], "v", "m/s");
        } else if (i > 0) {
            connect(r, names[(i - 1) / 2], names[i], "flow", "kg/s");
            if (i % 4 == 0) connect(r, names[i / 3], names[i], "pressure", "Pa");
            if (i % 9 == 0) connect(r, names[i], names[i - 3], "level", "m");
        }
    }
    return r;
}

/// Writes results.csv and run.json below `folder`: two variables per subsystem, `rows` rows and an
/// event at half time. Returns the path of the record.
inline std::string write_sample(RunRecord record, const std::filesystem::path& folder,
                                std::size_t rows) {
    std::filesystem::create_directories(folder);
    ResultsRecord results{"results.csv", "csv", rows + 1, {}};
    std::string text = "time";
    for (std::size_t i = 0; i < record.subsystems.size(); ++i)
        for (const auto& [variable, unit] : {std::pair{"position", "m"}, {"force", "N"}}) {
            const std::string name = record.subsystems[i].name + "." + variable;
            results.columns.push_back({name, unit, record.subsystems[i].name, variable});
            text += "," + name;
        }
    const double end = record.experiment.stop;
    const auto add = [&](double t, bool after) {
        text += fmt::format("\n{}", t);
        for (std::size_t i = 0; i < record.subsystems.size(); ++i) {
            const auto k = static_cast<double>(i);
            text += fmt::format(
                ",{}", std::exp(-0.15 * t) * std::sin(2.0 * t + 0.6 * k) / (1.0 + 0.2 * k));
            text += fmt::format(",{}", 400.0 * std::cos(t + k) + (after ? 250.0 : 0.0));
        }
    };
    for (std::size_t row = 0; row < rows; ++row) {
        const double t = end * static_cast<double>(row) / static_cast<double>(rows - 1);
        add(t, t > end / 2.0);
        if (t == end / 2.0) add(t, true);
    }
    std::ofstream(folder / "results.csv") << text << "\n";
    record.results = {results};
    const std::string path = (folder / "run.json").string();
    write_run_record(record, path);
    return path;
}

}  // namespace tandem::test
