#include <cvode/cvode.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>

#include "ode/block_jacobian.hpp"
#include "ode/solver/integrator.hpp"
#include "ode/solver/sundials.hpp"

namespace tandem::ode {

/// SUNDIALS would add a missing diagonal anew for each matrix, in a time that grows with the square
/// of the size.
void SparseWork::set_structure(const SparseColumns& jacobian) {
    matrix = {{0}, {}};
    places.clear();
    for (std::size_t column = 0; column + 1 < jacobian.begin.size(); ++column) {
        bool has_diagonal = false;
        for (std::size_t k = jacobian.begin[column]; k < jacobian.begin[column + 1]; ++k) {
            has_diagonal = has_diagonal || jacobian.rows[k] == static_cast<int>(column);
            places.push_back(matrix.rows.size());
            matrix.rows.push_back(jacobian.rows[k]);
        }
        if (!has_diagonal) matrix.rows.push_back(static_cast<int>(column));
        matrix.begin.push_back(matrix.rows.size());
    }
    entries.resize(jacobian.rows.size());
}

namespace {

struct CvodeDeleter {
    void operator()(void* memory) const { CVodeFree(&memory); }
};

/// The tolerance is about the result, but local errors add up over the steps. With this share for
/// each step, examples whose solution is known stay within a hundred times the tolerance over 5 s,
/// and the race car within 1e-6 m over 20 s at 1e-6.
constexpr double share_of_step = 0.03;

void expects_good(int flag) { expects(flag >= 0, "CVODE accepts its settings"); }

int dense_jacobian(double t, N_Vector x, N_Vector dx, SUNMatrix matrix, void* data, N_Vector,
                   N_Vector, N_Vector) {
    auto& client = *static_cast<SundialsClient*>(data);
    ++client.statistics.jacobian_calls;
    const std::span<double> entries(SUNDenseMatrix_Data(matrix),
                                    static_cast<std::size_t>(SUNDenseMatrix_LData(matrix)));
    return client.guarded([&] { return client.problem.jacobian(t, view(x), view(dx), entries); });
}

/// KLU may have been handed the matrix with other contents, so the structure is written each time.
int sparse_jacobian(double t, N_Vector x, N_Vector, SUNMatrix matrix, void* data, N_Vector,
                    N_Vector, N_Vector) {
    auto& client = *static_cast<SundialsClient*>(data);
    ++client.statistics.jacobian_calls;
    SparseWork& work = client.sparse;
    std::ranges::copy(work.matrix.begin, SUNSparseMatrix_IndexPointers(matrix));
    std::ranges::copy(work.matrix.rows, SUNSparseMatrix_IndexValues(matrix));
    const int flag =
        client.guarded([&] { return client.problem.sparse_jacobian(t, view(x), work.entries); });
    double* const values = SUNSparseMatrix_Data(matrix);
    std::fill_n(values, work.matrix.rows.size(), 0.0);
    for (std::size_t k = 0; k < work.entries.size(); ++k) values[work.places[k]] = work.entries[k];
    return flag;
}

/// The multistep methods: BDF with Newton and a dense or sparse linear solver, Adams with a fixed
/// point.
class Cvode final : public Integrator {
public:
    explicit Cvode(const IntegratorSetup& setup)
        : client_{setup.problem, setup.statistics, nullptr, {}, nullptr, {}},
          x_(N_VNew_Serial(setup.problem.size(), context_)),
          absolute_(N_VNew_Serial(setup.problem.size(), context_)) {
        const bool stiff = setup.options.method == Method::cvode_bdf;
        memory_.reset(CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context_));
        expects(memory_ != nullptr, "CVODE gives its memory");
        N_VConst(0.0, x_.get());
        N_VConst(1.0, absolute_.get());
        expects_good(CVodeSetErrHandlerFn(memory_.get(), sundials_message, &client_));
        expects_good(CVodeInit(memory_.get(), sundials_derivatives, 0.0, x_.get()));
        expects_good(CVodeSetUserData(memory_.get(), &client_));
        expects_good(CVodeSVtolerances(memory_.get(), 1e-6, absolute_.get()));
        expects_good(CVodeSetMaxStep(memory_.get(), setup.options.max_step));
        expects_good(CVodeSetMaxErrTestFails(memory_.get(), most_error_test_failures));
        if (setup.options.max_order > 0)
            expects_good(CVodeSetMaxOrd(memory_.get(), setup.options.max_order));
        if (stiff)
            attach_newton();
        else
            attach_fixed_point();
    }

