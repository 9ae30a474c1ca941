#pragma once

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ode/block_jacobian.hpp"
#include "ode/solver/solver.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {

/// Of one step: where a right side begins to rise steeply behind a restart at rest, the first step
/// is shortened by many orders of magnitude. A step as short as rounding errors ends that, too.
inline constexpr int most_error_test_failures = 50;

/// Owns a SUNContext. Declare it before everything that is made from it.
class SundialsContext {
public:
    SundialsContext() {
        expects(SUNContext_Create(nullptr, &context_) == 0, "SUNDIALS gives a context");
    }
    ~SundialsContext() { SUNContext_Free(&context_); }
    SundialsContext(const SundialsContext&) = delete;
    SundialsContext& operator=(const SundialsContext&) = delete;
    operator SUNContext() const { return context_; }

private:
    SUNContext context_ = nullptr;
};

struct SundialsDeleter {
    void operator()(N_Vector vector) const { N_VDestroy(vector); }
    void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
    void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
    void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
};

using Vector = std::unique_ptr<_generic_N_Vector, SundialsDeleter>;
using Matrix = std::unique_ptr<_generic_SUNMatrix, SundialsDeleter>;
using LinearSolver = std::unique_ptr<_generic_SUNLinearSolver, SundialsDeleter>;
using NonlinearSolver = std::unique_ptr<_generic_SUNNonlinearSolver, SundialsDeleter>;

inline std::span<double> view(N_Vector vector) {
    return {NV_DATA_S(vector), static_cast<std::size_t>(NV_LENGTH_S(vector))};
}

/// A sparse Jacobian on its way into the matrix of a Newton iteration.
struct SparseWork {
    SparseColumns matrix;             ///< the structure of I - gamma J: that of J and the diagonal
    std::vector<std::size_t> places;  ///< in the matrix, of each entry of J
    std::vector<double> entries;      ///< of J

    void set_structure(const SparseColumns& jacobian);
};

/// What the C callbacks of SUNDIALS need: the problem, and a place for what cannot travel through
/// C: exceptions of the model, and the words of SUNDIALS' error messages.
struct SundialsClient {
    OdeProblem& problem;
    SolverStatistics& statistics;
    std::exception_ptr thrown;
    std::string message;
    const SparseColumns* sparsity;  ///< of the matrix in use; null: it is dense
    SparseWork sparse;

    /// The convention of SUNDIALS: 0 good, positive recoverable, negative not.
    template <class Function>
    int guarded(Function&& evaluate) noexcept {
        try {
            return evaluate() ? 0 : 1;
        } catch (...) {
            thrown = std::current_exception();
            return -1;
        }
    }
    void rethrow() {
        if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
    }
};

inline int sundials_derivatives(double t, N_Vector x, N_Vector dx, void* data) {
    auto& client = *static_cast<SundialsClient*>(data);
    ++client.statistics.derivative_calls;
    return client.guarded([&] { return client.problem.derivatives(t, view(x), view(dx)); });
}

/// Keeps the message instead of printing it; warnings (positive codes) are of no interest.
inline void sundials_message(int code, const char*, const char*, char* text, void* data) {
    if (code >= 0) return;
    static_cast<SundialsClient*>(data)->message = text == nullptr ? "" : text;
}

}  // namespace tandem::ode
