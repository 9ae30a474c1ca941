#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assemble/prepare_system.hpp"
#include "exec/thread_executor.hpp"
#include "record/emergency_record.hpp"
#include "record/run_record.hpp"
#include "results/recorder.hpp"
#include "run/rollback_trial.hpp"
#include "run/run_options.hpp"
#include "run/system_stepper.hpp"

namespace tandem {
class RollbackError;
}

namespace tandem::run {

/// How a system is to be run. What is given here beats what its file says.
struct SystemRunOptions : RunOptions {
    std::string file;                                      ///< .toml, .ssd, .ssp
    std::map<std::string, const kit::ModelClass*> models;  ///< as in LoadOptions
    assemble::KeptPorts ports = assemble::KeptPorts::connected;
    bool results = true;     ///< false: no files
    bool unlimited = false;  ///< a missing stop time means none
    bool fmu_logging = false;
    bool input_laws = true;  ///< as in LoadOptions
    exec::Use use_of_threads = exec::Use::where_it_helps;
    std::function<void(const std::string& instance, const std::string& call)> on_call;
    std::function<bool(double t)> go_on;  ///< after each step to a grid point; false ends the run
    std::function<void(double t)> on_event = {};  ///< when an event is passed, on any thread
    /// Makes writers besides those of `outputs`, each time the run begins.
    std::function<std::vector<std::unique_ptr<results::ResultWriter>>()> writers = {};
    bool only_looks = false;  ///< nothing is said of what its coupling would do in steps
    /// Called once, when the file is understood, before any code of FMUs and libraries runs:
    /// outputs(), record_before_loading() and refuse_own_file() can be used then.
    std::function<void(const class SystemRun&)> before_loading = {};
};

/// A system from file to results.
class SystemRun {
public:
    /// Loads and checks everything. Throws InputError and InputErrors.
    explicit SystemRun(SystemRunOptions options);
    /// The same for a system that is described already.
    SystemRun(description::SystemDescription description, SystemRunOptions options);
    ~SystemRun();

    /// The whole run. A step that is rejected where no state was saved starts it again, with
    /// saving; an FMU that cannot go back although it says so, as if it did not say so; one that
    /// "auto" takes as Model Exchange and that fails before the first step is done, as
    /// Co-Simulation. Throws FmuError, NumericsError and OutputError; rows recorded so far are in
    /// the files then.
    void perform();

    // The same in single steps.
    /// Begins again as perform() does, where it fails.
    void initialise();
    /// To the next grid point. False if a subsystem ended the run.
    bool step();
    /// From grid point to grid point, and to `t`, which need not be one.
    bool advance_to(double t);
    void finish();
    /// Makes the results files complete as far as the run came.
    void close_results();
    /// Frees the subsystems and unloads their libraries; report() and record() are gone then.
    void unload();
    /// Between steps: an input that nothing feeds, an index into System::inputs(). Needs
    /// KeptPorts::inputs.
    void set_input(int input, double value);
    double time() const { return report().reached; }

    const TimeGrid& grid() const { return *grid_; }
    const RunReport& report() const { return stepper_ ? stepper_->report : no_report_; }
    const Diagnostics& findings() const { return findings_; }
    const std::string& name() const { return flat_.name; }
    int size() const { return static_cast<int>(assembly_.members.size()); }
    System& system() { return *assembly_.system; }
    /// The subsystems as listed, and where they are in the system.
    const std::vector<Member>& members() const { return assembly_.members; }
    bool is_fed(const assemble::FedElement& element) const {
        return assembly_.fed.contains(element);
    }
    const std::vector<std::string>& outputs() const { return options_.outputs; }
    /// Throws InputError if writing `path`, which `place` names, would overwrite what the system is
    /// made of.
    void refuse_own_file(const std::string& path, const std::string& place,
                         const std::string& hint) const;
    long rows() const { return recorder_ ? recorder_->rows() : 0; }
    /// That can be read in one of outputs().
    std::uint64_t rows_in_file(std::size_t output) const {
        return recorder_ ? recorder_->rows_in_file(output).load() : 0;
    }
    const LiveNumbers& live_numbers() const {
        return *reinterpret_cast<const LiveNumbers*>(numbers_.data());
    }
    std::size_t columns() const { return recorder_ ? recorder_->columns().size() : 0; }
    /// Everything about the run so far; the outcome is for the caller to fill in.
    RunRecord record() const;
    /// What of it is known before anything is loaded.
    RunRecord record_before_loading() const;

private:
    /// What is wrong with the times is a finding.
    void make_grid();
    void choose_grid();
    void load();
    assemble::PrepareOptions preparing();
    void note_what_is_to_be_loaded(const description::FlatSystem& flat);
    void choose_threads();
    void open_results();
    void warn_of_size();
    void warn_of_uncovered_times();
    void warn(Diagnostics warnings);
    /// Throws InputErrors if one of them runs away and the coupling was not asked for.
    void judge_delayed_loops();
    void warn_of_bad_replay();
    std::optional<ReplayDifference> rollback_difference(int s);
    void warn_of_created_energy();
    void warn_of_coupling();
    void warn_of_instability();
    void warn_of_missed_tolerance();
    void warn_of_noise();
    void warn_of_late_events();
    void warn_of_values();
    void warn_of_small_states();
    void attempt(void (SystemRun::*part)());
    void run_to_the_end();
    bool can_begin_again() const;
    void begin_again(Diagnostic reason);
    bool begin_as_co_simulation(const std::exception& error);
    void begin_without_rollback(const RollbackError& error);
    void start();
    void initialise_subsystems();
    Interval time_of_run() const;
    void step_to_the_end();
    [[noreturn]] void refuse_to_go_on() const;
    void record_point();
    void make_rows_consistent();
    LiveNumbers& numbers() { return *reinterpret_cast<LiveNumbers*>(numbers_.data()); }
    void pace(double t) const;
    void add_costs(std::vector<SubsystemRecord>& records) const;
    void add_statistics(std::vector<GroupRecord>& records) const;
    ThreadsRecord threads_record() const;
    Settings chosen_settings() const;
    std::vector<FileRecord> file_records() const;
    std::vector<ResultsRecord> results_records() const;

    SystemRunOptions options_;
    bool chooses_kinds_ = true;  // of FMUs that offer both
    description::SystemDescription description_;
    Diagnostics reading_;  // what was found in the file
    description::FlatSystem flat_;
    Diagnostics findings_;
    Diagnostics again_;                       // why the run began again
    std::set<std::string> without_rollback_;  // subsystems that say they can go back, but cannot
    assemble::Assembly assembly_;
    std::optional<TimeGrid> grid_;
    std::optional<double> tolerance_;
    std::unique_ptr<results::Recorder> recorder_;
    std::unique_ptr<SystemStepper> stepper_;
    SharedBlock numbers_;                                   // LiveNumbers
    mutable std::optional<std::vector<FileRecord>> files_;  // hashing them takes time
    RunReport no_report_;             // of a run that could not be started again
    std::size_t point_ = 0;           // of the grid, the last one reached
    std::optional<double> recorded_;  // the time of the last grid row
    double load_seconds_ = 0.0;
    double wall_begin_ = 0.0;
};

}  // namespace tandem::run
