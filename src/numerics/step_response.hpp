#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tandem::numerics {

/// What x' = A x + f makes of its start and of f over a step, exactly:
///   x(h) = states x(0) + constants f0 + ramps f1   for f(s) = f0 + f1 s,
///   integral of x over the step = constants x(0) + ramps f0 + parabolas f1.
/// Matrices are column-major.
class StepResponse {
public:
    void prepare(std::size_t size);
    void compute(std::span<const double> a, double h);

    std::span<const double> states() const { return states_; }
    std::span<const double> constants() const { return constants_; }
    std::span<const double> ramps() const { return ramps_; }
    std::span<const double> parabolas() const { return parabolas_; }

private:
    void square(double h);

    std::size_t size_ = 0;
    std::vector<double> states_, constants_, ramps_, parabolas_, a_, product_;
};

}  // namespace tandem::numerics
