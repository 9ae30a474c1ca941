#include <arkode/arkode_erkstep.h>

#include <algorithm>
#include <cmath>

#include "ode/solver/integrator.hpp"
#include "ode/solver/sundials.hpp"

namespace tandem::ode {
namespace {

/// How often a step is tried again, a quarter as long, where the derivatives cannot be evaluated.
constexpr int max_shortenings = 15;
/// Of a step that is guessed from the error of another one.
constexpr double safety = 0.9;
constexpr double largest_growth = 5.0;

struct ErkDeleter {
    void operator()(void* memory) const { ERKStepFree(&memory); }
};

void expects_good(int flag) { expects(flag >= 0, "ARKODE accepts its settings"); }

/// Dormand and Prince's pair of orders 5 and 4.
class ExplicitRungeKutta final : public Integrator {
public:
    explicit ExplicitRungeKutta(const IntegratorSetup& setup)
        : client_{setup.problem, setup.statistics, nullptr, {}, nullptr, {}},
          x_(N_VNew_Serial(setup.problem.size(), context_)),
          begin_(N_VNew_Serial(setup.problem.size(), context_)),
          absolute_(N_VNew_Serial(setup.problem.size(), context_)),
          error_(N_VNew_Serial(setup.problem.size(), context_)),
          weights_(N_VNew_Serial(setup.problem.size(), context_)) {
        N_VConst(0.0, x_.get());
        N_VConst(1.0, absolute_.get());
        memory_.reset(ERKStepCreate(sundials_derivatives, 0.0, x_.get(), context_));
        expects(memory_ != nullptr, "ARKODE gives its memory");
        expects_good(ERKStepSetErrHandlerFn(memory_.get(), sundials_message, &client_));
        expects_good(ERKStepSetUserData(memory_.get(), &client_));
        expects_good(ERKStepSetTableNum(memory_.get(), ARKODE_DORMAND_PRINCE_7_4_5));
        expects_good(ERKStepSVtolerances(memory_.get(), 1e-6, absolute_.get()));
        expects_good(ERKStepSetMaxStep(memory_.get(), setup.options.max_step));
        expects_good(ERKStepSetMaxErrTestFails(memory_.get(), most_error_test_failures));
    }

    void restart(double t, std::span<const double> x, double initial_step) override {
        std::ranges::copy(x, view(x_.get()).begin());
        t_ = t;
        hint_ = initial_step;
        reinitialise(initial_step);
    }

    void set_tolerances(double relative, std::span<const double> absolute) override {
        std::ranges::copy(absolute, view(absolute_.get()).begin());
        expects_good(ERKStepSVtolerances(memory_.get(), relative, absolute_.get()));
    }

    bool advance(double stop, std::span<double> x) override {
        const double begin = t_;
        double h = hint_ > 0.0 ? std::min(hint_, stop - begin) : stop - begin;
        N_VScale(1.0, x_.get(), begin_.get());
        int flag = evolve(stop);
        // The explicit methods of ARKODE do not shorten a step whose stages cannot be evaluated.
        for (int i = 0; i < max_shortenings && cannot_evaluate(flag); ++i) {
            h /= 4.0;
            t_ = begin;
            N_VScale(1.0, begin_.get(), x_.get());
            reinitialise(h);
            flag = evolve(stop);
        }
        if (flag < 0) return false;
        remember_hint(stop);
        std::ranges::copy(view(x_.get()), x.begin());
        return true;
    }

    double time() const override { return t_; }

    /// Hermite interpolation of degree 4, one derivative evaluation each.
    bool interpolate(double t, std::span<double> x) override {
        const int flag = ERKStepGetDky(memory_.get(), t, 0, begin_.get());
        client_.rethrow();
        if (flag < 0) return false;
        std::ranges::copy(view(begin_.get()), x.begin());
        return true;
    }

    double last_step() const override {
        double h = 0.0;
        expects_good(ERKStepGetLastStep(memory_.get(), &h));
        return h;
    }

    double step_hint() const override { return hint_; }

    const std::string& failure() const override { return client_.message; }

private:
    static bool cannot_evaluate(int flag) {
        return flag == ARK_UNREC_RHSFUNC_ERR || flag == ARK_REPTD_RHSFUNC_ERR ||
               flag == ARK_FIRST_RHSFUNC_ERR;
    }

    void reinitialise(double initial_step) {
        expects_good(ERKStepReInit(memory_.get(), sundials_derivatives, t_, x_.get()));
        expects_good(ERKStepSetInitStep(memory_.get(), initial_step));
        rejected_before_ = 0;
    }

    int evolve(double stop) {
        client_.message.clear();
        expects_good(ERKStepSetStopTime(memory_.get(), stop));
        const int flag = ERKStepEvolve(memory_.get(), stop, x_.get(), &t_, ARK_ONE_STEP);
        client_.rethrow();
        long rejected = 0;
        expects_good(ERKStepGetNumErrTestFails(memory_.get(), &rejected));
        client_.statistics.rejected += rejected - rejected_before_;
        rejected_before_ = rejected;
        return flag;
    }

    /// How long the last step could have been by its error, which goes with h^5. One cut off by the
    /// stop says so from afar: it does not make the hint shorter.
    void remember_hint(double stop) {
        expects_good(ERKStepGetEstLocalErrors(memory_.get(), error_.get()));
        expects_good(ERKStepGetErrWeights(memory_.get(), weights_.get()));
        const double error = N_VWrmsNorm(error_.get(), weights_.get());
        const double possible =
            last_step() * std::clamp(safety * std::pow(error, -0.2), 1.0, largest_growth);
        hint_ = t_ == stop ? std::max(hint_, possible) : possible;
    }

    SundialsContext context_;
    SundialsClient client_;
    Vector x_, begin_, absolute_, error_, weights_;
    std::unique_ptr<void, ErkDeleter> memory_;
    double t_ = 0.0;
    double hint_ = 0.0;
    long rejected_before_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_explicit_runge_kutta(const IntegratorSetup& setup) {
    return std::make_unique<ExplicitRungeKutta>(setup);
}

}  // namespace tandem::ode
