#include "run/watch/resolution_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tandem::run {
namespace {

/// Steps that are looked at in a row, at first and later, and those between.
constexpr int first_steps = 128, steps_of_look = 16;
constexpr long steps_of_pause = 240;
constexpr long fewest_steps = 6;        // in which something could be missed
constexpr double equal_lengths = 1e-2;  // steps that differ by less are equally long

/// Deviations that matter, by the largest value and by the nominal one.
constexpr double visible = 1e-3, visible_of_nominal = 1e-9;
/// Of the standard deviation: changes in a step, and differences of higher order. An oscillation
/// of the angular frequency w comes to them where w h = 0.05 and 0.16.
constexpr double changes_not_resolved = 0.05, bends_not_resolved = 0.025;
/// Of the time of the run, that values which switch may come late.
constexpr double part_of_run = 0.005;
/// A straight line between the ends of a step is off by D^2 y / 12 on average, one that is
/// extrapolated by 5/12 of it.
constexpr double part_of_interpolation = 0.2;

/// Of a step, where functions of time are evaluated; no multiples of one part of it.
constexpr std::array points_inside = {0.0902, 0.2361, 0.3820, 0.5279, 0.6180, 0.7639, 0.8541};
/// D^1 y is twice what a value that is held misses on average.
constexpr double differences_per_miss = 2.0;

/// These follow what a linear model tells of inside a step, whatever its length.
bool uses_linear_models(const CouplingRecord& coupling) {
    return coupling.method == "predictor" || coupling.method == "linear_implicit" ||
           coupling.method == "lti" || coupling.method == "pre_step";
}

}  // namespace

ResolutionWatch::ResolutionWatch(const assemble::Assembly& assembly)
    : assembly_(assembly),
      order_(order_of(*assembly.coupling)),
      looks_ahead_(looks_ahead(assembly.coupling_record)) {
    if (assembly.coupling->traits().iterates && order_ > 1) part_ = part_of_interpolation;
    const System& system = *assembly.system;
    const bool has_models = uses_linear_models(assembly.coupling_record);
    for (const WatchedConnection& connection : continuous_connections(assembly)) {
        const int source = system.subsystem_of_output(connection.output);
        if (has_models && system.at(source).interface().capabilities.linear_model) continue;
        const double nominal = system.output_port(connection.output).nominal;
        signals_.push_back(
            {.connection = connection, .least_deviation = visible_of_nominal * std::abs(nominal)});
    }
    watch_functions();
    watch_tables();
}

void ResolutionWatch::watch_functions() {
    const System& system = *assembly_.system;
    for (const FunctionLink& function : system.functions()) {
        if (!function.outputs.empty()) continue;
        const double nominal = system.input_port(function.input).nominal;
        sources_.push_back(
            {.function = &function, .least_deviation = visible_of_nominal * std::abs(nominal)});
    }
}

/// Columns that are held between rows jump where steps end.
void ResolutionWatch::watch_tables() {
    const System& system = *assembly_.system;
    for (const WatchedConnection& connection : table_connections(assembly_)) {
        const int s = system.subsystem_of_output(connection.output);
        const auto placed = std::ranges::find(assembly_.tables, s, &assemble::PlacedTable::place);
        const double nominal = system.output_port(connection.output).nominal;
        tables_.push_back({.table = placed->table,
                           .connection = connection,
                           .column = connection.output - system.output_begin(s),
                           .least_deviation = visible_of_nominal * std::abs(nominal)});
    }
}

void ResolutionWatch::jumped(int s) {
    for (Signal& signal : signals_)
        if (assembly_.system->subsystem_of_output(signal.connection.output) == s) signal.known = 0;
}

int ResolutionWatch::order_of(const coupling::Coupling& coupling) {
    return std::clamp(coupling.traits().order, 1, most_differences);
}

/// What was missed so far counts for that order alone.
void ResolutionWatch::take_order(int order) {
    if (order == order_) return;
    order_ = order;
    for (Signal& signal : signals_) signal.known = 0;
    const auto forget_misses = [](auto& all) {
        for (auto& one : all) one.moments.forget_misses();
    };
    forget_misses(signals_);
    forget_misses(sources_);
    forget_misses(tables_);
}

void ResolutionWatch::look(double t, double length) {
    take_order(order_of(*assembly_.coupling));
    if (in_look_ == 0 || !(std::abs(length - length_) <= equal_lengths * length))
        for (Signal& signal : signals_) signal.known = 0;
    length_ = length;
    ++in_look_;
    const std::span<const double> outputs = assembly_.system->outputs();
    for (Signal& signal : signals_)
        take(signal, outputs[static_cast<std::size_t>(signal.connection.output)]);
    for (Source& source : sources_) take(source, {t - length, t});
    for (Table& table : tables_) take(table, {t - length, t});
    if (step_ < first_steps || in_look_ < steps_of_look) return;
    in_look_ = 0;
    next_ = step_ + steps_of_pause;
}

void ResolutionWatch::take(Signal& signal, double y) const {
    signal.moments.add(y);
    double difference = y;
    for (double& last : signal.last) difference -= std::exchange(last, difference);
    if (++signal.known > order_)
        signal.moments.add_missed(part_ * signal.last[static_cast<std::size_t>(order_)]);
}