    void restart(double t, std::span<const double> x, double initial_step) override {
        if (matrix_ && client_.problem.sparsity() != client_.sparsity) attach_newton();
        std::ranges::copy(x, view(x_.get()).begin());
        expects_good(CVodeReInit(memory_.get(), t, x_.get()));
        expects_good(CVodeSetInitStep(memory_.get(), initial_step));
        t_ = t;
        rejected_before_ = 0;
    }

    void set_tolerances(double relative, std::span<const double> absolute) override {
        std::ranges::transform(absolute, view(absolute_.get()).begin(),
                               [](double size) { return share_of_step * size; });
        expects_good(CVodeSVtolerances(memory_.get(), share_of_step * relative, absolute_.get()));
    }

    bool advance(double stop, std::span<double> x) override {
        client_.message.clear();
        expects_good(CVodeSetStopTime(memory_.get(), stop));
        const int flag = CVode(memory_.get(), stop, x_.get(), &t_, CV_ONE_STEP);
        client_.rethrow();
        count();
        if (flag < 0) return false;
        std::ranges::copy(view(x_.get()), x.begin());
        return true;
    }

    double time() const override { return t_; }

    bool interpolate(double t, std::span<double> x) override {
        if (CVodeGetDky(memory_.get(), t, 0, x_.get()) < 0) return false;
        std::ranges::copy(view(x_.get()), x.begin());
        return true;
    }

    double last_step() const override {
        double h = 0.0;
        expects_good(CVodeGetLastStep(memory_.get(), &h));
        return h;
    }

    /// A restart begins with order 1, for which the steps of a high order are far too long.
    double step_hint() const override { return 0.0; }

    const std::string& failure() const override { return client_.message; }

private:
    void attach_newton() {
        const int size = client_.problem.size();
        client_.sparsity = client_.problem.sparsity();
        Matrix matrix;
        LinearSolver linear;
        if (client_.sparsity != nullptr) {
            client_.sparse.set_structure(*client_.sparsity);
            const auto entries = static_cast<sunindextype>(client_.sparse.matrix.rows.size());
            matrix.reset(SUNSparseMatrix(size, size, entries, CSC_MAT, context_));
            linear.reset(SUNLinSol_KLU(x_.get(), matrix.get(), context_));
        } else {
            matrix.reset(SUNDenseMatrix(size, size, context_));
            linear.reset(SUNLinSol_Dense(x_.get(), matrix.get(), context_));
        }
        expects_good(CVodeSetLinearSolver(memory_.get(), linear.get(), matrix.get()));
        expects_good(CVodeSetJacFn(memory_.get(),
                                   client_.sparsity != nullptr ? sparse_jacobian : dense_jacobian));
        linear_ = std::move(linear);  // the old ones only now, CVODE has let go of them
        matrix_ = std::move(matrix);
    }

    void attach_fixed_point() {
        nonlinear_.reset(SUNNonlinSol_FixedPoint(x_.get(), 0, context_));
        expects_good(CVodeSetNonlinearSolver(memory_.get(), nonlinear_.get()));
    }

    /// CVODE's counter begins anew with each restart.
    void count() {
        long rejected = 0;
        expects_good(CVodeGetNumErrTestFails(memory_.get(), &rejected));
        client_.statistics.rejected += rejected - rejected_before_;
        rejected_before_ = rejected;
    }

    SundialsContext context_;
    SundialsClient client_;
    Vector x_, absolute_;
    Matrix matrix_;
    LinearSolver linear_;
    NonlinearSolver nonlinear_;
    std::unique_ptr<void, CvodeDeleter> memory_;
    double t_ = 0.0;
    long rejected_before_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_cvode(const IntegratorSetup& setup) {
    return std::make_unique<Cvode>(setup);
}

}  // namespace tandem::ode
