#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>

#include "assemble/connect/lines.hpp"

namespace tandem::assemble {
namespace {

using Eigen::Vector3d;
using tlm::TlmSubsystem;

/// A line whose own inertia is more than this part of what it touches is worth a word.
constexpr double heavy = 0.3;
/// Parts of the stretch that stands for a force, and of positions, that ends may be off.
constexpr double stretch_tolerance = 0.01, position_rounding = 1e-9;

Diagnostic warning(const std::string& line, std::string problem, std::string hint) {
    return {Severity::warning, fmt::format("tlm '{}'", line), std::move(problem), std::move(hint)};
}

void add_heavy(const Lines& lines, Diagnostics& warnings) {
    for (TlmSubsystem* subsystem : lines.subsystems) {
        if (subsystem == nullptr) continue;
        for (const TlmSubsystem::Touched& touched : subsystem->touched_inertias())
            if (touched.own > heavy * touched.inertia)
                warnings.push_back(
                    warning(touched.end->element().options().name,
                            fmt::format("its own inertia is {:.3g}, that of '{}' "
                                        "which it touches {:.3g}",
                                        touched.own, subsystem->name(), touched.inertia),
                            "a shorter delay with the same stiffness makes it lighter"));
    }
}

Vector3d place_of(const Lines::Line::Position& position, const std::vector<Member>& members) {
    Vector3d own;
    for (std::size_t i = 0; i < 3; ++i) {
        const VariableElement& element = position.elements[i];
        Variables& variables = *members[static_cast<std::size_t>(element.subsystem)].variables;
        const VariableGroup group = variables.group(std::span(&element.variable, 1));
        Values values;
        values.resize(group.type, group.size);
        variables.read(group, values);
        own[static_cast<Eigen::Index>(i)] = values.reals[element.element];
    }
    using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    return Vector3d(position.origin.data()) +
           Eigen::Map<const Matrix>(position.rotation.data()) * own;
}

std::string text(const Vector3d& v) {
    return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", v[0], v[1], v[2]);
}

/// A force F on the first end stretches the line by r2 - r1 = F T / ((1 - damping) Z).
void add_displaced(const Lines::Line& line, const std::vector<Member>& members,
                   Diagnostics& warnings) {
    if (line.positions[0].elements.empty() || line.positions[1].elements.empty()) return;
    const tlm::TlmOptions& options = line.element->options();
    const Vector3d first = place_of(line.positions[0], members);
    const Vector3d second = place_of(line.positions[1], members);
    Vector3d stretch = Vector3d::Zero();
    if (!options.preload.empty())
        stretch = Vector3d(options.preload.data()) * options.delay /
                  ((1.0 - options.damping) * options.impedance.front());
    const double tolerance = stretch_tolerance * stretch.norm() +
                             position_rounding * std::max(first.norm(), second.norm());
    if ((second - first - stretch).norm() <= tolerance) return;
    warnings.push_back(warning(
        options.name,
        fmt::format("from its first end to its second it is {} at the start, but {} belongs to the "
                    "force that it begins with (preload by stiffness); the difference "
                    "stays for ever",
                    text(second - first), text(stretch)),
        "leave out 'position' if that is meant"));
}

}  // namespace

Diagnostics line_warnings(const Lines& lines, const std::vector<Member>& members) {
    Diagnostics warnings;
    add_heavy(lines, warnings);
    for (const Lines::Line& line : lines.lines) add_displaced(line, members, warnings);
    return warnings;
}

Diagnostics energy_warnings(const std::vector<LineRecord>& records) {
    Diagnostics warnings;
    for (const LineRecord& line : records)
        if (line.creates_energy())
            warnings.push_back(warning(line.name,
                                       fmt::format("the line generated up to {:.3g} of spurious "
                                                   "energy (at {:.6g}; it stored {:.3g} at most): "
                                                   "it is not passive",
                                                   line.created, line.created_at, line.most_stored),
                                       "take shorter steps, or another exchange"));
    return warnings;
}

}  // namespace tandem::assemble
