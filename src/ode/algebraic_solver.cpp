#include "ode/algebraic_solver.hpp"

#include <kinsol/kinsol.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <vector>

#include "ode/sundials.hpp"

namespace tandem::ode {
namespace {

struct KinsolDeleter {
    void operator()(void* memory) const { KINFree(&memory); }
};

}  // namespace

struct AlgebraicSolver::Impl {
    AlgebraicProblem& problem;
    AlgebraicOptions options;
    std::vector<double> nominals;
    std::vector<double> shifted;  // the residual beside x, for differences
    SundialsContext context;
    Vector x, scale, work;
    Matrix matrix;
    LinearSolver linear;
    std::unique_ptr<void, KinsolDeleter> memory;
    AlgebraicResult result;
    std::exception_ptr thrown;

    Impl(AlgebraicProblem& the_problem, std::span<const double> the_nominals,
         AlgebraicOptions the_options)
        : problem(the_problem),
          options(the_options),
          nominals(the_nominals.begin(), the_nominals.end()),
          shifted(nominals.size()) {
        const int n = problem.size();
        for (Vector* vector : {&x, &scale, &work}) vector->reset(N_VNew_Serial(n, context));
        matrix.reset(SUNDenseMatrix(n, n, context));
        linear.reset(SUNLinSol_Dense(x.get(), matrix.get(), context));
        memory.reset(KINCreate(context));
        configure();
    }

    void configure() {
        int flag = KINSetErrHandlerFn(memory.get(), silent, nullptr);
        flag |= KINInit(memory.get(), residual, x.get());
        flag |= KINSetUserData(memory.get(), this);
        flag |= KINSetLinearSolver(memory.get(), linear.get(), matrix.get());
        flag |= KINSetJacFn(memory.get(), jacobian);
        flag |= KINSetFuncNormTol(memory.get(), options.tolerance);
        // Convergence is judged by the residual alone: a small step proves nothing.
        flag |= KINSetScaledStepTol(memory.get(), std::numeric_limits<double>::epsilon());
        flag |= KINSetNumMaxIters(memory.get(), options.max_iterations);
        flag |= KINSetMaxSetupCalls(memory.get(), 1);
        flag |= KINSetMaxNewtonStep(memory.get(), 1e10);
        expects(flag == 0, "KINSOL accepts its settings");
    }

    static void silent(int, const char*, const char*, char*, void*) {}

    bool evaluate(std::span<const double> at, std::span<double> r) {
        ++result.evaluations;
        return problem.residual(at, r) &&
               std::ranges::all_of(r, [](double value) { return std::isfinite(value); });
    }

    template <class Function>
    int guarded(Function&& function) noexcept {
        try {
            return function() ? 0 : 1;
        } catch (...) {
            thrown = std::current_exception();
            return -1;
        }
    }

    static int residual(N_Vector at, N_Vector r, void* data) {
        auto& self = *static_cast<Impl*>(data);
        return self.guarded([&] { return self.evaluate(view(at), view(r)); });
    }

    static int jacobian(N_Vector at, N_Vector r, SUNMatrix jacobian, void* data, N_Vector,
                        N_Vector) {
        auto& self = *static_cast<Impl*>(data);
        const std::span<double> entries{SUNDenseMatrix_Data(jacobian),
                                        static_cast<std::size_t>(SUNDenseMatrix_LData(jacobian))};
        return self.guarded([&] {
            return self.problem.jacobian(view(at), entries) ||
                   self.difference_jacobian(view(at), view(r), entries);
        });
    }

    bool difference_jacobian(std::span<double> at, std::span<const double> r,
                             std::span<double> entries) {
        const double root_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
        for (std::size_t j = 0; j < at.size(); ++j) {
            const double kept = at[j];
            at[j] += root_epsilon * std::max(std::abs(kept), nominals[j]);
            const double step = at[j] - kept;
            const bool good = evaluate(at, shifted);
            at[j] = kept;
            if (!good) return false;
            for (std::size_t i = 0; i < r.size(); ++i)
                entries[j * r.size() + i] = (shifted[i] - r[i]) / step;
        }
        return true;
    }

    double scaled_residual(std::span<const double> r, std::span<const double> at) const {
        double largest = 0.0;
        for (std::size_t i = 0; i < r.size(); ++i)
            largest = std::max(largest, std::abs(r[i]) / std::max(nominals[i], std::abs(at[i])));
        return largest;
    }
};

AlgebraicSolver::AlgebraicSolver(AlgebraicProblem& problem, std::span<const double> nominals,
                                 AlgebraicOptions options)
    : impl_(std::make_unique<Impl>(problem, nominals, options)) {}
AlgebraicSolver::~AlgebraicSolver() = default;

AlgebraicResult AlgebraicSolver::solve(std::span<double> x) {
    Impl& impl = *impl_;
    impl.result = {};
    std::ranges::copy(x, view(impl.x.get()).begin());
    for (std::size_t i = 0; i < x.size(); ++i)
        view(impl.scale.get())[i] = 1.0 / std::max(impl.nominals[i], std::abs(x[i]));
    const int flag =
        KINSol(impl.memory.get(), impl.x.get(), KIN_LINESEARCH, impl.scale.get(), impl.scale.get());
    if (impl.thrown) std::rethrow_exception(std::exchange(impl.thrown, nullptr));
    std::ranges::copy(view(impl.x.get()), x.begin());

    long iterations = 0;
    KINGetNumNonlinSolvIters(impl.memory.get(), &iterations);
    impl.result.iterations = static_cast<int>(iterations);
    impl.result.singular = flag == KIN_LSETUP_FAIL || flag == KIN_LSOLVE_FAIL;
    const bool evaluated = impl.evaluate(x, view(impl.work.get()));
    impl.result.residual = evaluated ? impl.scaled_residual(view(impl.work.get()), x)
                                     : std::numeric_limits<double>::infinity();
    impl.result.converged = impl.result.residual <= impl.options.tolerance;
    return impl.result;
}

}  // namespace tandem::ode
