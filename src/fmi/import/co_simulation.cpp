#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/log.hpp"
#include "fmi/import/import_instance.hpp"
#include "fmi/time_limit.hpp"
#include "process/emergency.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {

BoundCoSimulation::BoundCoSimulation(std::shared_ptr<Fmu> fmu, const InstanceOptions& options)
    : BoundInstance(std::move(fmu), Kind::co_simulation, options),
      law_functions_(caller_.library()),
      takes_laws_(options.input_laws && fmu_->takes_input_laws()),
      law_(caller_.sink()) {}

/// Times are multiples of the step, their differences are so up to rounding: an FMU that counts its
/// own steps is to get the step itself, or the part of it that another rate asks for.
double BoundCoSimulation::nominal_length(double length, double end) const {
    if (!setup_.step || !(length > 0.0)) return length;
    const double parts = std::max(1.0, std::round(*setup_.step / length));
    const double nominal = *setup_.step / parts;
    const double rounding = 2.0 * std::numeric_limits<double>::epsilon() * std::abs(end);
    return std::abs(length - nominal) <= rounding ? nominal : length;
}

/// The FMU computes begin + length for itself; not even rounding may carry it past the stop time.
double BoundCoSimulation::length_to_stop(double begin, double end) const {
    if (is_beyond(end, *setup_.stop))
        throw InputError(name(),
                         fmt::format("the step from {} to {} goes beyond the stop time {} that was "
                                     "announced to the FMU",
                                     begin, end, *setup_.stop),
                         "let the run end there, or initialise with a later stop time");
    double length = std::min(end, *setup_.stop) - begin;
    while (begin + length > *setup_.stop) length = std::nextafter(length, 0.0);
    return length;
}

DoStepResult BoundCoSimulation::do_step(double begin, double end, bool no_rollback) {
    StepReport report;
    caller_.sink().forget_step();
    const Status status = binding_->do_step(begin, step_length(begin, end), no_rollback, report);
    return judge(status, report, begin, end);
}

DoStepResult BoundCoSimulation::exchange_step(const StepExchange& exchange, double begin,
                                              double end, bool no_rollback) {
    StepReport report;
    caller_.sink().forget_step();
    const StepCall call{exchange, begin, step_length(begin, end), no_rollback};
    const ExchangeStatus answer = binding_->exchange_step(call, report);
    require(answer.values);
    const DoStepResult result = judge(answer.step, report, begin, end);
    if (answer.step == Status::pending && result.outcome == DoStepOutcome::complete)
        get(exchange.outputs, exchange.results);
    return result;
}

DoStepResult BoundCoSimulation::judge(Status status, StepReport& report, double begin, double end) {
    if (status == Status::pending) status = wait_for_step();
    const bool discarded = status == Status::discard;
    if (discarded)
        binding_->ask_why_discarded(report);
    else
        require(status);
    DoStepResult result{DoStepOutcome::complete, end, report.event_needed};
    if (report.reached && !std::isfinite(*report.reached)) report.reached.reset();
    if (discarded || report.early_return)
        result.reached = std::clamp(report.reached.value_or(discarded ? begin : end), begin, end);
    if (discarded) result.outcome = DoStepOutcome::discarded;
    if (report.early_return && result.reached < end) result.outcome = DoStepOutcome::early;
    if (report.terminate) result.outcome = DoStepOutcome::terminated;
    return result;
}

/// An FMU that steps in the background says so through its callback, or has to be asked. The wait
/// between two questions grows from 50 microseconds to 5 milliseconds.
Status BoundCoSimulation::wait_for_step() {
    const ForeignCall waiting(caller_.shared_name(), "the pending step");
    using std::chrono::microseconds;
    constexpr microseconds longest{5000};
    for (microseconds wait{50};; wait = std::min(2 * wait, longest)) {
        if (const auto finished = caller_.sink().wait_for_step(wait)) {
            caller_.sink().forget_step();
            caller_.sink().rethrow();
            if (*finished != Status::pending) return *finished;
        }
        if (interrupt_requested()) cancel("was cancelled because the run was interrupted");
        if (!binding_->has_step_status()) continue;
        Status now = Status::pending;
        const Status answer = binding_->step_status(now);
        if (answer == Status::error || answer == Status::fatal)
            cancel(
                fmt::format("is pending, and its status cannot be asked ({})", to_string(answer)));
        if (now != Status::pending) return now;
    }
}

void BoundCoSimulation::cancel(const std::string& problem) {
    try {
        if (!caller_.fatal()) static_cast<void>(binding_->cancel_step());
    } catch (const std::exception& error) {
        log(LogLevel::warning, name() + ": while cancelling the step: " + error.what());
    }
    throw caller_.failure("the step", problem);
}

bool BoundCoSimulation::set_input_derivatives(References references, std::span<const int> orders,
                                              std::span<const double> values) {
    return references.empty() ||
           is_done([&] { return binding_->set_input_derivatives(references, orders, values); });
}

bool BoundCoSimulation::get_output_derivatives(References references, std::span<const int> orders,
                                               std::span<double> values) {
    return references.empty() ||
           is_done([&] { return binding_->get_output_derivatives(references, orders, values); });
}

void BoundCoSimulation::expect_input_law(References inputs, std::size_t input_count,
                                         std::span<const double> own_nominals) {
    law_.expect(input_count);
    require(caller_.status(law_functions_.expect, List(inputs), inputs.size(), List(own_nominals),
                           own_nominals.size()));
}

void BoundCoSimulation::set_input_law(const InputLaw* law) {
    require(caller_.status(law_functions_.set, law_.as_c(law)));
}

void BoundCoSimulation::enter_step_mode() { require(binding_->enter_step_mode()); }

}  // namespace tandem::fmi
