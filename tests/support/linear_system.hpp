#pragma once

#include <Eigen/Dense>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ode/host/hosted_ode.hpp"
#include "support/linear_network.hpp"
#include "support/test_models.hpp"
#include "tandem/extend/coupling.hpp"

namespace tandem::test {

/// dx/dt = A x + B u + f, y = C x + D u with matrices of any size.
class LinearModelOde final : public TestModel {
public:
    LinearModelOde(LinearPart part, const VectorXd& start)
        : TestModel("linear", {start.begin(), start.end()}, static_cast<int>(part.b.cols()),
                    static_cast<int>(part.c.rows())),
          part_(std::move(part)) {
        shape_.has_events = false;
        shape_.exact_jacobian = true;
        shape_.d.entries.emplace();
        for (Eigen::Index j = 0; j < part_.d.cols(); ++j)
            for (Eigen::Index i = 0; i < part_.d.rows(); ++i)
                if (part_.d(i, j) != 0.0)
                    shape_.d.entries->emplace_back(static_cast<int>(i), static_cast<int>(j));
    }
    bool derivatives(std::span<double> dx) override {
        view(dx) = part_.a * view(x) + part_.b * view(u) + part_.f;
        return true;
    }
    bool outputs(std::span<double> y) override {
        view(y) = part_.c * view(x) + part_.d * view(u);
        return true;
    }
    bool jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                        std::span<double> d_dx, std::span<double> d_y) override {
        view(d_dx) = part_.a * view(d_x) + part_.b * view(d_u);
        view(d_y) = part_.c * view(d_x) + part_.d * view(d_u);
        return true;
    }

private:
    static Eigen::Map<VectorXd> view(std::span<double> values) {
        return {values.data(), std::ssize(values)};
    }
    static Eigen::Map<const VectorXd> view(std::span<const double> values) {
        return {values.data(), std::ssize(values)};
    }
    static Eigen::Map<const VectorXd> view(const std::vector<double>& values) {
        return {values.data(), std::ssize(values)};
    }

    LinearPart part_;
};

/// Linear parts and links between them, to be moved on by any coupling.
struct LinearSystem {
    std::vector<LinearPart> parts;
    std::vector<Link> links;  ///< outputs and inputs are numbered part after part

    LinearNetwork network(const VectorXd& start) const { return joined(parts, links, start); }

    /// `wrap` may put each part into something else.
    using Wrap = std::function<std::unique_ptr<Subsystem>(std::unique_ptr<Subsystem>)>;
    std::unique_ptr<System> make(const VectorXd& start, double tolerance,
                                 const Wrap& wrap = {}) const {
        std::vector<std::unique_ptr<Subsystem>> hosts;
        Eigen::Index first = 0;
        for (const LinearPart& part : parts) {
            ode::HostedOdeOptions options;
            options.solver.method = ode::Method::dopri5;
            options.solver.relative_tolerance = tolerance;
            const Eigen::Index n = part.a.rows();
            auto host = std::make_unique<ode::HostedOde>(
                std::make_unique<LinearModelOde>(part, start.segment(first, n)), options);
            host->enter_initialisation({});
            host->exit_initialisation();
            hosts.push_back(wrap ? wrap(std::move(host)) : std::move(host));
            first += n;
        }
        auto system = std::make_unique<System>(std::move(hosts), links);
        // Outputs with feed-through need the inputs, which need outputs: twice is enough where
        // there are no loops of two or more.
        for (int pass = 0; pass < 2; ++pass) {
            for (int s = 0; s < system->size(); ++s) system->read_outputs(s);
            system->route(0.0);
            for (int s = 0; s < system->size(); ++s)
                system->at(s).set_inputs({.values = system->inputs_of(s)});
        }
        for (int s = 0; s < system->size(); ++s) system->read_outputs(s);
        return system;
    }
};

inline VectorXd states_of(System& system) {
    std::vector<double> all;
    for (int s = 0; s < system.size(); ++s) {
        const auto x = dynamic_cast<ode::HostedOde&>(system.at(s)).states();
        all.insert(all.end(), x.begin(), x.end());
    }
    return Eigen::Map<const VectorXd>(all.data(), std::ssize(all));
}

/// States at 0, h, ..., steps h, one column each.
inline Samples run_states(const LinearSystem& linear, const VectorXd& start,
                          coupling::Coupling& coupling, std::pair<double, long> h_and_steps,
                          double tolerance = 1e-11) {
    const auto [h, steps] = h_and_steps;
    const auto system = linear.make(start, tolerance);
    coupling.prepare(*system, 0.0);
    Samples samples(start.size(), steps + 1);
    samples.col(0) = start;
    for (long k = 0; k < steps; ++k) {
        EXPECT_TRUE(coupling.advance(*system,
                                     {h * static_cast<double>(k), h * static_cast<double>(k + 1)}));
        samples.col(k + 1) = states_of(*system);
    }
    return samples;
}

/// What one macro step makes of the states, for systems without sources; column by column.
inline MatrixXd map_of_step(const LinearSystem& linear, coupling::Coupling& coupling, double h,
                            double tolerance = 1e-11) {
    Eigen::Index n = 0;
    for (const LinearPart& part : linear.parts) n += part.a.rows();
    MatrixXd map(n, n);
    for (Eigen::Index j = 0; j < n; ++j)
        map.col(j) = run_states(linear, VectorXd::Unit(n, j), coupling, {h, 1}, tolerance).col(1);
    return map;
}

}  // namespace tandem::test
