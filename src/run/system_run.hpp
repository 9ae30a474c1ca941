#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/run_record.hpp"
#include "run/assemble.hpp"
#include "run/initialise.hpp"
#include "run/recorder.hpp"
#include "run/simulation.hpp"

namespace tandem::run {

/// How a system is to be run. What is given here beats what its file says.
struct SystemRunOptions {
    std::string file;  ///< .toml, .ssd, .ssp
    std::optional<double> start, stop, step, tolerance;
    std::string coupling;              ///< empty: as the file says, or jacobi
    std::vector<std::string> options;  ///< name=value, of the coupling
    std::vector<std::string> set;      ///< subsystem.variable=value
    std::vector<std::string> record;   ///< patterns
    std::vector<std::string> outputs;  ///< result files; empty: as the file says, or <file>.csv
    bool units = false;
    bool fmu_logging = false;
    double realtime = 0.0;  ///< simulated per wall second; 0: as fast as possible
    std::function<void(const std::string& instance, const std::string& call)> on_call;
    std::function<bool(double t)> go_on;  ///< false ends the run
};

/// A system from file to results.
class SystemRun {
public:
    /// Loads and checks everything. Throws InputError and InputErrors.
    explicit SystemRun(SystemRunOptions options);
    ~SystemRun();

    /// Throws FmuError, NumericsError and OutputError; rows recorded so far are in the files then.
    void perform();

    const TimeGrid& grid() const { return *grid_; }
    const RunReport& report() const { return report_; }
    const Diagnostics& findings() const { return findings_; }
    const std::string& name() const { return flat_.name; }
    int size() const { return assembly_.system->size(); }
    const std::vector<std::string>& outputs() const { return options_.outputs; }
    long rows() const { return recorder_->rows(); }
    std::size_t columns() const { return recorder_->columns().size(); }
    /// Everything about the run so far; the outcome is for the caller to fill in.
    RunRecord record() const;

private:
    /// What is wrong with the times is a finding.
    void choose_grid();
    void open_results();
    void initialise_all();
    bool advance_to(double target);
    bool step(Interval attempt);
    void retry_shorter(StepResult result, Interval& attempt);
    std::optional<double> next_jump(double t) const;
    void jump(bool between_grid_points);
    void pace(double t) const;
    bool can_roll_back() const;
    std::vector<SubsystemRecord> subsystem_records() const;
    std::vector<FileRecord> file_records() const;
    std::vector<ResultsRecord> results_records() const;

    SystemRunOptions options_;
    ssp::FlatSystem flat_;
    Diagnostics findings_;
    Assembly assembly_;
    std::optional<TimeGrid> grid_;
    std::optional<double> tolerance_;
    std::unique_ptr<Recorder> recorder_;
    RunReport report_;
    bool saves_ = false;
    bool had_event_ = false;
    double load_seconds_ = 0.0;
    double wall_begin_ = 0.0;
};

}  // namespace tandem::run
