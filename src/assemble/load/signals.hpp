#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assemble/load/load_subsystem.hpp"
#include "description/slice.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {

/// A variable of a file, found in its subsystem: the whole of it or some elements of an array.
struct Signal {
    std::size_t subsystem = 0;
    std::size_t variable = 0;
    std::vector<std::size_t> elements;
    const VariableInfo* info = nullptr;
    std::string unit;
    std::string text;  ///< "engine.torque"
    std::string name;  ///< "torque", "gains[2]"
};

/// Finds variables by name. Everything wrong becomes a finding.
class Signals {
public:
    Signals(const description::FlatSystem& flat, const std::vector<LoadedSubsystem>& loaded,
            Diagnostics& findings);

    /// Nothing, with a finding, if there is no such variable; silently if its subsystem was not
    /// loaded, which is a finding already.
    std::optional<Signal> find(const description::FlatVariable& variable,
                               const std::string& place) const;
    std::optional<Signal> find(std::size_t subsystem, const std::string& name,
                               const std::string& place) const;

    /// True if there is such a variable, or an array with such elements.
    bool has(std::size_t subsystem, const std::string& name) const;

    /// What a port of the element is called, in one way or the other.
    static std::vector<std::string> port_names(const Signal& signal, std::size_t element);
    /// The position among the real inputs or outputs of the subsystem, if the element is one.
    std::optional<int> input_port(const Signal& signal, std::size_t element) const;
    std::optional<int> output_port(const Signal& signal, std::size_t element) const;

    /// A unit as the files, the subsystem, or common usage define it.
    description::UnitLookup units_of(std::size_t subsystem) const;
    /// An enumeration that the files define; null if there is none of that name.
    const description::Enumeration* enumeration(const std::string& name) const;

    void error(const std::string& place, std::string problem, std::string hint = {}) const;
    void warn(const std::string& place, std::string problem, std::string hint = {}) const;

private:
    const description::FlatSystem& flat_;
    const std::vector<LoadedSubsystem>& loaded_;
    Diagnostics& findings_;
};

}  // namespace tandem::assemble