/// Held inputs have the value of the beginning, others follow the line to the end.
void ResolutionWatch::take(Source& source, Interval step) const {
    const auto value = [&](double t) { return source.function->function(t, {}); };
    const double begin = value(step.begin), end = order_ == 1 ? begin : value(step.end);
    double missed = 0.0;
    for (const double s : points_inside) {
        const double y = value(step.begin + s * step.length());
        source.moments.add(y);
        missed += std::abs(y - begin - s * (end - begin));
    }
    source.moments.add_missed(differences_per_miss * missed / points_inside.size());
}

/// Steps end where tables bend or jump.
void ResolutionWatch::take(Table& table, Interval step) const {
    double missed = 0.0;
    for (Interval piece = step; piece.begin < step.end; piece = {piece.end, step.end}) {
        piece.end = table.table->end_of_step(piece);
        const double begin =
            table.table->value_at(table.column, piece.begin, assemble::Side::after);
        const double way = end_of_line(table, piece, step) - begin;
        for (const double s : points_inside) {
            const double y = table.value(piece.begin + s * piece.length());
            table.moments.add(y);
            missed += std::abs(y - begin - s * way) * piece.length();
        }
    }
    table.moments.add_missed(differences_per_miss * missed /
                             (points_inside.size() * step.length()));
}

/// Where inputs come to: held ones stay; others follow the line to the end or, where they go on
/// from the past, that of the step before, if nothing ended it.
double ResolutionWatch::end_of_line(const Table& table, Interval piece, Interval step) const {
    const double begin = table.table->value_at(table.column, piece.begin, assemble::Side::after);
    if (order_ == 1) return begin;
    if (looks_ahead_) return table.value(piece.end);
    const Interval before = {step.begin - step.length(), step.begin};
    const bool goes_on = piece.begin == step.begin &&
                         table.table->next_break(before.begin) > step.begin &&
                         table.table->next_jump(before.begin).value_or(step.end) > step.begin;
    if (!goes_on) return begin;
    return begin + (begin - table.value(before.begin)) * piece.length() / step.length();
}

/// Mean and squares as Welford (1962) has them.
void ResolutionWatch::Moments::add(double y) {
    const double deviation = y - mean;
    mean += deviation / static_cast<double>(++values);
    squares += deviation * (y - mean);
    largest = std::max(largest, std::abs(y));
}

void ResolutionWatch::Moments::add_missed(double size) {
    ++misses;
    missed += std::abs(size);
}

double ResolutionWatch::Moments::missed_part(double least_deviation) const {
    if (misses < fewest_steps) return 0.0;
    const double deviation = std::sqrt(squares / static_cast<double>(values));
    if (!(deviation > std::max(least_deviation, visible * largest))) return 0.0;
    return missed / static_cast<double>(misses) / deviation;
}

std::optional<Diagnostic> ResolutionWatch::warning() const {
    const double not_resolved = order_ == 1 ? changes_not_resolved : bends_not_resolved;
    const auto source = std::ranges::max_element(sources_, {}, &Source::missed_part);
    if (source != sources_.end() && source->missed_part() >= not_resolved)
        return warning(name_of_input(assembly_, source->function->input), source->missed_part(),
                       "choose a smaller step, or the coupling aggregate, which follows functions "
                       "of time inside steps");
    const auto table = std::ranges::max_element(tables_, {}, &Table::missed_part);
    if (table != tables_.end() && table->missed_part() >= not_resolved)
        return warning(name_of(assembly_, table->connection), table->missed_part(),
                       "choose a smaller step, or the coupling aggregate, which follows tables "
                       "inside steps");
    const auto signal = std::ranges::max_element(signals_, {}, &Signal::missed_part);
    if (signal != signals_.end() && signal->missed_part() >= not_resolved)
        return warning(
            name_of(assembly_, signal->connection), signal->missed_part(),
            "compare with a smaller step" + alternatives_to(assembly_.coupling_record.method));
    return warning_of_switches();
}

/// What they feed sees each of them up to a communication step late.
std::optional<Diagnostic> ResolutionWatch::warning_of_switches() const {
    if (untold_switches_ < 2 || late_ < part_of_run * time_) return std::nullopt;
    const auto owner = std::ranges::find(assembly_.members, switched_.of, &Member::variables);
    if (owner == assembly_.members.end()) return std::nullopt;
    return Diagnostic{
        Severity::warning, fmt::format("coupling '{}'", assembly_.coupling_record.method),
        fmt::format("in {} steps truth values or enumerations switch without telling of an event, "
                    "'{}.{}' first: what they feed sees that up to a step of {:.3g} s late, and "
                    "results may err by as much time",
                    untold_switches_, owner->name, switched_.of->list()[switched_.variable].name,
                    late_ / static_cast<double>(untold_switches_)),
        "choose a smaller step, or use FMI 3.0 with event mode, Model Exchange (kind = \"me\") or "
        "a "
        "native model; if it is a controller that samples once in a communication step, "
        "that is as it should be"};
}

Diagnostic ResolutionWatch::warning(const std::string& name, double missed_part,
                                    const std::string& hint) const {
    return {Severity::warning, fmt::format("coupling '{}'", assembly_.coupling_record.method),
            fmt::format("the step does not resolve the values of {}: in a step a coupling of order "
                        "{} misses on average {:.0f} % of their standard deviation, and results "
                        "may err by as much or more",
                        name, order_, 100.0 * missed_part),
            hint};
}

}  // namespace tandem::run
