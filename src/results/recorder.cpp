#include "results/recorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include "base/log.hpp"
#include "core/partly_readable.hpp"
#include "results/csv_results.hpp"
#include "results/record_selection.hpp"
#include "tandem/error.hpp"

namespace tandem::results {
namespace {

/// By the first value, or 1: no measured quantity comes so far.
constexpr double runaway = 1e30;

/// Copies what the segments say; `source` gives the values of a segment.
template <class Segments, class Target, class Source>
void copy(Segments&& segments, std::vector<Target>& row, const Source& source) {
    for (const auto& segment : segments)
        std::copy_n(source(segment) + segment.from, segment.count,
                    row.begin() + static_cast<std::ptrdiff_t>(segment.to));
}

std::string list_of(std::vector<std::string> names) {
    constexpr std::size_t most_names = 6;
    const std::size_t more = names.size() > most_names ? names.size() - most_names : 0;
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : std::string());
}

}  // namespace

/// A chosen variable.
struct Recorder::Chosen {
    std::size_t source_index = 0;
    const RecordSource* source = nullptr;
    const VariableInfo* info = nullptr;
    std::size_t variable = 0;
    const double* port = nullptr;
    std::size_t group = 0;
    std::size_t index = 0;  ///< in the group
};

std::vector<RecordSource> record_sources(System& system, const std::vector<Member>& members) {
    std::vector<RecordSource> sources;
    for (const Member& member : members) {
        RecordSource source{member.name + ".", member.variables, {}, {}, nullptr, member.place};
        Subsystem& subsystem = system.at(member.place);
        if (&subsystem.variables() == member.variables) {
            source.ports = subsystem.interface().outputs;
            source.port_values = system.outputs_of(member.place);
            source.subsystem = &subsystem;
        }
        sources.push_back(std::move(source));
    }
    return sources;
}

Recorder::Recorder(std::vector<RecordSource> sources, const RecordOptions& options,
                   std::vector<std::unique_ptr<ResultWriter>> writers)
    : sources_(std::move(sources)),
      writers_(std::move(writers)),
      every_(options.every),
      events_(options.events) {
    if (every_ < 1)
        throw InputError("decimation",
                         fmt::format("{} is not a number of communication points", every_),
                         "use 1 for all points, 10 for each tenth");
    for (const RecordedVariable& recorded : choose_variables(sources_, options)) {
        const RecordSource& source = sources_[recorded.source];
        const VariableInfo& info = source.variables->list()[recorded.variable];
        const double* port = recorded.port ? source.port_values.data() + *recorded.port : nullptr;
        if (info.type == ValueType::clock)
            left_out_.push_back(source.prefix + info.name);
        else
            chosen_.push_back({recorded.source, &source, &info, recorded.variable, port});
    }
    for (const RecordSource& source : sources_)
        left_ports_.push_back({source.subsystem, source.port_values.data(),
                               std::vector<double>(source.port_values.size()), source.place});
    is_kept_.resize(sources_.size());
    add_columns();
    for (const auto& writer : writers_) writer->begin(columns_);
}

Recorder::Recorder(Variables& variables, const std::vector<std::size_t>& selection,
                   CsvWriter& writer)
    : sources_{{{}, &variables, {}, {}}}, knows_all_(true) {
    for (const std::size_t i : selection)
        chosen_.push_back({0, sources_.data(), &variables.list()[i], i});
    add_columns();
    auto results = std::make_unique<CsvResults>(writer);
    borrowed_ = results.get();
    writers_.push_back(std::move(results));
}

Recorder::~Recorder() = default;
Recorder::Recorder(Recorder&&) noexcept = default;

void Recorder::add_columns() {
    columns_.clear();
    groups_.clear();
    for (auto* segments : {&real_segments_, &integer_segments_, &string_segments_})
        segments->clear();
    for (const Chosen& variable : chosen_) {
        const VariableInfo& info = *variable.info;
        for (std::size_t k = 0; k < info.size; ++k) {
            const std::string name = variable.source->prefix + info.name;
            columns_.push_back({info.size == 1 ? name : fmt::format("{}[{}]", name, k + 1),
                                info.unit, info.description, info.type});
        }
    }
    add_groups();
    add_segments();
}

/// Before the first row; the files get other columns then.
void Recorder::leave_out_unknown() {
    if (std::exchange(knows_all_, true)) return;
    std::set<std::pair<const Variables*, std::size_t>> unknown;
    for (const Group& group : groups_)
        if (auto* const partly = dynamic_cast<PartlyReadable*>(group.of))
            for (const std::size_t variable : partly->unknown(group.variables))
                unknown.emplace(group.of, variable);
    std::erase_if(chosen_, [&](const Chosen& one) {
        if (one.port || !unknown.contains({one.source->variables, one.variable})) return false;
        left_out_.push_back(one.source->prefix + one.info->name);
        return true;
    });
    if (!unknown.empty()) {
        add_columns();
        for (const auto& writer : writers_) writer->begin(columns_);
    }
    if (!left_out_.empty())
        log(LogLevel::warning, fmt::format("not recorded, because the FMU does not let it be read "
                                           "(clocks: in event mode only): {}",
                                           list_of(std::move(left_out_))));
}

