#pragma once

#include <memory>

#include "fmi/import/binding.hpp"
#include "fmi/import/fmu.hpp"
#include "fmi/import/law.hpp"

namespace tandem::fmi {

/// The version-free part of every instance in this process: order of calls, empty lists, failures,
/// and releasing everything in the right order whatever happened before.
template <class Interface>
class BoundInstance : public Interface {
public:
    BoundInstance(std::shared_ptr<Fmu> fmu, Kind kind, const InstanceOptions& options);
    ~BoundInstance() override;
    BoundInstance(const BoundInstance&) = delete;
    BoundInstance& operator=(const BoundInstance&) = delete;

    const std::string& name() const override { return caller_.name(); }
    const Fmu& fmu() const override { return *fmu_; }
    const KindInfo& info() const override { return info_; }
    bool can_roll_back() const override { return info_.can_get_and_set_state && allows_rollback_; }

    void get(References references, std::span<double> values) override;
    void set(References references, std::span<const double> values) override;
    void get(ValueType type, References references, Values& values) override;
    void set(ValueType type, References references, const Values& values) override;
    bool try_get(References references, std::span<double> values) override;
    bool try_get(ValueType type, References references, Values& values) override;

    void set_up_experiment(const ExperimentSetup& setup) override;
    void enter_initialization(const ExperimentSetup& setup) override;
    void exit_initialization() override;
    void terminate() override;
    void reset() override;
    void enter_configuration_mode() override;
    void exit_configuration_mode() override;

    void get_state(FmuState& state) override;
    void set_state(FmuState state) override;
    void free_state(FmuState& state) override;
    std::vector<std::byte> serialize(FmuState state) override;
    void deserialize(std::span<const std::byte> bytes, FmuState& state) override;

    bool directional_derivative(References unknowns, References knowns,
                                std::span<const double> seed,
                                std::span<double> sensitivity) override;
    void adjoint_derivative(References unknowns, References knowns, std::span<const double> seed,
                            std::span<double> sensitivity) override;

    void enter_event_mode() override;
    EventInfo update_discrete_states() override;
    void get_clocks(References clocks, std::span<bool> active) override;
    void set_clocks(References clocks, std::span<const bool> active) override;
    void get_clock_intervals(References clocks,
                             std::span<std::optional<double>> intervals) override;
    void set_clock_intervals(References clocks, std::span<const double> intervals) override;

protected:
    void require(Status status) const { caller_.require(status); }
    /// Whether the FMU did what it need not, in a call that answers a status. What it cannot do, or
    /// has no function for, is no failure of the run.
    template <class Call>
    bool is_done(const Call& call);
    /// The run may go back to a state saved before.
    bool has_saved_state() const { return !states_.empty(); }
    const ModelDescription& description() const { return fmu_->description(); }

    std::shared_ptr<Fmu> fmu_;
    const KindInfo& info_;
    bool allows_rollback_;
    std::shared_ptr<void> claim_;
    Caller caller_;
    std::unique_ptr<Binding> binding_;
    ExperimentSetup setup_;
    bool is_set_up_ = false;
    bool running_ = false;  ///< between exit_initialization and terminate

private:
    /// Makes a call about saved states. Throws RollbackError if the FMU did not do it.
    template <class Call>
    void require_state(const Call& call);
    void remember(FmuState before, FmuState after);
    void release() noexcept;

    std::vector<FmuState> states_;  ///< made by the FMU and not freed yet
};

template <class Interface>
template <class Call>
bool BoundInstance<Interface>::is_done(const Call& call) {
    try {
        const Status status = call();
        if (status == Status::ok || status == Status::warning) return true;
        if (status == Status::fatal) require(status);
    } catch (const InputError&) {
    } catch (const FmuError&) {
        if (caller_.fatal()) throw;
    }
    caller_.forgive();
    return false;
}

class BoundCoSimulation final : public BoundInstance<CoSimulation> {
public:
    BoundCoSimulation(std::shared_ptr<Fmu> fmu, const InstanceOptions& options);

    DoStepResult do_step(double begin, double end, bool no_rollback) override;
    DoStepResult exchange_step(const StepExchange& exchange, double begin, double end,
                               bool no_rollback) override;
    bool set_input_derivatives(References references, std::span<const int> orders,
                               std::span<const double> values) override;
    bool get_output_derivatives(References references, std::span<const int> orders,
                                std::span<double> values) override;
    void enter_step_mode() override;
    bool takes_input_laws() const override { return takes_laws_; }
    void expect_input_law(References inputs, std::size_t input_count,
                          std::span<const double> own_nominals) override;
    void set_input_law(const InputLaw* law) override;

private:
    double step_length(double begin, double end) const {
        const double length = nominal_length(end - begin, end);
        const bool is_within =
            !setup_.stop || (end <= *setup_.stop && begin + length <= *setup_.stop);
        return is_within ? length : length_to_stop(begin, end);
    }
    double nominal_length(double length, double end) const;
    double length_to_stop(double begin, double end) const;
    DoStepResult judge(Status status, StepReport& report, double begin, double end);
    Status wait_for_step();
    [[noreturn]] void cancel(const std::string& problem);

    LawFunctions law_functions_;
    bool takes_laws_;
    OfferedLaw law_;
};

class BoundModelExchange final : public BoundInstance<ModelExchange> {
public:
    BoundModelExchange(std::shared_ptr<Fmu> fmu, const InstanceOptions& options);

    void exit_configuration_mode() override;
    void enter_continuous_time_mode() override;
    bool set_time(double time) override;
    bool set_continuous_states(std::span<const double> states) override;
    bool get_derivatives(std::span<double> derivatives) override;
    bool get_event_indicators(std::span<double> indicators) override;
    void get_continuous_states(std::span<double> states) override;
    void get_nominals(std::span<double> nominals) override;
    CompletedStep completed_integrator_step() override;
    std::size_t state_count() const override { return sizes_.states; }
    std::size_t event_indicator_count() const override { return sizes_.indicators; }
    std::vector<std::optional<ValueReference>> state_references() override;

private:
    bool evaluated(Status status) const;
    std::vector<std::optional<ValueReference>> ask_state_references();

    MeSizes sizes_;
};

}  // namespace tandem::fmi
