#include "assemble/connect/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tandem/extend/index.hpp"

namespace tandem::assemble {
namespace {

using tlm::TlmElement;
using tlm::TlmEnd;
using tlm::TlmExchange;
using tlm::TlmPorts;
using tlm::TlmSubsystem;

/// Steps may be longer than a delay by this part, which is rounding.
constexpr double rounding = 1e-9;
/// In one delay.
constexpr double most_steps = 1e5;

tlm::TlmOptions options_of(const description::FlatTlm& flat) {
    const description::LineNumbers numbers = description::line_numbers(flat);
    tlm::TlmOptions options;
    options.name = flat.name;
    options.delay = numbers.delay;
    options.impedance.assign(flat.is_3d() ? 3 : 1, numbers.impedance);
    const double turning = flat.rotational_impedance.value_or(0.0);
    const bool has_moments = flat.is_3d() && flat.ends[0].moment && flat.ends[1].moment;
    if (has_moments) options.impedance.insert(options.impedance.end(), 3, turning);
    const bool is_mechanical =
        flat.is_3d() || flat.domain == "mechanical" || flat.domain == "rotational";
    options.sign = is_mechanical ? -1.0 : 1.0;
    options.damping = flat.damping;
    options.turns = has_moments && flat.corotating && turning > 0.0;
    options.preload = flat.preload;
    if (flat.is_3d() && !flat.preload.empty()) options.preload.resize(options.impedance.size());
    if (flat.interpolation == "hermite")
        options.interpolation = tlm::DelayLine::Interpolation::hermite;
    return options;
}

/// By their numbers in their subsystem.
TlmPorts own_ports(LineEndPorts ports, const description::FlatTlmEnd& end, int first_output,
                   int first_input) {
    for (std::vector<int>* list : ports.outputs())
        for (int& output : *list) output -= first_output;
    for (std::vector<int>* list : ports.inputs())
        for (int& input : *list) input -= first_input;
    TlmPorts own;
    own.flows = std::move(ports.flows);
    own.efforts = std::move(ports.efforts);
    own.takes_waves = end.wave || end.waves;
    own.orientation = std::move(ports.orientation);
    own.times = std::move(ports.times);
    own.points = std::move(ports.points);
    if (!ports.slopes.empty()) own.slope = ports.slopes.front();
    own.rotation = end.rotation;
    return own;
}

/// What the file asks for, if the subsystem can do it.
TlmExchange exchange_of(const description::FlatTlmEnd& end, const TlmPorts& ports,
                        const Subsystem& subsystem, Diagnostics& findings) {
    const Capabilities& can = subsystem.interface().capabilities;
    const bool takes_laws = TlmSubsystem::follows_waves(can);
    const auto refuse = [&](const char* needs) {
        findings.push_back({Severity::error, end.place,
                            fmt::format("'{}' cannot have the exchange '{}': it needs {}",
                                        subsystem.name(), end.exchange, needs),
                            "use exchange = \"auto\", which takes the best that is possible"});
        return TlmExchange::sampled;
    };
    const bool takes_table_only = !ports.times.empty() && ports.efforts.empty();
    const std::optional<TlmExchange> exchange = tlm::exchange_named(end.exchange);
    if (!exchange) return TlmSubsystem::best(can, ports);
    if (takes_table_only && exchange != TlmExchange::fine)
        return refuse("an effort or wave beside its table");
    switch (*exchange) {
        case TlmExchange::sampled: return TlmExchange::sampled;
        case TlmExchange::coarse:
            return takes_laws || can.input_derivatives > 0 || ports.slope >= 0
                       ? TlmExchange::coarse
                       : refuse("an FMU that takes input derivatives, or an input for the slope");
        case TlmExchange::fine:
            return takes_laws || !ports.times.empty()
                       ? TlmExchange::fine
                       : refuse("inputs for a table (times, waves), or a model that takes laws");
        case TlmExchange::continuous: break;
    }
    return takes_laws ? TlmExchange::continuous
                      : refuse(
                            "a native model, a Model Exchange FMU, one of the model kit, or an FMI "
                            "3.0 FMU with intermediate update whose outputs can be read there, or "
                            "with directional derivatives");
}

}  // namespace

std::vector<DelayedFlow> Lines::flows() const {
    std::vector<DelayedFlow> flows;
    for (const Line& line : lines)
        for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)})
            flows.push_back(
                {line.places[index(from)], line.places[index(to)], line.element->options().delay});
    return flows;
}

void Lines::make_room() const {
    for (TlmSubsystem* subsystem : subsystems)
        if (subsystem != nullptr) subsystem->make_room();
}

