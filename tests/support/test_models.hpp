#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ode/ode_model.hpp"
#include "support/no_variables.hpp"

namespace tandem::test {

/// The common part of the small native models below: a point, start values, and `memory`, the
/// discrete values, which are all that is saved besides the point.
class TestModel : public ode::OdeModel {
public:
    const std::string& name() const override { return name_; }
    const ode::OdeShape& shape() const override { return shape_; }
    Variables& variables() override { return variables_; }
    void enter_initialisation(const Experiment& experiment) override { t = experiment.start; }
    void exit_initialisation() override {}
    void finish() override { finished = true; }
    void set_inputs(std::span<const double> inputs) override { copy(inputs, u); }
    void get_states(std::span<double> states) override { std::ranges::copy(x, states.begin()); }
    void get_nominals(std::span<double> nominals) override {
        for (std::size_t i = 0; i < nominals.size(); ++i) nominals[i] = shape_.states[i].nominal;
    }
    bool set_point(const ode::OdePoint& point) override {
        t = point.t;
        copy(point.x, x);
        copy(point.u, u);
        return true;
    }
    bool derivatives(std::span<double>) override { return true; }
    bool outputs(std::span<double> y) override {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i];
        return true;
    }
    bool indicators(std::span<double>) override { return true; }
    void enter_event_mode() override { ++events; }
    ode::EventUpdate update_discrete() override { return {}; }
    void enter_continuous_mode() override {}

    void save(StateSlot slot) override {
        Saved& saved = slots_[static_cast<std::size_t>(slot)];
        saved.t = t;
        saved.x = x;
        saved.u = u;
        saved.memory = memory;
    }
    void restore(StateSlot slot) override {
        const Saved& saved = slots_[static_cast<std::size_t>(slot)];
        t = saved.t;
        x = saved.x;
        u = saved.u;
        memory = saved.memory;
    }
    void serialise(std::vector<std::byte>& bytes) override {
        const std::size_t begin = bytes.size();
        bytes.resize(begin + memory.size() * sizeof(double));
        if (!memory.empty()) std::memcpy(bytes.data() + begin, memory.data(), bytes.size() - begin);
    }
    void deserialise(std::span<const std::byte> bytes) override {
        if (!memory.empty()) std::memcpy(memory.data(), bytes.data(), bytes.size());
    }

    double t = 0.0;
    std::vector<double> x, u, memory;
    int events = 0;
    bool finished = false;

protected:
    TestModel(std::string name, std::vector<double> start, int inputs, int outputs)
        : x(std::move(start)), name_(std::move(name)) {
        for (std::size_t i = 0; i < x.size(); ++i)
            shape_.states.push_back({numbered('x', i), "", 1.0});
        for (std::size_t i = 0; i < static_cast<std::size_t>(inputs); ++i)
            shape_.inputs.push_back({numbered('u', i), "", 1.0});
        for (std::size_t i = 0; i < static_cast<std::size_t>(outputs); ++i)
            shape_.outputs.push_back({numbered('y', i), "", 1.0});
        u.assign(static_cast<std::size_t>(inputs), 0.0);
        shape_.can_save = shape_.can_serialise = true;
    }

    ode::OdeShape shape_;

private:
    struct Saved {
        double t = 0.0;
        std::vector<double> x, u, memory;
    };

    static std::string numbered(char letter, std::size_t number) {
        std::string name(1, letter);
        name += std::to_string(number);
        return name;
    }
    static void copy(std::span<const double> from, std::vector<double>& to) {
        std::ranges::copy(from, to.begin());
    }

    std::string name_;
    NoVariables variables_;
    std::array<Saved, state_slot_count> slots_;
};

/// dx = k x, x(0) = 1.
class Dahlquist final : public TestModel {
public:
    explicit Dahlquist(double rate = -1.0) : TestModel("dahlquist", {1.0}, 0, 1), rate_(rate) {}
    bool derivatives(std::span<double> dx) override {
        dx[0] = rate_ * x[0];
        return true;
    }

private:
    double rate_;
};

/// dx0 = x1, dx1 = mu (1 - x0^2) x1 - x0, from (2, 0); its Jacobian is exact.
class VanDerPol final : public TestModel {
public:
    explicit VanDerPol(double mu = 1.0) : TestModel("van_der_pol", {2.0, 0.0}, 0, 2), mu_(mu) {
        shape_.exact_jacobian = true;
        shape_.a.entries = {{0, 1}, {1, 0}, {1, 1}};
        shape_.c.entries = {{0, 0}, {1, 1}};
    }
    bool derivatives(std::span<double> dx) override {
        dx[0] = x[1];
        dx[1] = mu_ * (1.0 - x[0] * x[0]) * x[1] - x[0];
        return true;
    }
    bool jacobian_times(std::span<const double> d_x, std::span<const double>,
                        std::span<double> d_dx, std::span<double> d_y) override {
        d_dx[0] = d_x[1];
        d_dx[1] = (-2.0 * mu_ * x[0] * x[1] - 1.0) * d_x[0] + mu_ * (1.0 - x[0] * x[0]) * d_x[1];
        d_y[0] = d_x[0];
        d_y[1] = d_x[1];
        return true;
    }

private:
    double mu_;
};

