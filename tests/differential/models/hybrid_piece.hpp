#pragma once

#include <cmath>
#include <tandem/model.hpp>

/// A linear subsystem with one discrete variable s:
///   dx/dt = A x + B u + f s,   y = C x + D u + g s.
/// `rule` says when s changes: 0 never; 1 from 0 to `height` at t = `first`; 2 to `height` where
/// x1 rises through `high` and back to 0 where it falls through `low`; 3 to `height` * u1 at
/// t = `first` + k `period`. Direct: D counts; otherwise it is zero and not declared.
template <bool Direct>
class HybridPiece : public tandem::Model {
public:
    Input<double> u1{*this, "u1", 0.0}, u2{*this, "u2", 0.0};
    State x1{*this, "x1", 0.0}, x2{*this, "x2", 0.0};
    Discrete<double> s{*this, "s", 0.0};
    Output<double> y1{*this, "y1", 0.0}, y2{*this, "y2", 0.0};
    Parameter<double> a11{*this, "a11", 0.0}, a12{*this, "a12", 0.0};
    Parameter<double> a21{*this, "a21", 0.0}, a22{*this, "a22", 0.0};
    Parameter<double> b11{*this, "b11", 0.0}, b12{*this, "b12", 0.0};
    Parameter<double> b21{*this, "b21", 0.0}, b22{*this, "b22", 0.0};
    Parameter<double> c11{*this, "c11", 0.0}, c12{*this, "c12", 0.0};
    Parameter<double> c21{*this, "c21", 0.0}, c22{*this, "c22", 0.0};
    Parameter<double> d11{*this, "d11", 0.0}, d12{*this, "d12", 0.0};
    Parameter<double> d21{*this, "d21", 0.0}, d22{*this, "d22", 0.0};
    Parameter<double> f1{*this, "f1", 0.0}, f2{*this, "f2", 0.0};
    Parameter<double> g1{*this, "g1", 0.0}, g2{*this, "g2", 0.0};
    Parameter<int> rule{*this, "rule", 0};
    Parameter<double> first{*this, "first", 0.0}, period{*this, "period", 1.0};
    Parameter<double> height{*this, "height", 0.0};
    Parameter<double> high{*this, "high", 0.0}, low{*this, "low", 0.0};

    HybridPiece() {
        has_indicators(2);
        depends(x1.der, {x1, x2, u1, u2, s});
        depends(x2.der, {x1, x2, u1, u2, s});
        if (Direct) {
            depends(y1, {x1, x2, u1, u2, s});
            depends(y2, {x1, x2, u1, u2, s});
        } else {
            depends(y1, {x1, x2, s});
            depends(y2, {x1, x2, s});
        }
    }
    void initialise() override {
        if (rule == 1 || rule == 3) next_event(first);
        if (rule == 2 && x1 > high) s = height;
    }
    void derivatives() override {
        x1.der = a11 * x1 + a12 * x2 + b11 * u1 + b12 * u2 + f1 * s;
        x2.der = a21 * x1 + a22 * x2 + b21 * u1 + b22 * u2 + f2 * s;
    }
    void outputs() override {
        y1 = c11 * x1 + c12 * x2 + g1 * s;
        y2 = c21 * x1 + c22 * x2 + g2 * s;
        if (!Direct) return;
        y1 = y1 + d11 * u1 + d12 * u2;
        y2 = y2 + d21 * u1 + d22 * u2;
    }
    void indicators(std::span<double> z) override {
        z[0] = rule == 2 ? x1 - high : 1.0;
        z[1] = rule == 2 ? x1 - low : 1.0;
    }
    void event() override {
        if (rule == 2) {
            if (x1 > high) s = height;
            if (x1 < low) s = 0.0;
        } else if (time_event()) {
            s = rule == 1 ? height : height * u1;
            count_ = count_ + 1.0;
            if (rule == 3) next_event(first + count_ * period);
        }
    }

private:
    Discrete<double> count_{*this, "count", 0.0};
};
