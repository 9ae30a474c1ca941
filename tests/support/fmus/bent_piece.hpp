#pragma once

#include <cmath>
#include <tandem/model.hpp>

/// One state, linear but for what its parameters bend:
///   dx/dt = a x + b u - bend x^3 + drive sin(t)
///   y     = c x + d u + curve x^2 + direct_curve u^2 + swing sin(t)
/// Direct: the terms of u in y count; otherwise they are not there and not declared.
template <bool Direct>
class BentPiece : public tandem::Model {
public:
    Input<double> u{*this, "u", 0.0};
    State x{*this, "x", 0.0};
    Output<double> y{*this, "y", 0.0};
    Parameter<double> a{*this, "a", -1.0}, b{*this, "b", 1.0};
    Parameter<double> c{*this, "c", 1.0}, d{*this, "d", 0.0};
    Parameter<double> bend{*this, "bend", 0.0}, drive{*this, "drive", 0.0};
    Parameter<double> curve{*this, "curve", 0.0}, direct_curve{*this, "direct_curve", 0.0};
    Parameter<double> swing{*this, "swing", 0.0};

    BentPiece() {
        has_exact_jacobian();
        depends(x.der, {x, u});
        if (Direct)
            depends(y, {x, u});
        else
            depends(y, {x});
    }
    void derivatives() override {
        x.der = a * x + b * u - bend * x * x * x + drive * std::sin(time());
    }
    void outputs() override {
        y = c * x + curve * x * x + swing * std::sin(time());
        if (Direct) y = y + d * u + direct_curve * u * u;
    }
    void jacobian(tandem::Jacobian& j) override {
        j(x.der, x) = a - 3.0 * bend * x * x;
        j(x.der, u) = b;
        j(y, x) = c + 2.0 * curve * x;
        if (Direct) j(y, u) = d + 2.0 * direct_curve * u;
    }
};
