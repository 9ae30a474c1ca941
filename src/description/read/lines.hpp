#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "description/flatten.hpp"
#include "description/table_reader.hpp"

/// The transmission lines of a system, as tables.
namespace tandem::description {

/// A port of an end, by the key that a file gives it.
struct TlmPort {
    std::string_view key;
    Endpoint TlmEnd::*described;
    FlatTlmEnd::Port FlatTlmEnd::*flat;
    bool is_output;  ///< of the subsystem
    bool is_3d;      ///< of mechanical_3d and no other domain, or of all others
};

inline constexpr std::array<TlmPort, 13> tlm_ports = {{
    {"flow", &TlmEnd::flow, &FlatTlmEnd::flow, true, false},
    {"effort", &TlmEnd::effort, &FlatTlmEnd::effort, false, false},
    {"wave", &TlmEnd::wave, &FlatTlmEnd::wave, false, false},
    {"impedance", &TlmEnd::impedance, &FlatTlmEnd::impedance, false, false},
    {"slope", &TlmEnd::slope, &FlatTlmEnd::slope, false, false},
    {"times", &TlmEnd::times, &FlatTlmEnd::times, false, false},
    {"waves", &TlmEnd::waves, &FlatTlmEnd::waves, false, false},
    {"position", &TlmEnd::position, &FlatTlmEnd::position, true, true},
    {"orientation", &TlmEnd::orientation, &FlatTlmEnd::orientation, true, true},
    {"velocity", &TlmEnd::velocity, &FlatTlmEnd::velocity, true, true},
    {"angular_velocity", &TlmEnd::angular_velocity, &FlatTlmEnd::angular_velocity, true, true},
    {"force", &TlmEnd::force, &FlatTlmEnd::force, false, true},
    {"moment", &TlmEnd::moment, &FlatTlmEnd::moment, false, true},
}};

/// How waves come to an end, as files name it.
inline constexpr std::array<std::string_view, 6> tlm_exchanges = {"auto", "sampled",      "coarse",
                                                                  "fine", "intermediate", "law"};

/// [[tlm]].
void read_tlm(TableReader& reader, std::vector<TlmElement>& elements);
Setting tlm_setting(const std::vector<TlmElement>& elements);

/// What makes an element meaningless, whoever wrote it. `table` is where it stands in a file, for
/// the places of messages; null if it does not. What is in the table but not in the element has
/// been reported.
void check_tlm(const TlmElement& element, const Setting* table, Diagnostics& findings);

}  // namespace tandem::description
