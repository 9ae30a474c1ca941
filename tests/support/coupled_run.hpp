#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ode/host/hosted_ode.hpp"
#include "support/scenario.hpp"
#include "support/watched_ode.hpp"
#include "tandem/extend/coupling.hpp"

namespace tandem::test {

/// A scenario that a coupling moves on. Outputs are the connected ones, part by part.
class CoupledRun {
public:
    CoupledRun(const Scenario& scenario, std::unique_ptr<coupling::Coupling> coupling,
               std::unique_ptr<Executor> executor = nullptr)
        : nodes_(scenario.parts.size()), coupling_(std::move(coupling)) {
        std::vector<std::unique_ptr<Subsystem>> subsystems;
        for (std::size_t s = 0; s < scenario.parts.size(); ++s) {
            names_.push_back(scenario.parts[s].name);
            subsystems.push_back(make(scenario, s));
        }
        std::vector<const Interface*> interfaces;
        for (const auto& subsystem : subsystems) interfaces.push_back(&subsystem->interface());
        std::vector<Link> links = links_of(scenario, interfaces);
        system_ = std::make_unique<System>(std::move(subsystems), std::move(links));
        if (executor) system_->schedule().set_executor(std::move(executor));
        start();
    }

    /// One macro step; all of them have the same length.
    void advance(double h) {
        const double begin = h * static_cast<double>(steps_);
        time_ = h * static_cast<double>(++steps_);
        const StepResult result = coupling_->advance(*system_, {begin, time_});
        ASSERT_TRUE(result) << coupling_->report(*system_).failure_reason << " at t = " << begin;
    }
    double time() const { return time_; }
    long steps() const { return steps_; }

    System& system() { return *system_; }
    coupling::Coupling& coupling() { return *coupling_; }
    int order() const { return coupling_->traits().order; }
    ode::HostedOde& host(int s) { return dynamic_cast<ode::HostedOde&>(system_->at(s)); }
    double output(const std::string& name) {
        for (int i = 0; i < static_cast<int>(system_->outputs().size()); ++i)
            if (name_of(i) == name) return system_->outputs()[static_cast<std::size_t>(i)];
        throw std::runtime_error("no output " + name);
    }
    Eigen::VectorXd outputs() { return vector(system_->outputs()); }
    /// Of all hosted parts.
    Eigen::VectorXd states() {
        std::vector<double> all;
        for (int s = 0; s < system_->size(); ++s)
            all.insert(all.end(), host(s).states().begin(), host(s).states().end());
        return vector(all);
    }
    /// Where steps of the solver of part s ended, so far.
    const std::vector<MicroNode>& nodes(int s) const { return nodes_[static_cast<std::size_t>(s)]; }
    /// Of all solvers together.
    ode::SolverStatistics solver_statistics() {
        ode::SolverStatistics sum;
        for (int s = 0; s < system_->size(); ++s) {
            const ode::SolverStatistics one = host(s).statistics().solver;
            sum.steps += one.steps;
            sum.rejected += one.rejected;
            sum.derivative_calls += one.derivative_calls;
            sum.restarts += one.restarts;
        }
        return sum;
    }

private:
    static Eigen::VectorXd vector(std::span<const double> values) {
        return Eigen::Map<const Eigen::VectorXd>(values.data(),
                                                 static_cast<Eigen::Index>(values.size()));
    }
    std::string name_of(int output) const {
        return names_[static_cast<std::size_t>(system_->subsystem_of_output(output))] + "." +
               system_->output_port(output).name;
    }

    std::unique_ptr<Subsystem> make(const Scenario& scenario, std::size_t s) {
        const ScenarioPart& part = scenario.parts[s];
        std::unique_ptr<Subsystem> subsystem =
            scenario.kind.ends_with("_cs") ? make_kind(part.model, scenario.kind, scenario.fmus)
                                           : host_model(scenario, s);
        if (scenario.hides)
            subsystem = std::make_unique<HiddenSubsystem>(std::move(subsystem), *scenario.hides);
        set_up(*subsystem, scenario, part);
        subsystem->enter_initialisation(
            {.start = 0.0, .stop = {}, .tolerance = scenario.solver.relative_tolerance});
        subsystem->exit_initialisation();
        return subsystem;
    }
    std::unique_ptr<Subsystem> host_model(const Scenario& scenario, std::size_t s) {
        std::unique_ptr<ode::OdeModel> model = model_of(scenario.parts[s], scenario.kind);
        if (scenario.watches) model = std::make_unique<WatchedOde>(std::move(model), nodes_[s]);
        ode::HostedOdeOptions options;
        options.solver = scenario.solver;
        return std::make_unique<ode::HostedOde>(std::move(model), options);
    }