/// One group for each subsystem and type of those that no port holds.
void Recorder::add_groups() {
    std::map<std::pair<const Variables*, ValueType>, std::size_t> found;
    std::vector<std::vector<std::size_t>> members;
    std::vector<std::size_t> sizes;
    for (Chosen& variable : chosen_) {
        if (variable.port) continue;
        const auto [at, is_new] =
            found.try_emplace({variable.source->variables, variable.info->type}, members.size());
        if (is_new) {
            groups_.push_back({variable.source_index, variable.source->variables, {}, {}});
            members.emplace_back();
            sizes.push_back(0);
        }
        variable.group = at->second;
        variable.index = sizes[variable.group];
        sizes[variable.group] += variable.info->size;
        members[variable.group].push_back(variable.variable);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        groups_[g].variables = groups_[g].of->group(members[g]);
        groups_[g].values.resize(groups_[g].variables.type, groups_[g].variables.size);
    }
}

void Recorder::add_segments() {
    std::array<std::size_t, 3> next{};
    const std::array<std::vector<Segment>*, 3> lists = {&real_segments_, &integer_segments_,
                                                        &string_segments_};
    for (const Chosen& variable : chosen_) {
        const auto storage = static_cast<std::size_t>(storage_of(variable.info->type));
        std::vector<Segment>& segments = *lists[storage];
        const std::size_t count = variable.info->size;
        Segment* last = segments.empty() ? nullptr : &segments.back();
        const bool continues =
            last && last->source == variable.source_index &&
            (variable.port ? last->port && last->port + last->count == variable.port
                           : !last->port && last->group == variable.group &&
                                 last->from + last->count == variable.index);
        if (continues)
            last->count += count;
        else
            segments.push_back({variable.source_index, variable.group, variable.port,
                                variable.index, next[storage], count});
        next[storage] += count;
    }
    reals_.resize(next[0]);
    integers_.resize(next[1]);
    strings_.resize(next[2]);
    first_reals_.resize(next[0]);
    not_finite_since_.assign(next[0], std::numeric_limits<double>::quiet_NaN());
    left_reals_.resize(next[0]);
    left_integers_.resize(next[1]);
    left_strings_.resize(next[2]);
    left_views_.resize(next[2]);
}

void Recorder::write_header(bool units) {
    expects(borrowed_ != nullptr, "only a borrowed CSV file waits for its header");
    borrowed_->begin(columns_, units);
}

void Recorder::record(double t) {
    if (points_++ % every_ != 0 || t == last_event_) return;
    gather_consistent(t);
    write_row(t);
}

void Recorder::record_event(double t) {
    if (!events_) return;
    last_event_ = t;
    record_left_side(t);
    gather_consistent(t);
    write_row(t);
}

void Recorder::record_left_side(double t) {
    if (!keeps_) return;
    consistent_.evaluate_before_event(t);
    gather();
    consistent_.put_back();
    swap_sides();
    write_row(t);
    forget_left_sides();
}

void Recorder::keep_left_side(std::size_t source) {
    if (!events_ || is_kept_[source]) return;
    leave_out_unknown();
    is_kept_[source] = keeps_ = true;
    LeftPorts& ports = left_ports_[source];
    consistent_.keep_outputs(ports.place);
    if (!ports.values.empty()) ports.subsystem->get_outputs(ports.values);
    for (Group& group : groups_)
        if (group.source == source) group.of->observe(group.variables, group.values);
    const auto of_source = std::views::filter([&](const Segment& s) { return s.source == source; });
    copy(real_segments_ | of_source, left_reals_, [&](const Segment& segment) {
        return segment.port ? ports.values.data() + (segment.port - ports.now)
                            : groups_[segment.group].values.reals.data();
    });
    copy(integer_segments_ | of_source, left_integers_,
         [this](const Segment& segment) { return groups_[segment.group].values.integers.data(); });
    copy(string_segments_ | of_source, left_strings_,
         [this](const Segment& segment) { return groups_[segment.group].values.strings.data(); });
    std::ranges::copy(left_strings_, left_views_.begin());
}

