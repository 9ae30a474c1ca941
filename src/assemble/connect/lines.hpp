#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assemble/connect/aggregate.hpp"
#include "description/flatten.hpp"
#include "record/run_record.hpp"
#include "tlm/line_subsystem.hpp"

namespace tandem::assemble {

/// The transmission lines of a system.
struct Lines {
    struct Line {
        std::shared_ptr<tlm::TlmElement> element;
        std::array<int, 2> places = {};  ///< of the subsystems at its ends, in the System
        std::array<std::string, 2> names =
            {};  ///< of subsystems of the file, which may be in groups
        std::array<tlm::TlmExchange, 2> exchange = {};
        /// Where an end is, in a frame r = origin + rotation r_subsystem; nothing: not named.
        struct Position {
            std::vector<VariableElement> elements;
            std::array<double, 3> origin = {};
            std::array<double, 9> rotation = {};
        };
        std::array<Position, 2> positions = {};
        std::string place;  ///< in the file
    };
    std::vector<Line> lines;
    std::vector<tlm::TlmSubsystem*> subsystems;  ///< by their place; null: at no line

    std::vector<DelayedFlow> flows() const;
    /// Before a step that is shorter than those that were expected.
    void make_room() const;
};

/// Puts the subsystems at the ends of lines behind these. What an end cannot do becomes an error.
Lines attach_lines(const description::FlatSystem& flat, Aggregation& all, Diagnostics& findings);

/// Before the initialisation: the steps of subsystem s are as long as of_subsystem[s] unless they
/// are cut short. `asynchronous`: at its own pace. Steps that are too long for a delay become
/// errors.
struct ExpectedSteps {
    double macro = 0.0;
    std::vector<double> of_subsystem;
    bool asynchronous = false, has_events = false;
};
void expect_steps(Lines& lines, const ExpectedSteps& steps, Diagnostics& findings);

/// After the initialisation: lines that are heavy against what they touch, and lines whose ends are
/// not where the force that they begin with has them.
Diagnostics line_warnings(const Lines& lines, const std::vector<Member>& members);

std::vector<LineRecord> line_records(const Lines& lines);
/// After the last step: lines that have created energy.
Diagnostics energy_warnings(const std::vector<LineRecord>& records);

}  // namespace tandem::assemble
