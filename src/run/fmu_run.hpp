#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fmi/import/fmu.hpp"
#include "ode/host/hosted_ode.hpp"
#include "run/run_options.hpp"
#include "run/simulation.hpp"

namespace tandem::run {

/// How one FMU is to be run. What is left out comes from the FMU's default experiment.
struct FmuRunOptions : RunOptions {
    std::string fmu;
    bool fmu_logging = false;
    std::function<void(const std::string&)> on_call;  ///< gets a line for each FMI call
    std::function<bool(double t)> go_on;              ///< false ends the run
};

/// One FMU from file to results.
class FmuRun {
public:
    /// Opens everything, and throws InputError for anything that is wrong with it, before the first
    /// step is done and before old results are overwritten.
    explicit FmuRun(FmuRunOptions options);
    ~FmuRun();

    const fmi::Fmu& fmu() const { return *fmu_; }
    fmi::Kind kind() const { return kind_; }
    const TimeGrid& grid() const { return *grid_; }
    const std::vector<std::string>& outputs() const { return options_.outputs; }
    ode::Method solver() const { return solver_; }

    /// Throws FmuError, NumericsError and OutputError; rows recorded so far are in the file then.
    void perform();

    const RunReport& report() const { return simulation_->report(); }
    /// Of a Model Exchange FMU.
    std::optional<ode::HostedOde::Statistics> solver_statistics() const;
    /// Makes the results file complete as far as the run came.
    void close_results() { recorder_->close(); }
    /// That can be read in a file.
    std::uint64_t rows(std::size_t output = 0) const { return recorder_->rows_in_file(output); }
    std::size_t columns() const { return recorder_->columns().size(); }
    double load_seconds() const { return load_seconds_; }

private:
    void refuse_overwriting_input() const;
    void choose_kind();
    void choose_grid();
    void make_co_simulation();
    void make_model_exchange();
    bool wants_solver() const;
    ode::HostedOdeOptions solver_options() const;
    void set_scales();
    fmi::InstanceOptions instance_options() const;
    void set_start_values();
    void read_inputs();
    void warn_of_unmet_units() const;
    void warn_of_equal_steps() const;
    void make_simulation();
    double default_step(double start, double stop) const;

    FmuRunOptions options_;
    std::shared_ptr<fmi::Fmu> fmu_;
    fmi::Kind kind_ = fmi::Kind::co_simulation;
    ode::Method solver_ = ode::Method::cvode_bdf;
    std::optional<TimeGrid> grid_;
    std::optional<double> tolerance_;
    std::unique_ptr<Subsystem> subsystem_;
    ode::HostedOde* hosted_ = nullptr;
    std::optional<assemble::InputTable> table_;
    std::unique_ptr<results::Recorder> recorder_;
    std::unique_ptr<Simulation> simulation_;
    double load_seconds_ = 0.0;
};

}  // namespace tandem::run
