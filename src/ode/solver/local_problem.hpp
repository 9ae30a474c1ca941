#pragma once

#include <limits>

#include "core/rounded_time.hpp"
#include "ode/solver/solver.hpp"

namespace tandem::ode {

/// A problem in the time s since an origin: where times are large against steps, t = origin + s is
/// rounded for the model alone, not for the method that integrates it.
class LocalProblem final : public OdeProblem {
public:
    /// The problem is told what rounding takes from t if it is RoundedTime.
    explicit LocalProblem(OdeProblem& problem)
        : problem_(problem), rounded_(dynamic_cast<const RoundedTime*>(&problem)) {}

    /// No stop is known from then on.
    void set_origin(double origin);
    double origin() const { return origin_; }
    /// Of times near the origin; 0 where the origin is 0, so that s is t.
    double spacing() const;

    /// The end of steps to come: no evaluation up to it has a later time, whatever the rounding.
    void set_stop(double stop);
    double local(double t) const { return t - origin_; }
    double absolute(double s) const;

    int size() const override { return problem_.size(); }
    int indicator_count() const override { return problem_.indicator_count(); }
    bool derivatives(double s, std::span<const double> x, std::span<double> dx) override;
    bool indicators(double s, std::span<const double> x, std::span<double> z) override;
    bool jacobian(double s, std::span<const double> x, std::span<const double> dx,
                  std::span<double> matrix) override;
    const SparseColumns* sparsity() const override { return problem_.sparsity(); }
    bool sparse_jacobian(double s, std::span<const double> x, std::span<double> entries) override;

private:
    /// An evaluation at s, and nothing left of the remainder afterwards.
    struct Evaluation {
        Evaluation(const LocalProblem& local, double s);
        ~Evaluation();
        Evaluation(const Evaluation&) = delete;
        Evaluation& operator=(const Evaluation&) = delete;

        const RoundedTime* rounded;
        double t;
    };

    OdeProblem& problem_;
    const RoundedTime* rounded_;
    double origin_ = 0.0;
    double stop_ = std::numeric_limits<double>::infinity();
    double local_stop_ = std::numeric_limits<double>::infinity();
};

}  // namespace tandem::ode