void Recorder::keep_left_sides(double t) {
    if (!events_ || keeps_) return;
    gather_consistent(t);
    std::ranges::copy(reals_, left_reals_.begin());
    std::ranges::copy(integers_, left_integers_.begin());
    std::ranges::copy(strings_, left_strings_.begin());
    std::ranges::copy(left_strings_, left_views_.begin());
    for (const LeftPorts& ports : left_ports_) consistent_.keep_outputs(ports.place);
    is_kept_.assign(is_kept_.size(), true);
    keeps_ = true;
}

void Recorder::forget_left_sides() {
    if (!std::exchange(keeps_, false)) return;
    is_kept_.assign(is_kept_.size(), false);
    consistent_.forget_outputs();
}

void Recorder::forget_left_side(std::size_t source) {
    is_kept_[source] = false;
    consistent_.forget_outputs(left_ports_[source].place);
}

/// Exchanges the kept values of a source with those in the row.
void Recorder::swap_sides() {
    const auto swap = [this](const std::vector<Segment>& segments, auto exchange) {
        for (const Segment& segment : segments)
            for (std::size_t k = 0; is_kept_[segment.source] && k < segment.count; ++k)
                exchange(segment.to + k);
    };
    swap(real_segments_, [this](std::size_t i) { std::swap(reals_[i], left_reals_[i]); });
    swap(integer_segments_, [this](std::size_t i) { std::swap(integers_[i], left_integers_[i]); });
    swap(string_segments_, [this](std::size_t i) { std::swap(strings_[i], left_views_[i]); });
}

bool Recorder::asks(std::size_t source) const {
    return std::ranges::find(groups_, source, &Group::source) != groups_.end() ||
           !left_ports_[source].values.empty();
}

void Recorder::gather_consistent(double t) {
    consistent_.evaluate(t);
    gather();
    consistent_.put_back();
}

void Recorder::gather() {
    leave_out_unknown();
    for (Group& group : groups_) group.of->observe(group.variables, group.values);
    copy(real_segments_, reals_, [this](const Segment& segment) {
        return segment.port ? segment.port : groups_[segment.group].values.reals.data();
    });
    copy(integer_segments_, integers_,
         [this](const Segment& segment) { return groups_[segment.group].values.integers.data(); });
    copy(string_segments_, strings_,
         [this](const Segment& segment) { return groups_[segment.group].values.strings.data(); });
}

void Recorder::write_row(double t) {
    const ResultRow row{t, reals_, integers_, strings_};
    for (const auto& writer : writers_) writer->write(row);
    if (rows_ == 0) std::ranges::copy(reals_, first_reals_.begin());
    ++rows_;
    double probe = 0.0;  // not zero if a value is infinite or no number
    for (const double value : reals_) probe += value - value;
    if (probe != 0.0) note_not_finite(t);
}

void Recorder::note_not_finite(double t) {
    for (std::size_t i = 0; i < reals_.size(); ++i)
        if (!std::isfinite(reals_[i]) && std::isnan(not_finite_since_[i])) not_finite_since_[i] = t;
}

std::vector<std::string> Recorder::runaway_columns() const {
    std::vector<std::string> names;
    std::size_t real = 0;
    for (const ResultColumn& column : columns_) {
        if (storage_of(column.type) != Storage::reals) continue;
        const double bound = runaway * std::max(1.0, std::abs(first_reals_[real]));
        if (rows_ > 0 && std::isnan(not_finite_since_[real]) && std::abs(reals_[real]) > bound)
            names.push_back(column.name);
        ++real;
    }
    return names;
}

std::vector<Recorder::NotFinite> Recorder::not_finite_columns() const {
    std::vector<NotFinite> found;
    std::size_t real = 0;
    for (const ResultColumn& column : columns_) {
        if (storage_of(column.type) != Storage::reals) continue;
        if (!std::isnan(not_finite_since_[real]))
            found.push_back({column.name, not_finite_since_[real]});
        ++real;
    }
    return found;
}

Diagnostics value_warnings(const Recorder& recorder, const std::string& place) {
    Diagnostics warnings;
    std::vector<std::string> names;
    for (const auto& [column, t] : recorder.not_finite_columns())
        names.push_back(fmt::format("{} from t = {:.9g} on", column, t));
    if (!names.empty())
        warnings.push_back({Severity::warning, place,
                            "values are no finite numbers: " + list_of(std::move(names)),
                            "do not trust the results: look at the model that computes them, near "
                            "this time"});
    if (names = recorder.runaway_columns(); !names.empty())
        warnings.push_back(
            {Severity::warning, place,
             fmt::format("values grew without bound, by more than {:.0e}: {}", runaway,
                         list_of(std::move(names))),
             "do not trust the results: the model, or its coupling with this step, is unstable"});
    return warnings;
}

void Recorder::close() {
    std::exception_ptr failure;
    for (const auto& writer : writers_) {
        try {
            writer->close();
        } catch (const OutputError&) {
            if (!failure) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace tandem::results