    void start() {
        for (int s = 0; s < system_->size(); ++s) system_->read_outputs(s);
        system_->route(0.0);
        for (int s = 0; s < system_->size(); ++s)
            system_->at(s).set_inputs({.values = system_->inputs_of(s)});
        coupling_->prepare(*system_, 0.0);
    }

    std::vector<std::string> names_;
    std::vector<std::vector<MicroNode>> nodes_;
    std::unique_ptr<coupling::Coupling> coupling_;
    std::unique_ptr<System> system_;
    long steps_ = 0;
    double time_ = 0.0;
};

/// Outputs at communication points k = 0, 1, ... or at other equal distances, one column each.
using Samples = Eigen::MatrixXd;

/// Runs `steps` macro steps of h.
inline Samples sample(CoupledRun& run, double h, long steps) {
    Samples samples(run.outputs().size(), steps + 1);
    samples.col(0) = run.outputs();
    for (long k = 1; k <= steps && !::testing::Test::HasFatalFailure(); ++k) {
        run.advance(h);
        samples.col(k) = run.outputs();
    }
    return samples;
}

/// The same of all parts as one equation.
inline Samples sample(ode::HostedOde& whole, double h, long steps) {
    const std::size_t size = whole.interface().outputs.size();
    Samples samples(static_cast<Eigen::Index>(size), steps + 1);
    whole.get_outputs({samples.col(0).data(), size});
    for (long k = 1; k <= steps; ++k) {
        EXPECT_TRUE(whole.step({h * static_cast<double>(k - 1), h * static_cast<double>(k)}));
        whole.get_outputs({samples.col(k).data(), size});
    }
    return samples;
}

/// All outputs of a watched run after each step of its solvers, which had the same fixed step; the
/// first column are the outputs at the start.
inline Samples micro_samples(const CoupledRun& run, const Eigen::VectorXd& start) {
    const auto count = static_cast<Eigen::Index>(run.nodes(0).size());
    Samples samples(start.size(), count + 1);
    samples.col(0) = start;
    Eigen::Index row = 0;
    for (int s = 0; row < start.size(); ++s) {
        EXPECT_EQ(static_cast<Eigen::Index>(run.nodes(s).size()), count);
        for (Eigen::Index k = 0; k < count; ++k) {
            const MicroNode& node = run.nodes(s)[static_cast<std::size_t>(k)];
            for (std::size_t i = 0; i < node.y.size(); ++i)
                samples(row + static_cast<Eigen::Index>(i), k + 1) = node.y[i];
        }
        row += static_cast<Eigen::Index>(run.nodes(s).front().y.size());
    }
    return samples;
}

/// The root of the mean square of each output over all samples.
inline Eigen::VectorXd rms_of_each(const Samples& samples, const Samples& reference) {
    const Samples error = samples - reference;
    return (error.rowwise().squaredNorm() / static_cast<double>(error.cols())).cwiseSqrt();
}

/// The quadratic mean of that over the outputs.
inline double rms(const Samples& samples, const Samples& reference) {
    const Eigen::VectorXd each = rms_of_each(samples, reference);
    return each.norm() / std::sqrt(static_cast<double>(each.size()));
}

/// The largest sum of the errors of all outputs.
inline double largest_error(const Samples& samples, const Samples& reference) {
    return (samples - reference).colwise().lpNorm<1>().maxCoeff();
}

/// The power of h with which `error_of(h)` goes down from h to h/2.
inline double observed_order(const std::function<double(double h)>& error_of, double h) {
    return std::log2(error_of(h) / error_of(0.5 * h));
}

}  // namespace tandem::test
