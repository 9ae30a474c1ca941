#pragma once

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/model_kinds.hpp"

namespace tandem::test {

/// Subsystems that step together, with all exchanged values at the end of a step solved by Newton's
/// method: r(z) = G(z) - z, where z are the inputs and G(z) the outputs they lead to. The Jacobian
/// is taken by differences in every iteration. Written for clarity: what a coupling is compared to.
class SteppedSystem {
public:
    /// Inputs within a step: as at its end, or linear from its start to there.
    enum class Inputs { constant, linear };

    explicit SteppedSystem(Inputs inputs = Inputs::constant) : inputs_(inputs) {}

    std::size_t add(const std::string& model, const std::string& kind,
                    const std::map<std::string, double>& parameters = {}) {
        members_.push_back({make_kind(model, kind), {}, {}, {}, {}, false});
        Member& member = members_.back();
        for (const auto& [name, value] : parameters)
            write(*member.subsystem, name, {.reals = {value}, .integers = {}, .strings = {}});
        for (auto* list : {&member.begin, &member.end, &member.slope})
            list->resize(member.subsystem->interface().inputs.size());
        member.y.resize(member.subsystem->interface().outputs.size());
        return members_.size() - 1;
    }

    void connect(std::size_t from, const std::string& output, std::size_t to,
                 const std::string& input) {
        links_.push_back({from, place(members_[from].subsystem->interface().outputs, output), to,
                          place(members_[to].subsystem->interface().inputs, input)});
    }

    /// An integer that is carried over before the step is solved; its source has no inputs.
    void connect_integer(std::size_t from, const std::string& output, std::size_t to,
                         const std::string& input) {
        integers_.push_back({from, output, to, input});
        members_[from].is_first = true;
    }

    void start(const Eigen::VectorXd& guess) {
        for (Member& member : members_) {
            initialise(*member.subsystem, 100.0);
            member.subsystem->get_outputs(member.y);
        }
        carry_integers();
        z_ = guess;
    }
    void start() { start(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(links_.size()))); }

    /// Returns how many residuals it took.
    int step(Interval interval, double tolerance) {
        set_inputs(&Member::begin, z_);
        for (Member& member : members_)
            if (member.is_first) advance(member, interval);
        carry_integers();
        for (Member& member : members_)
            if (!member.is_first) member.subsystem->save(StateSlot::step_begin);
        for (int residuals = 1; residuals <= 50; ++residuals) {
            const Eigen::VectorXd r = outputs_at(z_, interval) - z_;
            if ((r.array().abs() <= tolerance * (1.0 + z_.array().abs())).all()) return residuals;
            z_ -= jacobian(r, interval).partialPivLu().solve(r);
        }
        ADD_FAILURE() << "no solution at t = " << interval.end;
        return 0;
    }

    double value(std::size_t member, const std::string& name) {
        const Values values = read(*members_[member].subsystem, name);
        return values.reals.empty() ? static_cast<double>(values.integers.at(0)) : values.reals[0];
    }

private:
    struct Member {
        std::unique_ptr<Subsystem> subsystem;
        std::vector<double> begin, end, slope, y;  // inputs; outputs
        bool is_first = false;
    };
    struct Link {
        std::size_t from, output, to, input;
    };
    struct IntegerLink {
        std::size_t from;
        std::string output;
        std::size_t to;
        std::string input;
    };

    static std::size_t place(const std::vector<Port>& ports, const std::string& name) {
        for (std::size_t i = 0; i < ports.size(); ++i)
            if (ports[i].name == name) return i;
        throw std::runtime_error("no port " + name);
    }

    void set_inputs(std::vector<double> Member::*list, const Eigen::VectorXd& z) {
        for (std::size_t k = 0; k < links_.size(); ++k)
            (members_[links_[k].to].*list)[links_[k].input] = z[static_cast<Eigen::Index>(k)];
    }

    void advance(Member& member, Interval interval) const {
        if (inputs_ == Inputs::linear) {
            for (std::size_t i = 0; i < member.slope.size(); ++i)
                member.slope[i] = (member.end[i] - member.begin[i]) / interval.length();
            member.subsystem->set_inputs({member.begin, member.slope, 1});
        } else {
            member.subsystem->set_inputs({member.end});
        }
        EXPECT_TRUE(member.subsystem->step(interval)) << member.subsystem->name();
        member.subsystem->get_outputs(member.y);
    }

    void carry_integers() {
        for (const IntegerLink& link : integers_)
            write(*members_[link.to].subsystem, link.input,
                  read(*members_[link.from].subsystem, link.output));
    }

    Eigen::VectorXd outputs_at(const Eigen::VectorXd& z, Interval interval) {
        set_inputs(&Member::end, z);
        for (Member& member : members_) {
            if (member.is_first) continue;
            member.subsystem->restore(StateSlot::step_begin);
            advance(member, interval);
        }
        Eigen::VectorXd g(z.size());
        for (std::size_t k = 0; k < links_.size(); ++k)
            g[static_cast<Eigen::Index>(k)] = members_[links_[k].from].y[links_[k].output];
        return g;
    }

    Eigen::MatrixXd jacobian(const Eigen::VectorXd& r, Interval interval) {
        Eigen::MatrixXd j(r.size(), r.size());
        for (Eigen::Index k = 0; k < r.size(); ++k) {
            const double increment = 1e-6 * (1.0 + std::abs(z_[k]));
            Eigen::VectorXd moved = z_;
            moved[k] += increment;
            j.col(k) = (outputs_at(moved, interval) - moved - r) / increment;
        }
        return j;
    }

    std::vector<Member> members_;
    std::vector<Link> links_;
    std::vector<IntegerLink> integers_;
    Eigen::VectorXd z_;
    Inputs inputs_;
};

}  // namespace tandem::test
