#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "support/race_car_group.hpp"

namespace tandem::test {

struct Linear {
    double x, a, b, c, d;
};

/// Two linear models of `kinds`, each with the output of the other as its input.
inline std::unique_ptr<ode::OdeGroup> linear_pair(OdeShop& shop,
                                                  const std::array<std::string, 2>& kinds,
                                                  const std::array<Linear, 2>& given) {
    std::vector<std::unique_ptr<ode::OdeModel>> members;
    for (std::size_t i = 0; i < 2; ++i) {
        members.push_back(shop.make("LinearOde", kinds[i], i == 0 ? "a" : "b"));
        set_real(*members.back(), "x", given[i].x);
        set_real(*members.back(), "a", given[i].a);
        set_real(*members.back(), "b", given[i].b);
        set_real(*members.back(), "c", given[i].c);
        set_real(*members.back(), "d", given[i].d);
    }
    return std::make_unique<ode::OdeGroup>("pair", std::move(members),
                                           ode::GroupWiring{{{1, 0}, {0, 1}}, {}});
}

inline int position(const std::vector<Port>& ports, const std::string& name) {
    for (std::size_t i = 0; i < ports.size(); ++i)
        if (ports[i].name == name) return static_cast<int>(i);
    throw std::runtime_error("no port " + name);
}

/// Two pendulums on pivots that are shaken, with a spring between their bobs whose force is
///   Fx = (x1 + 2 + sin t) - (x2 - 2 - sin t), Fy = y1 - y2.
/// `model`: PendulumPolar or PendulumCartesian.
inline std::unique_ptr<ode::OdeGroup> pendulums(OdeShop& shop, const std::string& model,
                                                const std::array<std::string, 2>& kinds) {
    std::vector<std::unique_ptr<ode::OdeModel>> members;
    for (std::size_t i = 0; i < 2; ++i) {
        members.push_back(shop.make(model, kinds[i], i == 0 ? "left" : "right"));
        const double side = i == 0 ? 1.0 : -1.0;
        if (model == "PendulumPolar") {
            set_real(*members.back(), "theta", side * std::numbers::pi / 2.0);
        } else {
            set_real(*members.back(), "x", side);
            set_real(*members.back(), "y", 0.0);
        }
    }
    const auto& left = members[0]->shape();
    const int second_outputs = static_cast<int>(left.outputs.size());
    const int second_inputs = static_cast<int>(left.inputs.size());
    const auto both = [&](const std::string& name) {
        return std::vector<int>{position(left.outputs, name),
                                second_outputs + position(members[1]->shape().outputs, name)};
    };
    ode::GroupWiring wiring;
    const auto feed = [&](const std::string& input, const std::vector<int>& outputs,
                          auto function) {
        for (const double side : {1.0, -1.0}) {
            const int base = side > 0.0 ? 0 : second_inputs;
            const auto& inputs = members[side > 0.0 ? 0 : 1]->shape().inputs;
            wiring.functions.push_back(
                {base + position(inputs, input), outputs,
                 [=](double t, std::span<const double> y) { return function(side, t, y); }});
        }
    };
    feed("u1", {}, [](double, double t, std::span<const double>) { return -std::sin(t); });
    if (model == "PendulumPolar") {
        feed("u2", both("theta"), [](double side, double t, std::span<const double> y) {
            return side * (std::sin(y[0]) - std::sin(y[1]) + 4.0 + 2.0 * std::sin(t));
        });
        feed("u3", both("theta"), [](double side, double, std::span<const double> y) {
            return side * (-std::cos(y[0]) + std::cos(y[1]));
        });
    } else {
        feed("u2", both("x"), [](double side, double t, std::span<const double> y) {
            return side * (y[0] - y[1] + 4.0 + 2.0 * std::sin(t));
        });
        feed("u3", both("y"),
             [](double side, double, std::span<const double> y) { return side * (y[0] - y[1]); });
    }
    return std::make_unique<ode::OdeGroup>("pendulums", std::move(members), std::move(wiring));
}

}  // namespace tandem::test
