#pragma once

#include <string>
#include <vector>

#include "ode/block_jacobian.hpp"
#include "ode/host/held_course.hpp"
#include "ode/kink_indicators.hpp"
#include "ode/ode_model.hpp"
#include "ode/solver/solver.hpp"

namespace tandem::ode {

/// A model with its inputs following a course: the problem a solver sees.
class CoursedProblem final : public OdeProblem,
                             public RoundedTime,
                             public KinkIndicators,
                             private LawOutputs {
public:
    /// The states of laws, up to `law_states` of them, follow those of the model.
    CoursedProblem(OdeModel& model, const HeldCourse& course, BlockJacobian& jacobian,
                   std::size_t law_states);

    int size() const override;
    int indicator_count() const override;
    std::span<const int> kink_indicators() const override { return kink_indicators_of(model_); }
    bool derivatives(double t, std::span<const double> x, std::span<double> dx) override;
    bool indicators(double t, std::span<const double> x, std::span<double> z) override;
    bool jacobian(double t, std::span<const double> x, std::span<const double> dx,
                  std::span<double> matrix) override;
    const SparseColumns* sparsity() const override;
    bool sparse_jacobian(double t, std::span<const double> x, std::span<double> entries) override;

    /// Where laws are asked, from outside: by outputs of the model, which it moves.
    LawPoint point(double t, std::span<const double> x) const;
    void set_state_nominals(std::span<const double> nominals);
    void clear_failure() { failure_reason_ = {}; }
    /// What went wrong last with an evaluation, in words; empty if nothing did.
    std::string failure_reason() const;

private:
    struct Failure {
        enum class Kind { none, refused, not_finite } kind = Kind::none;
        double t = 0.0;
        std::size_t state = 0;
    };

    void read(const LawPoint& point, std::span<const double> inputs,
              std::span<double> outputs) const override;
    bool set_point(double t, std::span<const double> x);
    bool model_jacobian_is_all() const;
    bool total_jacobian(double t, std::span<const double> x, std::span<const double> dx,
                        std::span<double> matrix);

    OdeModel& model_;
    const HeldCourse& course_;
    BlockJacobian& jacobian_;
    std::size_t model_states_;
    std::vector<double> u_, x_, dx_, nominals_;
    Failure failure_reason_;
};

}  // namespace tandem::ode
