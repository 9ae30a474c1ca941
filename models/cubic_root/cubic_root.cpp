#include <tandem/model.hpp>

#include <algorithm>
#include <cmath>

/// An equation that the model solves by itself: the subsystem of a DAE that has no derivative.
class CubicRoot : public tandem::Model {
public:
    Input<double> u{*this, "u"};
    Output<double> y{*this, "y", 0.0, {.description = "z with z + z^3 = u"}};

    CubicRoot() {
        has_exact_jacobian();
        depends(y, {u});
    }
    void outputs() override { y = std::copysign(root(std::abs(u)), u.value()); }
    void jacobian(tandem::Jacobian& j) override {
        const double z = root(std::abs(u));
        j(y, u) = 1.0 / (1.0 + 3.0 * z * z);
    }

private:
    // u and its cube root are both above the solution, where f = z + z^3 - u is positive and
    // convex: Newton's method falls towards it until rounding ends that.
    static double root(double u) {
        double z = std::min(u, std::cbrt(u));
        for (;;) {
            const double next = z - (z + z * z * z - u) / (1.0 + 3.0 * z * z);
            if (!(next < z)) return z;
            z = next;
        }
    }
};

TANDEM_MODEL(CubicRoot,
             {.description = "The real root of z + z^3 = u", .stop = 5.0, .step_size = 0.01})