/// dh = v, dv = -g; where h falls below zero, v becomes -e v. It rests once it would bounce with
/// less than `rest_speed`.
class BouncingBall final : public TestModel {
public:
    BouncingBall() : TestModel("ball", {1.0, 0.0}, 0, 2) {
        shape_.indicators = 1;
        memory = {0.0};
    }
    bool derivatives(std::span<double> dx) override {
        dx[0] = resting() ? 0.0 : x[1];
        dx[1] = resting() ? 0.0 : -gravity;
        return true;
    }
    bool indicators(std::span<double> z) override {
        z[0] = resting() ? 1.0 : x[0];
        return true;
    }
    ode::EventUpdate update_discrete() override {
        if (resting() || x[0] > 0.0 || x[1] >= 0.0) return {};
        x = {0.0, -restitution * x[1]};
        if (x[1] < rest_speed) {
            x[1] = 0.0;
            memory[0] = 1.0;
        }
        return {.states_changed = true};
    }

    static constexpr double gravity = 9.81;
    static constexpr double restitution = 0.8;
    static constexpr double rest_speed = 1e-2;

private:
    bool resting() const { return memory[0] != 0.0; }
};

/// A counter that time events raise every `period`; dx = counter.
class Stair final : public TestModel {
public:
    explicit Stair(double period = 1.0) : TestModel("stair", {0.0}, 0, 2), period_(period) {
        memory = {0.0};
    }
    bool derivatives(std::span<double> dx) override {
        dx[0] = memory[0];
        return true;
    }
    bool outputs(std::span<double> y) override {
        y[0] = memory[0];
        y[1] = x[0];
        return true;
    }
    ode::EventUpdate update_discrete() override {
        if (t >= next()) memory[0] += 1.0;
        return {.next_event_time = next()};
    }

private:
    double next() const { return (memory[0] + 1.0) * period_; }
    double period_;
};

/// dx = -x + u0 + 2 u1; y0 = x (no feed-through), y1 = x + 3 u0^2 + t.
class Driven final : public TestModel {
public:
    Driven() : TestModel("driven", {0.0}, 2, 2) {
        shape_.c.entries = {{0, 0}, {1, 0}};
        shape_.d.entries = {{1, 0}};
    }
    bool derivatives(std::span<double> dx) override {
        dx[0] = -x[0] + u[0] + 2.0 * u[1];
        return true;
    }
    bool outputs(std::span<double> y) override {
        y[0] = x[0];
        y[1] = x[0] + 3.0 * u[0] * u[0] + t;
        return true;
    }
};

/// A chain of ten masses on their way to each other: dx_i = x_(i-1) - 2 x_i + x_(i+1), driven at
/// the left end; the pattern is tridiagonal.
class Chain final : public TestModel {
public:
    static constexpr int length = 10;

    explicit Chain(bool declares_pattern = true)
        : TestModel("chain", std::vector<double>(length, 1.0), 1, 1) {
        if (!declares_pattern) return;
        shape_.a.entries.emplace();
        for (int i = 0; i < length; ++i)
            for (int j = std::max(0, i - 1); j <= std::min(length - 1, i + 1); ++j)
                shape_.a.entries->emplace_back(i, j);
        shape_.b.entries = {{0, 0}};
        shape_.c.entries = {{0, length - 1}};
        shape_.d.entries.emplace();
    }
    bool derivatives(std::span<double> dx) override {
        for (std::size_t i = 0; i < length; ++i) {
            const double left = i == 0 ? u[0] : x[i - 1];
            const double right = i + 1 == length ? 0.0 : x[i + 1];
            dx[i] = left - 2.0 * x[i] + right + 0.1 * x[i] * x[i];
        }
        return true;
    }
    bool outputs(std::span<double> y) override {
        y[0] = x[length - 1];
        return true;
    }
};

/// No states: a relay that switches on where u0 + sin(t) rises above one half, off below; it also
/// has a time event at 2, which adds 10 to the output.
class Relay final : public TestModel {
public:
    Relay() : TestModel("relay", {}, 1, 1) {
        shape_.indicators = 1;
        memory = {0.0, 0.0};
    }
    bool indicators(std::span<double> z) override {
        z[0] = u[0] + std::sin(t) - 0.5;
        return true;
    }
    bool outputs(std::span<double> y) override {
        y[0] = memory[0] + 10.0 * memory[1];
        return true;
    }
    ode::EventUpdate update_discrete() override {
        memory[0] = u[0] + std::sin(t) - 0.5 > 0.0 ? 1.0 : 0.0;
        if (t >= 2.0) memory[1] = 1.0;
        ode::EventUpdate update;
        if (memory[1] == 0.0) update.next_event_time = 2.0;
        return update;
    }
};

}  // namespace tandem::test