Lines attach_lines(const description::FlatSystem& flat, Aggregation& all, Diagnostics& findings) {
    Lines result;
    result.subsystems.resize(all.subsystems.size(), nullptr);
    if (flat.tlm.empty()) return result;
    const PortLayout layout(all.subsystems);
    std::vector<std::vector<TlmEnd>> ends(all.subsystems.size());
    for (std::size_t k = 0; k < flat.tlm.size(); ++k) {
        const description::FlatTlm& line = flat.tlm[k];
        Lines::Line& made = result.lines.emplace_back();
        made.element = std::make_shared<TlmElement>(options_of(line));
        made.place = line.place;
        for (int e = 0; e < 2; ++e) {
            const description::FlatTlmEnd& end = line.ends[index(e)];
            const int place = all.members[end.subsystem].place;
            made.places[index(e)] = place;
            made.names[index(e)] = flat.subsystems[end.subsystem].name;
            TlmPorts ports = own_ports(all.links.line_ends[2 * k + index(e)], end,
                                       layout.output_begin(place), layout.input_begin(place));
            ports.flows.resize(made.element->components());
            if (!ports.efforts.empty()) ports.efforts.resize(made.element->components());
            made.positions[index(e)] = {all.links.line_ends[2 * k + index(e)].position, end.origin,
                                        end.rotation};
            made.exchange[index(e)] =
                exchange_of(end, ports, *all.subsystems[index(place)], findings);
            ends[index(place)].emplace_back(
                made.element, e, std::move(ports),
                tlm::TlmReading{made.exchange[index(e)], static_cast<std::uint32_t>(line.samples)});
        }
    }
    for (std::size_t s = 0; s < ends.size(); ++s) {
        if (ends[s].empty()) continue;
        auto subsystem =
            std::make_unique<TlmSubsystem>(std::move(all.subsystems[s]), std::move(ends[s]));
        result.subsystems[s] = subsystem.get();
        all.subsystems[s] = std::move(subsystem);
    }
    return result;
}

namespace {

void check_steps(const Lines::Line& line, const ExpectedSteps& expected, Diagnostics& findings) {
    const double delay = line.element->options().delay;
    if (delay <= 0.0) return;  // which is an error of its own
    const double longest = expected.asynchronous ? 0.5 * delay : delay;
    const std::string& name = line.element->options().name;
    for (const int place : line.places) {
        const double step = expected.of_subsystem[index(place)];
        if (step > longest * (1.0 + rounding))
            findings.push_back(
                {Severity::error, line.place,
                 fmt::format("tlm '{}': steps of {:.9g} are longer than {} {:.9g}", name, step,
                             expected.asynchronous ? "half of its delay," : "its delay,", delay),
                 fmt::format("choose a step of at most {:.9g}{}", longest,
                             expected.asynchronous ? " by step_ratio" : ", or a longer delay")});
        else if (step * most_steps < delay)
            findings.push_back(
                {Severity::error, line.place,
                 fmt::format("tlm '{}': its delay, {:.6g}, is more than {:.0g} steps "
                             "of {:.6g}, and it would have to keep all of them",
                             name, delay, most_steps, step),
                 "choose a longer step, or a shorter delay"});
        else
            continue;
        return;
    }
}

}  // namespace

void expect_steps(Lines& lines, const ExpectedSteps& expected, Diagnostics& findings) {
    for (const Lines::Line& line : lines.lines) check_steps(line, expected, findings);
    if (has_errors(findings)) return;
    for (std::size_t s = 0; s < lines.subsystems.size(); ++s) {
        if (lines.subsystems[s] == nullptr) continue;
        lines.subsystems[s]->expect_steps(
            {expected.of_subsystem[s], expected.macro, expected.has_events});
    }
}

std::vector<LineRecord> line_records(const Lines& lines) {
    std::vector<LineRecord> records;
    for (const Lines::Line& line : lines.lines) {
        const tlm::TlmOptions& options = line.element->options();
        const tlm::TlmBalance& balance = line.element->balance;
        LineRecord record;
        record.name = options.name;
        for (std::size_t e = 0; e < 2; ++e)
            record.ends.push_back({line.names[e], std::string(to_string(line.exchange[e]))});
        record.delay = options.delay;
        record.impedance = options.impedance.front();
        record.put_in = balance.put_in;
        record.taken_out = balance.taken_out;
        record.stored_first = balance.first;
        record.stored = balance.stored;
        record.most_stored = balance.most_stored;
        record.created = balance.most_created;
        record.created_at = balance.at;
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace tandem::assemble
