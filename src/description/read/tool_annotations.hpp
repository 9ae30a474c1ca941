#pragma once

#include "description/read/xml_reader.hpp"

namespace tandem::description {

/// How annotations of OMSimulator and of the Open Simulation Platform want a system to be run:
/// step, tolerance and solver. What is not known in them is ignored, with a warning.
class ToolAnnotations {
public:
    explicit ToolAnnotations(XmlReader& reader) : reader_(reader) {}

    /// Each reads an annotation; false if it is of another tool.
    bool read_of_experiment(XmlElement annotation) { return read(annotation, nullptr, true); }
    /// The subsystems of a system with a solver become Model Exchange, unless they say otherwise.
    /// Inside another system its communication step has no meaning.
    bool read_of_system(XmlElement annotation, NestedSystem& system, bool is_outermost) {
        return read(annotation, &system, is_outermost);
    }
    /// Where the description itself says nothing, it says what was read.
    void use_as_defaults(SystemDescription& description) const;

private:
    bool read(XmlElement annotation, NestedSystem* system, bool is_outermost);
    void read_parts(XmlElement parent, NestedSystem* system, bool is_outermost);
    void read_information(XmlElement element);
    void read_master(XmlElement element, const char* step);
    void read_variable_master(XmlElement element);
    void read_solver(XmlElement element, NestedSystem& system);
    std::optional<double> positive(XmlElement element, const char* attribute);

    XmlReader& reader_;
    std::optional<double> step_, tolerance_;
    std::optional<double> output_interval_;  // the step where no other is given
    std::vector<Setting> solver_;            // options of the coupling `aggregate`
};

}  // namespace tandem::description
