#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>

#include "run/lines.hpp"

namespace tandem::run {
namespace {

using coupling::TlmSubsystem;
using Eigen::Vector3d;

/// A line whose own inertia is more than this part of what it touches is worth a word.
constexpr double heavy = 0.3;
/// Parts of the stretch that stands for a force, and of positions, that ends may be off.
constexpr double stretch_tolerance = 0.01, position_rounding = 1e-9;

void add_heavy(const Lines& lines, std::vector<std::string>& sentences) {
    for (TlmSubsystem* subsystem : lines.subsystems) {
        if (subsystem == nullptr) continue;
        for (const TlmSubsystem::Touched& touched : subsystem->touched_inertias())
            if (touched.own > heavy * touched.inertia)
                sentences.push_back(fmt::format(
                    "tlm '{}': its own inertia, impedance times delay, is {:.3g}, that of '{}' "
                    "which it touches {:.3g}; a shorter delay with the same stiffness makes it "
                    "lighter",
                    touched.end->element().options().name, touched.own, subsystem->name(),
                    touched.inertia));
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

/// A force F on the first end stretches the line by r2 - r1 = F T / Z.
void add_displaced(const Lines::Line& line, const std::vector<Member>& members,
                   std::vector<std::string>& sentences) {
    if (line.positions[0].elements.empty() || line.positions[1].elements.empty()) return;
    const coupling::TlmOptions& options = line.element->options();
    const Vector3d first = place_of(line.positions[0], members);
    const Vector3d second = place_of(line.positions[1], members);
    Vector3d stretch = Vector3d::Zero();
    if (!options.preload.empty())
        stretch = Vector3d(options.preload.data()) * options.delay / options.impedance.front();
    const double tolerance = stretch_tolerance * stretch.norm() +
                             position_rounding * std::max(first.norm(), second.norm());
    if ((second - first - stretch).norm() <= tolerance) return;
    sentences.push_back(fmt::format(
        "tlm '{}': from its first end to its second it is {} at the start, but {} belongs to the "
        "force that it begins with (preload times delay by impedance); the difference stays for "
        "ever. Leave out 'position' if that is meant",
        options.name, text(second - first), text(stretch)));
}

}  // namespace

std::vector<std::string> line_warnings(const Lines& lines, const std::vector<Member>& members) {
    std::vector<std::string> sentences;
    add_heavy(lines, sentences);
    for (const Lines::Line& line : lines.lines) add_displaced(line, members, sentences);
    return sentences;
}

}  // namespace tandem::run
