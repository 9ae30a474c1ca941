#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/member.hpp"
#include "files/csv_writer.hpp"
#include "results/consistent_row.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/result_writer.hpp"
#include "tandem/extend/system.hpp"
#include "tandem/extend/variables.hpp"

namespace tandem::results {

class CsvResults;

/// What to record: patterns with * and ?; without any, the outputs, or everything that is not a
/// parameter if there are no outputs, but no clocks.
/// Returns indices in the order of the list. Throws InputError for a pattern that matches nothing.
std::vector<std::size_t> select_variables(const std::vector<VariableInfo>& variables,
                                          const std::vector<std::string>& patterns);

struct RecordOptions {
    std::vector<std::string> patterns;  ///< of whole names, "subsystem.variable" in a system
    std::vector<std::string> exclude;   ///< taken away from what the patterns chose
    long every = 1;                     ///< of the grid points, the n-th; events always
    bool events = true;                 ///< rows for both sides of events
};

/// Where columns come from: one subsystem.
struct RecordSource {
    std::string prefix;  ///< before each name: "engine."; empty for a subsystem alone
    Variables* variables = nullptr;
    std::vector<Port> ports;              ///< real outputs whose values
    std::span<const double> port_values;  ///< are here and need not be asked for
    Subsystem* subsystem = nullptr;       ///< has the ports; null if there are none
    int place = 0;                        ///< in the system
};

/// The subsystems as listed, with the prefix "name."; the outputs of those that are alone lie in
/// System::outputs().
std::vector<RecordSource> record_sources(System& system, const std::vector<Member>& members);

/// Appends the chosen variables to one or more files, one row per call. Arrays become the columns
/// name[1], name[2], ... For a row each subsystem is asked once per type of value, and not at all
/// for outputs that lie in the arrays of the system.
///
/// Clocks, which can be read in event mode only, are not recorded, nor is what can neither be read
/// at the first row nor was set by then: a warning names them. What was set and cannot be read has
/// the values it is set to.
class Recorder {
public:
    /// Begins the files. Throws InputError for a pattern that matches nothing.
    Recorder(std::vector<RecordSource> sources, const RecordOptions& options,
             std::vector<std::unique_ptr<ResultWriter>> writers);
    /// One subsystem into a file that somebody else owns; write_header() comes before the rows.
    Recorder(Variables& variables, const std::vector<std::size_t>& selection, CsvWriter& writer);
    ~Recorder();
    Recorder(Recorder&&) noexcept;
    Recorder& operator=(Recorder&&) = delete;

    /// Writes the names; with `units`, as "name [unit]" where there is a unit.
    void write_header(bool units);
    /// A grid point: writes the values at the time last reached, under time `t`, if its turn has
    /// come and the rows of an event are not there already. Allocates nothing itself.
    void record(double t);
    /// An event: always a row for what is after it, and before that one for what was kept.
    void record_event(double t);
    /// Rows are made with that.
    void make_consistent(ConsistentRow row) { consistent_ = std::move(row); }
    /// Whether the source is asked for values in each row.
    bool asks(std::size_t source) const;
    /// The first of these rows alone, while the values on the right side are not known yet.
    void record_left_side(double t);
    /// Inside a step, before an event of a source: its values then. The first call counts.
    void keep_left_side(std::size_t source);
    /// Between steps, before an event of which nobody knows yet what it acts on: the whole row.
    void keep_left_sides(double t);
    void forget_left_sides();
    void forget_left_side(std::size_t source);
    /// Closes the files and reports what could not be written.
    void close();

    const std::vector<ResultColumn>& columns() const { return columns_; }
    long rows() const { return rows_; }
    /// Columns whose last value exceeds the first one, or 1, by so many orders of magnitude that
    /// it can only have grown without bound.
    std::vector<std::string> runaway_columns() const;
    struct NotFinite {
        std::string column;
        double t = 0.0;  ///< of the first such row
    };
    /// Columns with values that are no finite numbers, in any row.
    std::vector<NotFinite> not_finite_columns() const;
    /// Those that can be read in a file by now; after close(), all of them.
    const std::atomic<std::uint64_t>& rows_in_file(std::size_t file) const {
        return writers_[file]->rows_in_file();
    }

private:
    struct Group {
        std::size_t source = 0;
        Variables* of = nullptr;
        VariableGroup variables;
        Values values;
    };
    /// The port values of a source before an event, and where the recorder finds them otherwise.
    struct LeftPorts {
        Subsystem* subsystem = nullptr;
        const double* now = nullptr;
        std::vector<double> values;
        int place = 0;
    };
    /// `count` values that lie side by side both in their source and in the row.
    struct Segment {
        std::size_t source = 0;
        std::size_t group = 0;
        const double* port = nullptr;  ///< if not null, the source instead of the group
        std::size_t from = 0;
        std::size_t to = 0;
        std::size_t count = 0;
    };
    struct Chosen;

    void add_columns();
    void add_groups();
    void add_segments();
    void leave_out_unknown();
    void gather();
    void gather_consistent(double t);
    void swap_sides();
    void write_row(double t);
    void note_not_finite(double t);

    std::vector<RecordSource> sources_;
    std::vector<Chosen> chosen_;
    std::vector<std::string> left_out_;  ///< names
    bool knows_all_ = false;             ///< that is chosen
    std::vector<std::unique_ptr<ResultWriter>> writers_;
    CsvResults* borrowed_ = nullptr;
    std::vector<ResultColumn> columns_;
    std::vector<Group> groups_;
    ConsistentRow consistent_;
    std::vector<Segment> real_segments_, integer_segments_, string_segments_;
    std::vector<double> reals_, first_reals_;
    std::vector<double> not_finite_since_;  ///< of each real: NaN if it always was a finite number
    std::vector<std::int64_t> integers_;
    std::vector<std::string_view> strings_;
    std::vector<LeftPorts> left_ports_;  ///< of each source
    std::vector<bool> is_kept_;          ///< likewise
    bool keeps_ = false;
    std::vector<double> left_reals_;
    std::vector<std::int64_t> left_integers_;
    std::vector<std::string> left_strings_;
    std::vector<std::string_view> left_views_;
    long every_ = 1;
    bool events_ = true;
    double last_event_ = std::numeric_limits<double>::quiet_NaN();  ///< whose rows are there
    long points_ = 0;
    long rows_ = 0;
};

/// At the end of a run, of values that cannot be right; `place` is the file of what was run.
Diagnostics value_warnings(const Recorder& recorder, const std::string& place);

}  // namespace tandem::results
